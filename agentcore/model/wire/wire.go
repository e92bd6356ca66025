// Package wire is what the providers over HTTP share: one request that is
// answered by an event stream, its errors sorted, and tool calls that come in
// fragments.
package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

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

// broken is a connection that failed: worth another attempt, unless it was us.
func (e *Endpoint) broken(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, sse.ErrTooLarge) {
		return &model.Error{Reason: model.ReasonProvider, Message: err.Error()}
	}
	return &model.Error{Reason: model.ReasonProvider, Message: e.masked("the connection to the provider failed: " + err.Error()), Retryable: true}
}

// noStream is an answer of another kind: a page of a proxy, an error object.
func (e *Endpoint) noStream(resp *http.Response, kind string) error {
	text := e.head(resp.Body)
	if found := e.Failure([]byte(text)); found != nil {
		return found
	}
	return &model.Error{Reason: model.ReasonProvider, Message: fmt.Sprintf("the provider answered %q instead of an event stream: %s", kind, text)}
}

// head is the beginning of a body as text, without the key.
func (e *Endpoint) head(body io.Reader) string {
	raw, _ := io.ReadAll(io.LimitReader(body, 64<<10))
	text := strings.ToValidUTF8(string(raw), "\ufffd")
	if len(text) > shownBody && !json.Valid(raw) {
		text = text[:shownBody]
		for !utf8.ValidString(text) {
			text = text[:len(text)-1]
		}
	}
	return e.masked(text)
}

func (e *Endpoint) masked(text string) string {
	if len(e.Key) < 6 {
		return text
	}
	return strings.ReplaceAll(text, e.Key, "***")
}

// refused sorts an answer that is no 200.
func (e *Endpoint) refused(resp *http.Response) error {
	text := e.head(resp.Body)
	f := &model.Error{Reason: model.ReasonProvider, Message: fmt.Sprintf("the provider answered %s", resp.Status)}
	code := ""
	if found, c := e.errorObject([]byte(text)); found != "" {
		f.Message += ": " + found
		code = c
	} else if text != "" {
		f.Message += ": " + strings.TrimSpace(text[:min(len(text), shownBody)])
	}
	f.RetryAfter = e.retryAfter(resp.Header)
	switch s := resp.StatusCode; {
	case s == http.StatusUnauthorized || s == http.StatusForbidden:
		f.Reason = model.ReasonAuth
	case unpayable(code):
		f.Reason = model.ReasonRateLimited
	case s == http.StatusTooManyRequests:
		f.Reason, f.Retryable = model.ReasonRateLimited, true
	case s == http.StatusServiceUnavailable || s == 529:
		f.Reason, f.Retryable = model.ReasonOverloaded, true
	case s >= 500 || s == http.StatusRequestTimeout || s == http.StatusConflict:
		f.Retryable = true
	case overflows(f.Message, code):
		f.Reason = model.ReasonContextOverflow
	}
	if f.Retryable && f.RetryAfter > time.Minute {
		f.Retryable = false
		f.Message += fmt.Sprintf(" (it asks to wait %s, which is longer than a request waits)", f.RetryAfter)
	}
	return f
}

// unpayable says whether waiting cannot help.
func unpayable(code string) bool {
	return code == "insufficient_quota" || code == "billing_hard_limit_reached" || code == "billing_error"
}

func overflows(message, code string) bool {
	m := strings.ToLower(message)
	return code == "context_length_exceeded" || strings.Contains(m, "context length") || strings.Contains(m, "prompt is too long") ||
		strings.Contains(m, "maximum context")
}

// retryAfter reads how long the provider wants us to wait: seconds or a date.
func (e *Endpoint) retryAfter(h http.Header) time.Duration {
	value := h.Get("Retry-After")
	if n, err := strconv.ParseFloat(value, 64); err == nil && n >= 0 && n < 1e9 {
		return time.Duration(n * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(e.Now()))
	}
	return 0
}

// Failure finds an error object, as providers put it into a stream too; nil for
// none.
func (e *Endpoint) Failure(data []byte) error {
	message, code := e.errorObject(data)
	if message == "" {
		return nil
	}
	f := &model.Error{Reason: model.ReasonProvider, Message: "the provider failed: " + message}
	switch {
	case strings.Contains(code, "overloaded"):
		f.Reason, f.Retryable = model.ReasonOverloaded, true
	case unpayable(code):
		f.Reason = model.ReasonRateLimited
	case strings.Contains(code, "rate_limit"):
		f.Reason, f.Retryable = model.ReasonRateLimited, true
	case strings.Contains(code, "authentication") || code == "invalid_api_key" || strings.Contains(code, "permission"):
		f.Reason = model.ReasonAuth
	case overflows(message, code):
		f.Reason = model.ReasonContextOverflow
	case strings.Contains(code, "server_error") || strings.Contains(code, "api_error"):
		f.Retryable = true
	}
	return f
}

// errorObject reads {"error": {message, type, code}} and its relatives.
func (e *Endpoint) errorObject(data []byte) (message, code string) {
	var doc struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(data, &doc) != nil || len(doc.Error) == 0 || string(doc.Error) == "null" {
		return "", ""
	}
	var text string
	if json.Unmarshal(doc.Error, &text) == nil {
		return e.masked(text), ""
	}
	var object struct {
		Message string `json:"message"`
		Type    string `json:"type"`
		Code    any    `json:"code"`
	}
	if json.Unmarshal(doc.Error, &object) != nil {
		return e.masked(string(doc.Error)), ""
	}
	code = object.Type
	if s, ok := object.Code.(string); ok && s != "" {
		code = s
	}
	if object.Message == "" {
		object.Message = string(doc.Error)
	}
	return e.masked(object.Message), code
}
