package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// urlForm is a question of mode url: consent to open an address. An accept has no
// content and means the consent alone.
//
// ACP: elicitation/create of mode url (draft).
type urlForm struct{}

func (urlForm) fit(map[string]any) (any, json.RawMessage, error) {
	return accepted{Action: ActionAccept}, nil, nil
}

func (urlForm) refusal(action string) any { return accepted{Action: action} }

// readURL checks the address of a question and says what is odd about it.
func readURL(address string) (host string, warnings []string, err error) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return "", nil, fmt.Errorf("the url is not readable")
	case u.Scheme != "http" && u.Scheme != "https":
		return "", nil, fmt.Errorf("a url of scheme %q is not opened", u.Scheme)
	case u.Host == "":
		return "", nil, fmt.Errorf("the url has no host")
	}
	if u.Scheme == "http" {
		warnings = append(warnings, "not encrypted")
	}
	if u.User != nil {
		warnings = append(warnings, "holds a user name")
	}
	for label := range strings.SplitSeq(strings.ToLower(u.Hostname()), ".") {
		if strings.HasPrefix(label, "xn--") {
			warnings = append(warnings, "the host is spelled in Punycode")
			break
		}
	}
	for _, r := range u.Hostname() {
		if r > 127 {
			warnings = append(warnings, "the host has letters beside ASCII")
			break
		}
	}
	return u.Host, warnings, nil
}

// consents are the addresses whose opening the agent waits for, by the ids that
// it gave them. They belong to their connection.
type consents struct {
	mu   sync.Mutex // guards open
	open map[string]consent
}

type consent struct {
	ctx    context.Context //nolint:containedctx // of the opener, which runs beside everything; it ends when it is complete, or with the connection
	cancel context.CancelFunc
	url    string
	// session and request are what the question event had.
	session, request string
}

func (c *consents) add(ctx context.Context, id string, one consent) context.Context {
	one.ctx, one.cancel = context.WithCancel(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.open[id]; ok {
		old.cancel()
	}
	if c.open == nil {
		c.open = map[string]consent{}
	}
	c.open[id] = one
	return one.ctx
}

// take ends one; ok is false for an id that is not open.
func (c *consents) take(id string) (one consent, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one, ok = c.open[id]
	delete(c.open, id)
	if ok {
		one.cancel()
	}
	return one, ok
}

// clear ends all of them at once.
func (c *consents) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range c.open {
		one.cancel()
	}
	c.open = nil
}

// consented opens the address of a question that was accepted, beside everything
// else. The context of the opener ends when the agent says that it is complete.
func (c *Conn) consented(ask *urlAsk, session, request string) {
	ctx := c.consents.add(context.Background(), ask.id, consent{url: ask.address, session: session, request: request})
	c.open(ctx, ask.address)
}

func (c *Conn) open(ctx context.Context, address string) {
	if c.opts.OpenURL == nil {
		return
	}
	go c.guarded("OpenURL", func() {
		if err := c.opts.OpenURL(ctx, address); err != nil && ctx.Err() == nil {
			c.warn("url_not_opened", "the address could not be opened: "+err.Error())
		}
	})
}

// OpenAgain opens an address that was consented to once more, while the agent
// waits for it. No second response is sent.
func (c *Conn) OpenAgain(elicitationID string) error {
	c.consents.mu.Lock()
	one, ok := c.consents.open[elicitationID]
	c.consents.mu.Unlock()
	if !ok {
		return failf(event.ClassUsage, "unknown_elicitation", "no address is open under the id %q", elicitationID)
	}
	c.open(one.ctx, one.url)
	return nil
}

// completed takes the notice that an address was visited. Ids that are not open
// on this connection do nothing.
//
// ACP: elicitation/complete.
func (c *Conn) completed(n *jsonrpc.Notification) {
	id := jsonString(members(n.Params)["elicitationId"])
	one, ok := c.consents.take(id)
	if !ok {
		return
	}
	body := event.QuestionComplete{RequestID: one.request, ElicitationID: id}
	if s, _ := c.lookup(one.session); s != nil {
		s.received(func() { s.show(body) })
		return
	}
	c.emit(body)
}

// urlAsk is a question of mode url.
type urlAsk struct{ id, address string }
