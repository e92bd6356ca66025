//go:build unix

package realagents

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/acpctl/acpctl/internal/fakemodel"
)

// bench is what the runs of one agent share.
type bench struct {
	a       *agent
	acpctl  string
	mcp     string // the example MCP server
	argv    []string
	env     map[string]string
	home    string
	mark    string // in the agent's environment
	runs    int
	servers *fakemodel.Server
}

// outcome is what a run came to.
type outcome struct {
	code   int
	events []map[string]any
	result map[string]any
	stderr string
	dir    string
}

// filled puts the places into a text.
func filled(text, home, url string) string {
	return strings.NewReplacer("{home}", home, "{url}", url).Replace(text)
}

// recipe is a recipe for the agent with more lines of YAML.
func (b *bench) recipe(more string) string {
	command, _ := json.Marshal(b.argv)
	env, _ := json.Marshal(b.env)
	return fmt.Sprintf("version: 1\nagent: {command: %s, env: %s}\n%s\n", command, env, more)
}

// run runs a recipe in a folder of its own, dir or a new one. interrupt, if it is
// not empty, is the type of the event at which SIGINT is sent.
func (b *bench) run(t *testing.T, dir, interrupt, more string) *outcome {
	t.Helper()
	if dir == "" {
		dir = t.TempDir()
	}
	b.runs++
	file := filepath.Join(t.TempDir(), "recipe.yaml")
	if err := os.WriteFile(file, []byte(b.recipe(strings.ReplaceAll(more, "{dir}", dir))), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.acpctl, "run", file, "-o", "ndjson", "--idle", "90s")
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + b.env["PATH"], "HOME=" + b.home, "LANG=C.UTF-8", "TERM=dumb", "NO_COLOR=1", "NO_PROXY=127.0.0.1,localhost"}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	o := &outcome{dir: dir}
	o.read(t, out, func(kind string) {
		if kind == interrupt {
			_ = cmd.Process.Signal(syscall.SIGINT)
		}
	})
	if err := cmd.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	o.code, o.stderr = cmd.ProcessState.ExitCode(), stderr.String()
	b.judge(t, o)
	return o
}

// read takes the events.
func (o *outcome) read(t *testing.T, out io.Reader, seen func(kind string)) {
	t.Helper()
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e map[string]any
			if err := json.Unmarshal(line, &e); err != nil {
				t.Errorf("a line is no JSON: %s", line)
				continue
			}
			o.events = append(o.events, e)
			kind, _ := e["type"].(string)
			if kind == "result" {
				o.result = e
			}
			seen(kind)
		}
		if err != nil {
			return
		}
	}
}

// judge holds what every run owes: one result, last, with the exit code of the
// process, matching starts and ends, and no process left.
func (b *bench) judge(t *testing.T, o *outcome) {
	t.Helper()
	open := map[string]int{}
	results := 0
	for _, e := range o.events {
		kind, _ := e["type"].(string)
		if kind == "result" {
			results++
		}
		subject := fmt.Sprint(e["step"], e["turn"], e["toolCallId"])
		if name, ok := strings.CutSuffix(kind, ".start"); ok {
			open[name+subject]++
		}
		if name, ok := strings.CutSuffix(kind, ".end"); ok && name != "session" && name != "agent" {
			open[name+subject]--
		}
	}
	for what, n := range open {
		if n != 0 && !strings.HasPrefix(what, "session") && !strings.HasPrefix(what, "agent") && !strings.HasPrefix(what, "run") {
			t.Errorf("%s is open %d times at the end", what, n)
		}
	}
	if results != 1 || o.result["exitCode"] != float64(o.code) {
		t.Errorf("%d results, exit code %d, the result says %v; stderr: %s", results, o.code, o.result["exitCode"], o.stderr)
	}
	if left := marked(b.mark); left != "" {
		t.Errorf("left behind: %s", left)
	}
}

// marked lists the processes with the mark in their environment, that have not
// ended within a second.
func marked(mark string) string {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	var left string
	for range 20 {
		left = ""
		files, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, f := range files {
			if env, err := os.ReadFile(f); err == nil && bytes.Contains(env, []byte(mark)) {
				line, _ := os.ReadFile(filepath.Join(filepath.Dir(f), "cmdline"))
				left += strings.ReplaceAll(string(line), "\x00", " ") + "; "
			}
		}
		if left == "" {
			return ""
		}
		<-tick.C
	}
	return left
}

// have lists the events of a type.
func (o *outcome) have(kind string) []map[string]any {
	var list []map[string]any
	for _, e := range o.events {
		if e["type"] == kind {
			list = append(list, e)
		}
	}
	return list
}

func (o *outcome) list(field string) []any {
	list, _ := o.result[field].([]any)
	return list
}

func (o *outcome) exists(name string) bool {
	_, err := os.Stat(filepath.Join(o.dir, name))
	return err == nil
}

// probeReport is what the cases need of agents probe.
type probeReport struct {
	Options []struct {
		Purpose, Current string
		Choices          []string
	}
}

// probe looks at the agent as a user would.
func (b *bench) probe(t *testing.T) *probeReport {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), b.acpctl, append([]string{"agents", "probe", "--json", "--"}, b.argv...)...)
	cmd.Dir = t.TempDir()
	for k, v := range b.env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("agents probe: %v", err)
	}
	report := new(probeReport)
	if err := json.Unmarshal(out, report); err != nil {
		t.Fatalf("agents probe: %v: %s", err, out)
	}
	if left := marked(b.mark); left != "" {
		t.Errorf("the probe left behind: %s", left)
	}
	return report
}
