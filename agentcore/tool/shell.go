package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

const (
	defaultShellTime = 2 * time.Minute
	// shellGrace is how long a cancelled command may take to end by itself. A
	// cancelled prompt must be over within a second, so this is half of it.
	shellGrace = 500 * time.Millisecond
	// drainGrace bounds the wait for output after the group is gone: a process
	// that left the group may hold the pipe open for ever.
	drainGrace     = 500 * time.Millisecond
	progressPeriod = time.Second
)

type shellArgs struct {
	Command   string `json:"command"`
	Cwd       string `json:"cwd"`
	TimeoutMs int    `json:"timeoutMs"`
}

func runShell() Tool {
	return define(Spec{
		Name: "shell", Kind: KindExecute,
		Description: "Run a command line with sh -c (cmd.exe on Windows), without a terminal and without input. Output and errors come back together, " +
			"the middle left out beyond 64 KiB, with the exit code. When the command ends, everything it started in the background is ended too.",
	}, `"command":{"type":"string","minLength":1,"description":"command line"},
		"cwd":{"type":"string","minLength":1,"description":"folder to run in; default: the working directory"},
		"timeoutMs":{"type":"integer","minimum":1,"maximum":600000,"description":"time limit in milliseconds; default: 120000"}`,
		[]string{"command"}, planShell)
}

func planShell(ws *Workspace, a shellArgs) (*Plan, error) {
	if strings.ContainsRune(a.Command, 0) {
		return nil, errors.New("the command has a NUL character")
	}
	dir, err := ws.locate(orDot(a.Cwd))
	if err != nil {
		return nil, err
	}
	limit := defaultShellTime
	if a.TimeoutMs > 0 {
		limit = time.Duration(a.TimeoutMs) * time.Millisecond
	}
	return &Plan{Outside: dir.outside(), Run: func(ctx context.Context, progress func(Progress)) Result {
		ctx, cancel := context.WithTimeoutCause(ctx, limit, errTimeLimit)
		defer cancel()
		if err := dir.checkFolder(); err != nil {
			return errorf("running in %s: %v", orDot(a.Cwd), plain(err))
		}
		out := &capture{limit: maxText / 2}
		err := runCommand(ctx, a.Command, dir.shown, ws.Environ, out, progress)
		return shellResult(ctx, err, out, limit)
	}}, nil
}

// checkFolder says why no command can run here, which starting it would not say.
func (p place) checkFolder() error {
	if now, err := p.resolve(); err != nil || now != p.real {
		return errMoved
	}
	info, err := os.Stat(p.real)
	if err == nil && !info.IsDir() {
		err = errors.New("it is not a folder")
	}
	return err
}

var errTimeLimit = errors.New("time limit")

// runCommand runs the line and returns when its whole group is gone. The error is
// that of [exec.Cmd.Wait].
func runCommand(ctx context.Context, line, dir string, environ []string, out *capture, progress func(Progress)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	cmd := shellCommand(ctx, line)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, w, w
	cmd.Env = append(slices.Clone(environ), "PWD="+dir)
	cmd.WaitDelay = shellGrace
	group, err := StartGroup(cmd)
	w.Close()
	if err != nil {
		return err
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(out, r) // ends with the pipe, whatever the error
	}()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	err = watch(ended, out, progress)
	group.Kill()
	drain(r, drained)
	return err
}

// watch waits for the command and reports its output while it grows.
func watch(ended <-chan error, out *capture, progress func(Progress)) error {
	ticker := time.NewTicker(progressPeriod)
	defer ticker.Stop()
	for reported := 0; ; {
		select {
		case err := <-ended:
			return err
		case <-ticker.C:
			if size := out.size(); progress != nil && size > reported {
				text, _ := out.text()
				progress(Progress{Text: text})
				reported = size
			}
		}
	}
}

// drain waits for the reader of the pipe, and ends it when somebody outside the
// group keeps the pipe open.
func drain(r *os.File, drained <-chan struct{}) {
	timer := time.NewTimer(drainGrace)
	defer timer.Stop()
	select {
	case <-drained:
	case <-timer.C:
		r.Close()
		<-drained
	}
}

// shellOutput is the raw output of a shell call.
type shellOutput struct {
	ExitCode  *int   `json:"exitCode,omitempty"` // absent: ended by a signal, or never started
	Signal    string `json:"signal,omitempty"`
	TimedOut  bool   `json:"timedOut,omitempty"`
	Truncated bool   `json:"truncated,omitempty"`
}

func shellResult(ctx context.Context, err error, out *capture, limit time.Duration) Result {
	text, truncated := out.text()
	raw := shellOutput{Truncated: truncated}
	var note string
	var exit *exec.ExitError
	switch {
	case err != nil && errors.Is(context.Cause(ctx), errTimeLimit):
		raw.TimedOut = true
		note = fmt.Sprintf("time limit of %v reached, the command was ended", limit)
	case err != nil && ctx.Err() != nil:
		note = "cancelled"
	case errors.As(err, &exit) && exit.ExitCode() < 0:
		raw.Signal = exit.String()
		note = "ended by " + exit.String()
	case err == nil || errors.As(err, &exit):
		code := 0
		if exit != nil {
			code = exit.ExitCode()
		}
		raw.ExitCode = &code
		note = fmt.Sprintf("exit code %d", code)
	default:
		note = fmt.Sprintf("starting the command: %v", plain(err))
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	encoded, _ := json.Marshal(raw) // plain fields always encode
	return Result{Text: text + "[" + note + "]", IsError: err != nil, RawOutput: encoded}
}
