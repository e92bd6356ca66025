package recipes

import (
	"context"
	"fmt"
	"strings"

	"github.com/acpctl/acpctl/controller/event"
)

// stderrShown is how much of a command's stderr stands in a failure, in bytes.
const stderrShown = 2048

// runStep runs a command. Its result has stdout and stderr as they are, text
// without the last newline, and json or lines as parse says.
func (r *run) runStep(ctx context.Context, s *planStep, o *outcome) error {
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
	o.text = strings.TrimSuffix(stdout, "\n")
	o.value["stdout"], o.value["stderr"], o.value["text"] = stdout, stderr, o.text
	if err != nil {
		return err
	}
	o.exitCode = &res.ExitCode
	o.value["exitCode"] = res.ExitCode
	if res.Truncated {
		r.emit(s.id, event.Warning{Code: "output_cut", Message: "the output of the command was cut"})
	}
	if res.ExitCode != 0 {
		return &event.Failure{Class: event.ClassAssert, Reason: "run_failed", Message: commandMessage(s.id, res.ExitCode, stderr)}
	}
	return parseOutput(s, o, stdout)
}

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

func parseOutput(s *planStep, o *outcome, stdout string) error {
	switch s.parse {
	case "json":
		v, err := decodeJSON([]byte(stdout))
		if err != nil {
			return &event.Failure{Class: event.ClassAssert, Reason: "parse_failed", Message: fmt.Sprintf("step %s: the output is not one JSON value: %v", s.id, err)}
		}
		o.value["json"] = v
	case "lines":
		lines := []any{}
		for line := range strings.Lines(stdout) {
			lines = append(lines, strings.TrimRight(line, "\r\n"))
		}
		o.value["lines"] = lines
	}
	return nil
}
