package agentcore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/acpctl/acpctl/agentcore/model"
)

const (
	// maxAttempts bounds how often one request to the model is made.
	maxAttempts = 4
	// firstWait is the pause before the second attempt; it doubles with each.
	firstWait = 500 * time.Millisecond
	// maxWait bounds all pauses of one request. Beyond it the error says more than a
	// silent turn.
	maxWait = 30 * time.Second
)

// waiting is what the pauses of one request have come to.
type waiting struct {
	next time.Duration // where the provider says nothing
	left time.Duration
}

// pause says how long to wait before a request that failed is made again. The error
// is that request's, where it is not worth it: another attempt would fail as well,
// or the pause does not fit into the time that is left.
func (t *turn) pause(w *waiting, err error) (*model.Error, time.Duration, error) {
	var e *model.Error
	if !errors.As(err, &e) || !e.Retryable {
		return nil, 0, err
	}
	pause := e.RetryAfter
	if pause <= 0 {
		pause = w.next/2 + time.Duration(float64(w.next)/2*t.s.conn.core.opts.Jitter())
	}
	w.next *= 2
	if pause > w.left {
		return nil, 0, tooLong(e, pause, fmt.Sprintf("a request waits %v at most", maxWait))
	}
	if !t.until.IsZero() {
		if left := t.until.Sub(t.s.conn.core.opts.Clock()); pause >= left {
			return nil, 0, tooLong(e, pause, fmt.Sprintf("%v are left of the time limit", max(0, left).Round(time.Millisecond)))
		}
	}
	w.left -= pause
	return e, pause, nil
}

// tooLong is the error of a request that is not made again because of the pause
// before it.
func tooLong(e *model.Error, pause time.Duration, why string) *model.Error {
	told := *e
	told.Message = fmt.Sprintf("%s (it would have to wait %v, and %s)", e.Error(), pause.Round(time.Millisecond), why)
	told.RetryAfter = pause
	return &told
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
