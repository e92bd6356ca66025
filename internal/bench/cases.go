//go:build linux

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

const mib = 1 << 20

// benchCase is one kind of work with its figures.
type benchCase struct {
	name    string
	measure func(ctx context.Context, b *bench) error
}

// cases are in the order of the documentation.
var cases = []benchCase{
	{"version", version},
	{"oneshot", oneShot},
	{"external", external},
	{"updates", updates},
	{"big", big},
	{"stalled", stalled},
	{"requests", requests},
	{"sessions", sessions},
	{"decision", decision},
	{"size", size},
}

// conversation is what a client writes to get one turn out of the agent: the
// agent's own emission time is measured with it.
const conversation = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}
{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"sess_1","prompt":[{"type":"text","text":"go"}]}}
`

func version(ctx context.Context, b *bench) error {
	c := command{argv: []string{b.acpctl, "version"}}
	s, err := c.median(ctx, 4*b.runs)
	if err != nil {
		return err
	}
	b.row("version, whole process", fmt.Sprintf("%s, %s", ms(s.wall), size10(s.rss)), "10 ms, 20 MiB", c)
	return nil
}

func oneShot(ctx context.Context, b *bench) error {
	c := command{argv: []string{b.acpctl, "prompt", "--no-stdin", "--model", "offline/echo", "hello"}}
	s, err := c.median(ctx, 2*b.runs)
	if err != nil {
		return err
	}
	b.row("one-shot, bundled agent", fmt.Sprintf("%s, %s", ms(s.wall), size10(s.rss)), "25 ms", c)
	return nil
}

// external subtracts what the agent takes for the same turn without acpctl.
func external(ctx context.Context, b *bench) error {
	c := command{argv: []string{b.acpctl, "prompt", "--no-stdin", "hello", "--", b.agent, "-flood", "1", "-size", "5"}}
	own := command{argv: []string{b.agent, "-flood", "1", "-size", "5"}, stdin: conversation}
	with, alone, err := paired(ctx, c, own, 2*b.runs)
	if err != nil {
		return err
	}
	b.row("one-shot, external agent", fmt.Sprintf("+%s, %s", ms(with.wall-alone.wall), size10(with.rss)), "+30 ms, 25 MiB", c)
	return nil
}

func updates(ctx context.Context, b *bench) error {
	flood := []string{b.agent, "-flood", "100000", "-size", "80"}
	c := command{argv: append([]string{b.acpctl, "prompt", "--no-stdin", "-o", "ndjson", "--deltas", "go", "--"}, flood...)}
	own := command{argv: flood, stdin: conversation}
	with, alone, err := paired(ctx, c, own, b.runs)
	if err != nil {
		return err
	}
	copied, err := b.copied(ctx, flood)
	if err != nil {
		return err
	}
	b.row("100,000 updates of 80 bytes", fmt.Sprintf("%.2fx (%.2fx copy), %s", ratio(with, alone), ratio(with, copied), size10(with.rss)), "2.5x own time, 40 MiB", c)
	return nil
}

func big(ctx context.Context, b *bench) error {
	one := []string{b.agent, "-flood", "1", "-size", strconv.Itoa(32 * mib)}
	c := command{argv: append([]string{b.acpctl, "prompt", "--no-stdin", "-o", "ndjson", "go", "--"}, one...)}
	own := command{argv: one, stdin: conversation}
	with, alone, err := paired(ctx, c, own, b.runs)
	if err != nil {
		return err
	}
	copied, err := b.copied(ctx, one)
	if err != nil {
		return err
	}
	b.row("one update of 32 MiB", fmt.Sprintf("%.2fx (%.2fx copy), %s", ratio(with, alone), ratio(with, copied), size10(with.rss)), "2x own time, 150 MiB", c)
	return nil
}

// copied is what the agent takes with a plain copy of its lines behind it.
func (b *bench) copied(ctx context.Context, agent []string) (sample, error) {
	c := command{argv: []string{"sh", "-c", strings.Join(agent, " ") + " | " + b.copy}, stdin: conversation}
	return c.median(ctx, b.runs)
}

// requests has the agent ask 100,000 things that nobody knows, without waiting for
// an answer to any: each is answered, in bounded memory.
func requests(ctx context.Context, b *bench) error {
	c := command{argv: []string{b.acpctl, "prompt", "--no-stdin", "-o", "json", "go", "--", b.agent, "-requests", "100000"}}
	s, err := c.median(ctx, b.runs)
	if err != nil {
		return err
	}
	b.row("100,000 requests of the agent", fmt.Sprintf("%.1f us each, %s", float64(s.wall.Microseconds())/100000, size10(s.rss)), "flat, each answered", c)
	return nil
}

// sessions runs the benchmark of 200 sessions on one connection, each a turn with
// a permission.
func sessions(ctx context.Context, b *bench) error {
	c := command{argv: []string{"go", "test", "-run=^$", "-bench=Sessions200", "-benchtime=5x", "./controller"}}
	out, err := exec.CommandContext(ctx, c.argv[0], c.argv[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	b.row("200 sessions on one connection", benchFigure(string(out), "BenchmarkSessions200", time.Millisecond), "no bound", c)
	return nil
}

// benchFigure is the time of one operation in the output of go test.
func benchFigure(out, name string, unit time.Duration) string {
	for line := range strings.Lines(out) {
		if f := strings.Fields(line); len(f) > 3 && strings.HasPrefix(f[0], name) {
			ns, _ := strconv.ParseFloat(f[2], 64)
			return fmt.Sprintf("%.1f %s", ns/float64(unit), unit.String()[1:])
		}
	}
	return "no figure"
}

// stalled reads nothing for two seconds, then everything, and counts that
// nothing was lost. The text is short, since a whole message of the turn has to
// be kept for its message event.
func stalled(ctx context.Context, b *bench) error {
	const n = 400000
	c := command{
		argv: []string{b.acpctl, "prompt", "--no-stdin", "-o", "ndjson", "--deltas", "go", "--", b.agent, "-flood", strconv.Itoa(n), "-size", "8"},
		read: func(r io.Reader) error {
			<-time.After(2 * time.Second)
			got, lines := 0, bufio.NewReaderSize(r, mib)
			for {
				line, err := lines.ReadString('\n')
				if strings.Contains(line, `"type":"message.delta"`) {
					got++
				}
				if err != nil {
					break
				}
			}
			if got != n {
				return fmt.Errorf("%d of %d updates arrived", got, n)
			}
			return nil
		},
	}
	s, err := c.once(ctx)
	if err != nil {
		return err
	}
	b.row("stalled reader, 400,000 updates", fmt.Sprintf("%s, nothing lost", size10(s.rss)), "40 MiB", c)
	return nil
}

// decision runs the benchmark of the policy package.
func decision(ctx context.Context, b *bench) error {
	c := command{argv: []string{"go", "test", "-run=^$", "-bench=Decide200Rules", "./controller/policy"}}
	out, err := exec.CommandContext(ctx, c.argv[0], c.argv[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	b.row("decision with 200 rules", benchFigure(string(out), "BenchmarkDecide200Rules", time.Microsecond), "50 us", c)
	return nil
}

func size(_ context.Context, b *bench) error {
	info, err := os.Stat(b.acpctl)
	if err != nil {
		return err
	}
	b.row("static binary, stripped", size10(info.Size()), "25 MB", command{argv: []string{"make", "build"}})
	return nil
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)) }

func size10(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/mib) }

func ratio(a, b sample) float64 { return float64(a.wall) / float64(b.wall) }
