package cli

import (
	"crypto/rand"
	"encoding/base32"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/acpctl/acpctl/controller"
)

// Env is all that a command gets from outside. Every field is required unless it
// says otherwise.
type Env struct {
	Args    []string // without the program's name
	Stdin   *os.File
	Stdout  *os.File
	Stderr  *os.File
	Environ []string
	Dir     string // working directory, absolute
	Now     func() time.Time
	// NewID makes an id that begins with prefix, unique and safe as a file name.
	NewID func(prefix string) string
	// Signals delivers SIGINT and SIGTERM to c from now on: one that comes behind
	// the result must not make another exit code than the result says.
	Signals func(c chan<- os.Signal)
	// Exit ends the process at once. Only a second signal and output that nobody
	// reads need it.
	Exit func(code int)
	// Mark tells the processes that this one starts from all others, on the whole
	// machine; empty: those that leave their process group are not looked for.
	Mark string
	// Deadlines bound the calls to an agent that are not turns; zero values mean
	// the defaults. Optional.
	Deadlines controller.Deadlines
	// Ladder are the waits of an agent's shutdown; nil is the defaults. Optional.
	Ladder *controller.Ladder
}

// OSEnv is the environment of this process.
func OSEnv() *Env {
	dir, err := os.Getwd()
	if err != nil {
		dir = "/"
	}
	e := &Env{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Environ: os.Environ(), Dir: dir, Now: time.Now, NewID: randomID,
		Signals: notify, Mark: fmt.Sprintf("%d.%d", os.Getpid(), time.Now().UnixNano()),
	}
	e.Exit = func(code int) {
		e.sweep()
		os.Exit(code)
	}
	return e
}

// Getenv looks name up in Environ; the last entry wins, as in a shell.
func (e *Env) Getenv(name string) (string, bool) {
	for _, entry := range slices.Backward(e.Environ) {
		if k, v, ok := strings.Cut(entry, "="); ok && k == name {
			return v, true
		}
	}
	return "", false
}

// terminal says whether f is a terminal.
func terminal(f *os.File) bool { return f != nil && term.IsTerminal(int(f.Fd())) }

func notify(c chan<- os.Signal) { signal.Notify(c, syscall.SIGINT, syscall.SIGTERM) }

// randomID appends 130 random bits as 26 lower-case base32 characters: unique
// without coordination, and safe in file names on every system.
func randomID(prefix string) string {
	var b [17]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	return prefix + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b[:])[:26])
}
