package acptest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"time"
)

// Exit codes of the agent as a process, beside those of the instruction exit.
const (
	exitUsage    = 2 // bad flags or scenario
	exitMismatch = 3 // the client did not do what the scenario expects, or is gone
)

// lifetime bounds how long a process hangs: a test that fails to end it leaves
// nothing behind for ever.
const lifetime = 10 * time.Minute

const usage = `usage: acptest-agent [SCENARIO]
       acptest-agent -plain
       acptest-agent -flood N -size BYTES
       acptest-agent -big BYTES
       acptest-agent -chaos SEED

Plays the scenario of a file on its standard streams; without one it is a polite
agent. -flood and -big answer each prompt with N chunks, or one, of BYTES of text;
-chaos does random wrong things, see Chaos.
`

// Main is the agent as a process: it plays what the arguments say on the streams
// and returns the exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	s, err := scenarioOf(args, stderr)
	if err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintf(stderr, "acptest-agent: %v\n", err)
		}
		return exitUsage
	}
	ctx, cancel := context.WithTimeout(context.Background(), lifetime)
	defer cancel()
	p := &player{s: s, w: newStdio(stdin, stdout), stderr: stderr, wait: sleep, process: &process{stdout, stderr}}
	err = p.play(ctx)
	var code exitError
	switch {
	case errors.As(err, &code):
		return int(code)
	case err != nil:
		fmt.Fprintf(stderr, "acptest-agent: %v\n", err)
		return exitMismatch
	default:
		return 0
	}
}

// scenarioOf chooses what to play.
func scenarioOf(args []string, stderr io.Writer) (*Scenario, error) {
	fs := flag.NewFlagSet("acptest-agent", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() { fmt.Fprint(stderr, usage) }
	plain := fs.Bool("plain", false, "")
	flood := fs.Int("flood", 0, "")
	size := fs.Int("size", 80, "")
	big := fs.Int("big", 0, "")
	chaos := fs.Uint64("chaos", 0, "")
	if err := fs.Parse(args); err != nil {
		return nil, flag.ErrHelp
	}
	switch {
	case *flood < 0 || *size < 0 || *big < 0 || fs.NArg() > 1:
		fs.Usage()
		return nil, flag.ErrHelp
	case *big > 0:
		return Flood(1, *big), nil
	case *flood > 0:
		return Flood(*flood, *size), nil
	case *chaos > 0:
		return Parse(fmt.Sprintf("chaos %d", *chaos), []byte(Chaos(rand.New(rand.NewPCG(*chaos, 0)))))
	case fs.NArg() == 0:
		return Polite(*plain), nil
	}
	text, err := os.ReadFile(fs.Arg(0))
	if err != nil {
		return nil, err
	}
	return Parse(fs.Arg(0), text)
}
