package agentcore

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"
)

// update is the update member of one session/update.
type update map[string]any

// chain puts the updates of one session in one order: what is told has been stored
// before.
type chain struct {
	session *session
	mu      sync.Mutex // held while storing and sending
}

// commit stores records and then sends what they mean to the client. The error is
// the store's; a write that fails ends the connection instead.
func (c *chain) commit(records []record, updates ...update) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	raw := make([]json.RawMessage, len(records))
	for i := range records {
		var err error
		if raw[i], err = json.Marshal(&records[i]); err != nil {
			return storageError(err)
		}
	}
	if err := errors.Join(c.session.handle.Append(raw...), c.session.handle.Flush(context.Background())); err != nil {
		return storageError(err)
	}
	c.sendLocked(updates)
	return nil
}

// open answers with the response that makes the session known, and sends updates
// right behind it. Nothing else of the session comes between.
func (c *chain) open(answer func() error, updates func() []update) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := answer(); err != nil {
		return err
	}
	c.sendLocked(updates())
	return nil
}

// send sends updates that are no facts of the log.
func (c *chain) send(updates ...update) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sendLocked(updates)
}

func (c *chain) sendLocked(updates []update) {
	for _, u := range updates {
		c.notify("session/update", map[string]any{"sessionId": c.session.id, "update": u})
	}
}

// discard tells a client that asked for it that messages which it saw do not count.
func (c *chain) discard(ids []string) {
	if len(ids) == 0 || !c.session.conn.client.discards {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notify(attemptDiscardedMethod, map[string]any{"sessionId": c.session.id, "messageIds": ids})
}

// retrying tells a client that asked for it that a request to the model is made
// again: attempt is the one that failed, counted from 1.
func (c *chain) retrying(attempt int, delay time.Duration, reason, message string) {
	if !c.session.conn.client.retries {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notify(retryAttemptMethod, map[string]any{
		"sessionId": c.session.id, "attempt": attempt, "maxAttempts": maxAttempts, "delayMs": delay.Milliseconds(),
		"reason": reason, "message": message,
	})
}

func (c *chain) notify(method string, params any) {
	conn := c.session.conn
	conn.lost(conn.rpc.Notify(conn.ctx, method, params))
}

func (c *chain) flush() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session.handle.Flush(context.Background())
}
