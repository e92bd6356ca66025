//go:build linux

// Command bench measures whole processes of acpctl and prints each figure beside
// the bound it has to keep. Figures are medians of several runs; what depends on
// the machine's speed is a ratio or a difference within one run of the program.
// It judges nothing: it always exits 0 unless something could not be measured.
//
//	go run ./internal/bench [-n RUNS] [CASE...]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	runs := flag.Int("n", 5, "counted runs of each command")
	flag.Parse()
	if err := run(context.Background(), *runs, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, runs int, names []string) error {
	dir, err := os.MkdirTemp("", "acpctl-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	b := &bench{runs: runs, dir: dir, acpctl: filepath.Join(dir, "acpctl"), agent: filepath.Join(dir, "agent"), copy: filepath.Join(dir, "linecopy")}
	if err := b.build(ctx); err != nil {
		return err
	}
	fmt.Printf("%-34s %-24s %-22s %s\n", "work", "measured", "bound", "command")
	for _, c := range cases {
		if len(names) > 0 && !slices.Contains(names, c.name) {
			continue
		}
		if err := c.measure(ctx, b); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// bench is where the programs are and how often they run.
type bench struct {
	runs          int
	dir           string
	acpctl, agent string
	copy          string // a plain copy of lines
}

// build makes both programs as they are shipped: static and stripped.
func (b *bench) build(ctx context.Context) error {
	for out, pkg := range map[string]string{b.acpctl: "./cmd/acpctl", b.agent: "./internal/bench/agent", b.copy: "./internal/bench/linecopy"} {
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, pkg)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("building %s: %w: %s", pkg, err, text)
		}
	}
	return nil
}

// row prints one figure. The command is shown with the names of the programs
// alone, as somebody with both on PATH would type it.
func (b *bench) row(work, measured, bound string, c command) {
	text := strings.NewReplacer(b.acpctl, "acpctl", b.agent, "acptest-agent", b.copy, "linecopy").Replace(c.String())
	fmt.Printf("%-34s %-24s %-22s %s\n", work, measured, bound, text)
}
