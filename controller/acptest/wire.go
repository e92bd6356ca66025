package acptest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// wire carries lines between the agent and its client.
type wire interface {
	// read returns the next line; io.EOF at the end.
	read() ([]byte, error)
	// write sends a line. It may be held back until flush.
	write(line []byte) error
	// partial sends a line without its end. Nothing can follow.
	partial(line []byte) error
	flush() error
}

// frames is the wire of an agent in process.
type frames struct {
	ctx context.Context //nolint:containedctx // of the one call that plays
	t   jsonrpc.Transport
}

func (w *frames) read() ([]byte, error)   { return w.t.ReadFrame() }
func (w *frames) write(line []byte) error { return w.t.WriteFrame(w.ctx, bytes.Clone(line)) }
func (w *frames) partial(line []byte) error {
	return errors.Join(w.write(line), w.t.Close())
}
func (w *frames) flush() error { return nil }

// stdio is the wire of an agent that is a process.
type stdio struct {
	in  *bufio.Reader
	out *bufio.Writer
}

func newStdio(in io.Reader, out io.Writer) *stdio {
	return &stdio{bufio.NewReaderSize(in, 64<<10), bufio.NewWriterSize(out, 64<<10)}
}

func (w *stdio) read() ([]byte, error) {
	line, err := w.in.ReadBytes('\n')
	if len(line) > 0 && errors.Is(err, io.EOF) {
		err = nil
	}
	return bytes.TrimRight(line, "\r\n"), err
}

func (w *stdio) write(line []byte) error {
	_, _ = w.out.Write(line)
	return w.out.WriteByte('\n')
}

func (w *stdio) partial(line []byte) error {
	_, err := w.out.Write(line)
	return errors.Join(err, w.out.Flush())
}

func (w *stdio) flush() error { return w.out.Flush() }
