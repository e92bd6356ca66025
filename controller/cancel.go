package controller

import (
	"context"
	"time"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// killWait is how long a prompt waits to see its connection gone after the agent
// was killed.
const killWait = time.Second

// await returns when the turn is over, cancelling it where that is due.
func (t *turn) await() {
	for {
		select {
		case <-t.done:
			return
		case <-t.halted:
			t.windDown()
			return
		case <-t.idle.fired():
			t.checkIdle()
		}
	}
}

// windDown cancels the turn: open requests of the agent are answered cancelled,
// session/cancel is sent once, and the agent's own answer is awaited. Half a
// grace time later than it should have come, the connection is closed.
//
// ACP: session/cancel.
func (t *turn) windDown() {
	grace := t.s.c.opts.Grace(t.cause())
	if t.sendCancel(grace) {
		return
	}
	if t.cancelPrompt(grace / 2) {
		return
	}
	t.s.c.link.Kill()
	waitFor(context.Background(), t.done, killWait)
	t.finish(ending{unconfirmed: true})
}

// sendCancel tells the agent to cancel and waits d for the turn's end.
func (t *turn) sendCancel(d time.Duration) (over bool) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	waitDone(ctx, t.unanswered.idle()) // they are told cancelled before the cancel itself is sent
	if err := t.s.c.rpc.NotifyDiagnostic(ctx, "session/cancel", map[string]any{"sessionId": t.s.id}); err != nil {
		t.s.c.opts.Logf("sending session/cancel: %v", err)
	}
	t.showCancelled(ctx)
	return waitDone(ctx, t.done)
}

// showCancelled makes the snapshot show open tool calls as cancelled.
func (t *turn) showCancelled(ctx context.Context) {
	select {
	case t.s.c.stage <- struct{}{}:
		defer t.s.c.stage.leave()
		if !t.finished {
			t.s.proj.CancelOpen()
		}
	case <-ctx.Done():
	}
}

// cancelPrompt withdraws the prompt itself and waits d for the turn's end.
func (t *turn) cancelPrompt(d time.Duration) (over bool) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	if id, ok := t.requestID(); ok {
		if err := t.s.c.rpc.CancelRequest(ctx, id); err != nil {
			t.s.c.opts.Logf("cancelling the prompt: %v", err)
		}
	}
	return waitDone(ctx, t.done)
}

// sent keeps the prompt's request id.
func (t *turn) sent(id jsonrpc.ID) {
	t.s.c.mu.Lock()
	defer t.s.c.mu.Unlock()
	t.promptID = id
}

func (t *turn) requestID() (jsonrpc.ID, bool) {
	t.s.c.mu.Lock()
	defer t.s.c.mu.Unlock()
	return t.promptID, !t.promptID.IsZero()
}

func waitDone(ctx context.Context, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}

// checkIdle ends a turn whose agent was silent for too long. While something is
// being emitted, or one of the agent's requests waits for us, it is not the
// agent that is silent.
func (t *turn) checkIdle() {
	if !t.s.c.stage.tryEnter() {
		t.idle.touch()
		return
	}
	defer t.s.c.stage.leave()
	if !t.idle.over() {
		return
	}
	limit := t.idle.limit
	t.s.show(event.Limit{Name: "idle", Value: float64(limit.Milliseconds()), Max: float64(limit.Milliseconds())})
	t.stop(failf(event.ClassTimeout, "idle", "the agent was silent for %s", limit))
}
