package agentcore

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/acpctl/acpctl/agentcore/mcp"
	"github.com/acpctl/acpctl/agentcore/model"
	"github.com/acpctl/acpctl/agentcore/store"
	"github.com/acpctl/acpctl/agentcore/tool"
)

// session is an active session.
type session struct {
	id   string
	conn *conn

	ws     tool.Workspace
	ask    []string // kinds that are asked for in every mode
	mount  *mcp.Mount
	handle store.Handle
	chain  chain

	// Of the running turn alone; one turn follows the other.
	history []model.Message
	turns   int             // prompts so far
	allowed map[string]bool // tools that the client allowed for the session
	todos   []tool.Todo     // as they were last stored

	headMu sync.Mutex // one change of the stored header at a time

	mu        sync.Mutex // guards what follows
	selection selection
	mode      string
	turn      *turn // nil: the prompt slot is free
	closing   bool  // no more prompts
	ending    bool  // somebody closes it

	closed   chan struct{} // closed when it is
	closeErr error         // set before closed
}

// selection is what a prompt is answered by.
type selection struct {
	entry  model.Entry
	effort string // empty: the provider's default
}

func (c *conn) makeSession(id string) *session {
	s := &session{id: id, conn: c, mode: modeManual, allowed: map[string]bool{}, closed: make(chan struct{})}
	s.ws.Todos = new(tool.Todos)
	s.ws.Environ = tool.ShellEnviron(c.core.opts.Environ)
	s.chain.session = s
	return s
}

// close ends the running turn and releases everything. All callers share one run
// and return when it is over.
func (s *session) close() error {
	s.mu.Lock()
	first := !s.ending
	s.closing, s.ending = true, true
	s.mu.Unlock()
	if first {
		s.closeErr = s.shutDown()
		close(s.closed)
	}
	<-s.closed
	return s.closeErr
}

// stopAdmission makes every later prompt fail.
func (s *session) stopAdmission() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closing = true
}

func (s *session) shutDown() error {
	s.mu.Lock()
	t := s.turn
	s.mu.Unlock()
	if t != nil {
		t.stop()
		<-t.released
	}
	err := errors.Join(s.chain.flush(), s.release())
	s.conn.remove(s)
	return err
}

// release gives back what the session holds; a session that was never stored leaves
// no trace.
func (s *session) release() error {
	var err error
	if s.mount != nil {
		err = s.mount.Close()
	}
	if s.handle != nil {
		err = errors.Join(err, s.handle.Close())
	}
	return err
}

// tools are what the model can call now; callID is that of the call to be made.
func (s *session) tools(callID string) []tool.Tool {
	list := append(slices.Clip(s.conn.core.builtin), askUser{s, callID})
	if s.mount != nil {
		list = append(list, s.mount.Tools()...)
	}
	return list
}

// update changes what later prompts are answered by, and stores that.
func (s *session) update(change func(*session) error) error {
	s.mu.Lock()
	err := change(s)
	sel, mode := s.selection, s.mode
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return s.editHeader(func(h *store.Header) { h.Model, h.Effort, h.Mode = sel.entry.Value(), sel.effort, mode })
}

// editHeader changes what is stored of the session without its log.
func (s *session) editHeader(edit func(*store.Header)) error {
	s.headMu.Lock()
	defer s.headMu.Unlock()
	h := s.handle.Header()
	edit(&h)
	if err := errors.Join(s.handle.SetHeader(h), s.handle.Flush(context.Background())); err != nil {
		return storageError(err)
	}
	return nil
}

// maxID is the longest session id.
const maxID = 128

// checkID refuses a session id that is not safe as the name of a file.
func checkID(id string) error {
	word := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' }
	other := func(r rune) bool { return !word(r) && !strings.ContainsRune("._-", r) }
	if id == "" || len(id) > maxID || !word(rune(id[0])) || strings.ContainsFunc(id, other) {
		return invalid("bad_session_id", "sessionId must be letters, digits, dots, underscores and hyphens", "sessionId", id)
	}
	return nil
}

// active finds the session that params name.
func (c *conn) active(id string) (*session, error) {
	if s := c.session(id); s != nil {
		return s, nil
	}
	if err := checkID(id); err != nil {
		return nil, err
	}
	if _, err := c.core.opts.Store.Stat(c.ctx, id); err == nil {
		return nil, noSession("not_active", id)
	}
	return nil, noSession("unknown_session", id)
}
