package recipes

import (
	"context"
	"fmt"
	"strings"

	"github.com/acpctl/acpctl/controller/event"
)

// commandStep runs a command. Its result has stdout and stderr as they are, text
// without the newlines at its end, and json or lines as parse says.
func (r *run) commandStep(ctx context.Context, s *planStep, o *outcome) error {
	cmd := Command{Script: s.script, Dir: r.plan.Cwd}
	for _, e := range s.env {
		v, err := e.value.string(ctx, r.values)
		if err != nil {
			return err
		}
		cmd.Env = append(cmd.Env, e.name+"="+v)
	}
	res, err := r.opts.Commander.Run(ctx, cmd)
	stdout, stderr := strings.ToValidUTF8(string(res.Stdout), "\uFFFD"), strings.ToValidUTF8(string(res.Stderr), "\uFFFD")
	o.end.Text = strings.TrimRight(stdout, "\r\n")
	o.members["stdout"], o.members["stderr"], o.members["text"] = stdout, stderr, o.end.Text
	if err != nil {
		return err
	}
	o.end.ExitCode = &res.ExitCode
	o.members["exitCode"] = res.ExitCode
	if res.Truncated {
		r.emit(s.id, event.Warning{Code: "output_truncated", Message: fmt.Sprintf("step %s: the command printed more than is kept", s.id)})
	}
	if res.ExitCode != 0 {
		return &event.Failure{Class: event.ClassAssert, Reason: "run_failed", Message: commandMessage(s.id, res.ExitCode, stderr)}
	}
	return s.parseOutput(stdout, o.members)
}

// stderrShown is how much of a command's stderr stands in a failure, in bytes.
const stderrShown = 2048

func commandMessage(id string, code int, stderr string) string {
	message := fmt.Sprintf("step %s: the command ended with exit code %d", id, code)
	stderr = strings.TrimSpace(stderr)
	if len(stderr) > stderrShown {
		stderr = "..." + strings.ToValidUTF8(stderr[len(stderr)-stderrShown:], "")
	}
	if stderr != "" {
		message += ": " + stderr
	}
	return message
}

// parseOutput makes of stdout what the step asks for.
func (s *planStep) parseOutput(stdout string, members map[string]any) error {
	switch s.parse {
	case "json":
		v, err := decodeJSON([]byte(stdout))
		if err != nil {
			return &event.Failure{
				Class: event.ClassAssert, Reason: "parse_failed", Err: err,
				Message: fmt.Sprintf("step %s: the command did not print one JSON value: %v", s.id, err),
			}
		}
		members["json"] = v
	case "lines":
		lines := []any{}
		for line := range strings.Lines(stdout) {
			lines = append(lines, strings.TrimRight(line, "\r\n"))
		}
		members["lines"] = lines
	}
	return nil
}
