package cli

import (
	"sync"
	"time"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/output"
)

// stream is the one place where events become lines: it stamps each with seq,
// time and run, masks secrets, and writes it to the sink in order. Safe for
// concurrent use; Emit blocks while the reader is slow, which is the
// back-pressure that reaches the agent.
type stream struct {
	now    func() time.Time
	run    string
	redact func(event.Event) []event.Event // masks secrets; may hold events back for a while; its result is ours until the next call
	strict bool
	onLost func(error) // called once, when the sink failed; must not block

	mu sync.Mutex // guards what follows
	// sink is nil once the result is written or the reader is gone.
	sink     output.Sink
	seq      int64
	warnings []event.Warning
}

// Emit writes one event. After the result, or once the reader is gone, events
// are dropped: nobody can read them.
func (s *stream) Emit(e event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w, ok := e.Body.(event.Warning); ok && !event.Informational(w.Code) {
		s.warnings = append(s.warnings, w)
	}
	s.write(e)
}

// Finish writes the result as the last line. Only the first call counts.
func (s *stream) Finish(r *event.Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.write(event.Event{Body: *r})
	s.sink = nil
}

// FinishWithin is Finish for the emergency exit: it gives up when a writer that
// holds the stream does not come back in time.
func (s *stream) FinishWithin(d time.Duration, r *event.Result) {
	done := make(chan struct{})
	go func() { s.Finish(r); close(done) }()
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-done:
	case <-t.C:
	}
}

// StrictFailure is what --strict makes of the first warning, nil without one.
func (s *stream) StrictFailure() *event.Failure {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.strict || len(s.warnings) == 0 {
		return nil
	}
	w := s.warnings[0]
	return &event.Failure{Class: event.WarningClass(w.Code), Reason: w.Code, Message: w.Message + " (--strict)"}
}

// write needs the mutex.
func (s *stream) write(e event.Event) {
	e.Run = s.run
	list := s.redact(e)
	for i := range list {
		if s.sink == nil {
			return
		}
		masked := &list[i]
		s.seq++
		masked.Seq, masked.Time = s.seq, s.now()
		if err := s.sink.Write(masked); err != nil {
			s.sink = nil
			s.onLost(err)
		}
	}
}
