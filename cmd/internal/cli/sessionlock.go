package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/acpctl/acpctl/controller/event"
)

// sessionLock keeps two runs of acpctl out of one session of an outside agent:
// agents have no lock of their own, and mix what both say. The system frees the
// lock of a process that is gone.
type sessionLock struct{ file *os.File }

// lockSession takes the lock of a session. The bundled agent locks its own.
func (a *app) lockSession(argv []string, url, id string) (*sessionLock, error) {
	dir := a.lockDir()
	if dir == "" || len(argv) == 0 && url == "" {
		return &sessionLock{}, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, event.AsFailure(err)
	}
	sum := sha256.Sum256([]byte(strings.Join(argv, "\x00") + "\x00" + url + "\x00" + id))
	f, err := os.OpenFile(filepath.Join(dir, hex.EncodeToString(sum[:16])), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, event.AsFailure(err)
	}
	switch free, err := lockFile(f); {
	case err != nil:
		return nil, event.AsFailure(errors.Join(err, f.Close()))
	case !free:
		_ = f.Close()
		return nil, &event.Failure{
			Class: event.ClassSession, Reason: "session_in_use", Message: "another acpctl works in session " + id,
			Hints: []string{"wait for it, or fork the session"},
		}
	}
	return &sessionLock{f}, nil
}

// release gives the session free. The file stays: removing it would let two
// processes hold the lock of two files.
func (l *sessionLock) release() {
	if l != nil && l.file != nil {
		_ = l.file.Close()
	}
}

func (a *app) lockDir() string {
	if state, ok := a.env.Getenv("XDG_STATE_HOME"); ok && filepath.IsAbs(state) {
		return filepath.Join(state, "acpctl", "locks")
	}
	if home, ok := a.env.Getenv("HOME"); ok && filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "acpctl", "locks")
	}
	return ""
}
