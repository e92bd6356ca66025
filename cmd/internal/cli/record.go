package cli

import (
	"errors"
	"os"
	"sync"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/controller/transcript"
	"github.com/acpctl/acpctl/output"
)

// recorder writes the frames of a run to a file, with the secrets masked.
type recorder struct {
	file   *os.File
	frames *output.Frames
	writer *transcript.Writer

	mu  sync.Mutex // keeps the parts of one frame together; guards err
	err error
}

// newRecorder makes the file, which is the user's alone; nil without a path.
func (a *app) newRecorder(path string, r *output.Redactor) (*recorder, error) {
	if path == "" {
		return nil, nil //nolint:nilnil // no recording is asked for
	}
	file, err := os.OpenFile(a.abs(path), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, usageErrorf("--record: %v", err)
	}
	w, err := transcript.NewWriter(file, transcript.Header{Acpctl: version(), ACP: 1}, &transcript.WriterOptions{Clock: a.env.Now})
	if err != nil {
		return nil, usageErrorf("--record: %v", errors.Join(err, file.Close()))
	}
	return &recorder{file: file, frames: r.NewFrames(), writer: w}, nil
}

// tap is the controller's, nil without a recording.
func (r *recorder) tap() func(dir string, frame []byte) {
	if r == nil {
		return nil
	}
	return func(dir string, frame []byte) {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, f := range r.frames.Mask(frame) {
			r.note(r.writer.Frame(transcript.Direction(dir), f))
		}
	}
}

// note keeps the first error. It needs the mutex.
func (r *recorder) note(err error) {
	if r.err == nil {
		r.err = err
	}
}

// close ends the recording. A recording that is not whole fails a run that went
// well otherwise: who asked for it counts on it.
func (r *recorder) close() *event.Failure {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.frames.Flush() {
		r.note(r.writer.Frame(transcript.In, f))
	}
	r.note(r.file.Close())
	if r.err == nil {
		return nil
	}
	return &event.Failure{Class: event.ClassInternal, Reason: "record_failed", Message: r.err.Error(), Err: r.err}
}
