//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// sample is one finished run of a command, as the system accounts for it.
type sample struct {
	wall time.Duration
	cpu  time.Duration
	rss  int64 // peak of the process alone, bytes
}

// command is what is measured: argv, its input, and what reads its output.
type command struct {
	argv  []string
	stdin string
	// read consumes stdout; nil reads it away.
	read func(io.Reader) error
	exit int // the exit code that is right
}

// String is the command as a person would repeat it.
func (c command) String() string { return strings.Join(c.argv, " ") }

// once runs c and returns what it took.
func (c command) once(ctx context.Context) (sample, error) {
	cmd := exec.CommandContext(ctx, c.argv[0], c.argv[1:]...)
	cmd.Stdin = strings.NewReader(c.stdin)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+stateHome()) // no session is left with the user
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return sample{}, err
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return sample{}, err
	}
	rss := watchPeak(cmd.Process.Pid)
	read := c.read
	if read == nil {
		read = func(r io.Reader) error { _, err := io.Copy(io.Discard, r); return err }
	}
	if err := read(out); err != nil {
		return sample{}, fmt.Errorf("reading from %s: %w", c, err)
	}
	err = cmd.Wait()
	wall := time.Since(start)
	if code := cmd.ProcessState.ExitCode(); code != c.exit {
		return sample{}, fmt.Errorf("%s: exit code %d, want %d: %w: %s", c, code, c.exit, err, stderr.String())
	}
	return sample{wall: wall, cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), rss: rss()}, nil
}

// median runs c n times after one run that does not count, and returns the
// median of each figure by itself.
func (c command) median(ctx context.Context, n int) (sample, error) {
	list := make([]sample, 0, n)
	for i := range n + 1 {
		s, err := c.once(ctx)
		if err != nil {
			return sample{}, err
		}
		if i > 0 {
			list = append(list, s)
		}
	}
	return medians(list), nil
}

// paired runs a and b in turn, so that both see the same noise of the machine,
// and returns the medians of both.
func paired(ctx context.Context, a, b command, n int) (sample, sample, error) {
	var as, bs []sample
	for i := range n + 1 {
		sa, err := a.once(ctx)
		if err != nil {
			return sample{}, sample{}, err
		}
		sb, err := b.once(ctx)
		if err != nil {
			return sample{}, sample{}, err
		}
		if i > 0 {
			as, bs = append(as, sa), append(bs, sb)
		}
	}
	return medians(as), medians(bs), nil
}

func medians(list []sample) sample {
	middle := func(get func(sample) int64) int64 {
		values := make([]int64, len(list))
		for i, s := range list {
			values[i] = get(s)
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	return sample{
		wall: time.Duration(middle(func(s sample) int64 { return int64(s.wall) })),
		cpu:  time.Duration(middle(func(s sample) int64 { return int64(s.cpu) })),
		rss:  middle(func(s sample) int64 { return s.rss }),
	}
}

// stateHome is where measured runs keep their sessions.
func stateHome() string { return filepath.Join(os.TempDir(), "acpctl-bench-state") }
