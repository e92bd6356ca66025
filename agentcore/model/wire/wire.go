// Package wire is what the providers over HTTP share: one request that is
// answered by an event stream, its errors sorted, and tool calls that come in
// fragments.
package wire

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/acpctl/acpctl/agentcore/model"
	"github.com/acpctl/acpctl/agentcore/model/sse"
)

// Endpoint is where a provider is and how one proves who one is.
type Endpoint struct {
	URL    string
	Header http.Header
	Key    string // is masked in errors
	Client *http.Client
	Now    func() time.Time
}

// shownBody is how much of an answer that is no event stream an error shows.
const shownBody = 300

// NewClient is a client for endpoints. It follows no redirection: the key would go
// with it.
func NewClient(transport http.RoundTripper) *http.Client {
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// Post sends one request and iterates over the events of the answer. Errors are
// *[model.Error].
func (e *Endpoint) Post(ctx context.Context, body any) iter.Seq2[sse.Event, error] {
	return func(yield func(sse.Event, error) bool) {
		resp, err := e.send(ctx, body)
		if err != nil {
			yield(sse.Event{}, err)
			return
		}
		defer func() { _ = resp.Body.Close() }()
		for event, err := range sse.Read(resp.Body) {
			if err != nil {
				yield(sse.Event{}, e.broken(ctx, err))
				return
			}
			if !yield(event, nil) {
				return
			}
		}
	}
}

func (e *Endpoint) send(ctx context.Context, body any) (*http.Response, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL, bytes.NewReader(raw))
	if err != nil {
		return nil, &model.Error{Reason: model.ReasonProvider, Message: e.masked("the address of the provider is not usable: " + err.Error())}
	}
	req.Header = e.Header.Clone()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	resp, err := e.Client.Do(req)
	if err != nil {
		return nil, e.broken(ctx, err)
	}
	if resp.StatusCode != http.StatusOK {
		defer func() { _ = resp.Body.Close() }()
		return nil, e.refused(resp)
	}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind != "text/event-stream" {
		defer func() { _ = resp.Body.Close() }()
		return nil, e.noStream(resp, kind)
	}
	return resp, nil
}

// broken is a connection that failed: worth another attempt, unless it was us, or
// the same would come again.
func (e *Endpoint) broken(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, sse.ErrTooLarge) {
		return &model.Error{Reason: model.ReasonProvider, Message: err.Error()}
	}
	dns, isDNS := errors.AsType[*net.DNSError](err)
	_, isTrust := errors.AsType[*tls.CertificateVerificationError](err)
	return &model.Error{
		Reason: model.ReasonProvider, Message: e.masked("the connection to the provider failed: " + err.Error()),
		Retryable: !isTrust && (!isDNS || !dns.IsNotFound),
	}
}

// head is the beginning of a body as text; an object of an error is whole.
func (e *Endpoint) head(body io.Reader) string {
	raw, _ := io.ReadAll(io.LimitReader(body, 64<<10))
	text := strings.ToValidUTF8(string(raw), "\ufffd")
	if !json.Valid(raw) {
		text = shortened(text)
	}
	return e.masked(text)
}

// shortened is the beginning of a text.
func shortened(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > shownBody {
		text = strings.ToValidUTF8(text[:shownBody], "") + "…"
	}
	return text
}

// masked takes out what proves who we are: the key, and what stands in the
// address beside its host and path.
func (e *Endpoint) masked(text string) string {
	for _, secret := range e.secrets() {
		if len(secret) >= 6 {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	return text
}

func (e *Endpoint) secrets() []string {
	list := []string{e.Key}
	u, err := url.Parse(e.URL)
	if err != nil {
		return append(list, e.URL)
	}
	if u.User != nil {
		password, _ := u.User.Password()
		list = append(list, u.User.String(), u.User.Username(), password)
	}
	if u.RawQuery != "" {
		list = append(list, u.RawQuery)
	}
	return list
}
