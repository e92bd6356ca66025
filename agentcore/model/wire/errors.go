package wire

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/acpctl/acpctl/agentcore/model"
)

// refused sorts an answer that is no 200.
func (e *Endpoint) refused(resp *http.Response) error {
	text := e.head(resp.Body)
	message := "the provider answered " + resp.Status
	found := readProblem([]byte(text), true)
	switch {
	case found.message != "":
		message += ": " + found.message
	case text != "":
		message += ": " + shortened(text)
	}
	found.status = resp.StatusCode
	f := found.sorted(e.masked(message))
	f.RetryAfter = e.retryAfter(resp.Header)
	return f
}

// Failure finds an error object, as providers put it into a stream too; nil for
// none.
func (e *Endpoint) Failure(data []byte) error {
	found := readProblem(data, false)
	if found.message == "" {
		return nil
	}
	return found.sorted(e.masked("the provider failed: " + found.message))
}

// problem is what a provider says of a request that failed.
type problem struct {
	message string
	codes   []string // type, code and status as far as they are words
	status  int      // of HTTP; 0: not said
}

// readProblem reads {"error": {message, type, code}} and its relatives: a text,
// one in a list, and, where the answer is an error for sure, an object without
// the envelope.
func readProblem(data []byte, sure bool) problem {
	data = []byte(strings.TrimSpace(string(data)))
	if len(data) > 0 && data[0] == '[' {
		var list []json.RawMessage
		if json.Unmarshal(data, &list) != nil || len(list) == 0 {
			return problem{}
		}
		data = list[0]
	}
	var doc struct {
		Error  json.RawMessage `json:"error"`
		Object string          `json:"object"`
		Detail json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(data, &doc) != nil {
		return problem{}
	}
	switch {
	case len(doc.Error) > 0 && string(doc.Error) != "null":
		return readObject(doc.Error)
	case doc.Object == "error":
		return readObject(data)
	case sure && len(doc.Detail) > 0:
		return readObject(doc.Detail)
	case sure:
		p := readObject(data)
		if p.message == string(data) {
			p.message = ""
		}
		return p
	}
	return problem{}
}

func readObject(raw json.RawMessage) problem {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return problem{message: text}
	}
	var object map[string]any
	if json.Unmarshal(raw, &object) != nil {
		return problem{message: string(raw)}
	}
	var p problem
	p.message, _ = object["message"].(string)
	if p.message == "" {
		p.message = string(raw)
	}
	for _, name := range []string{"code", "type", "status"} {
		switch v := object[name].(type) {
		case string:
			p.codes = append(p.codes, strings.ToLower(v))
			if n, err := strconv.Atoi(v); err == nil {
				p.status = n
			}
		case float64:
			p.status = int(v)
		}
	}
	return p
}

// sorted is the error with the reason that the problem stands for.
func (p *problem) sorted(message string) *model.Error {
	f := &model.Error{Reason: model.ReasonProvider, Message: message}
	switch s := p.status; {
	case p.has("insufficient_quota", "billing", "insufficient_balance", "credit") || s == http.StatusPaymentRequired:
		f.Reason = model.ReasonRateLimited // waiting cannot help
	case s == http.StatusUnauthorized || s == http.StatusForbidden || p.has("authentication", "invalid_api_key", "permission"):
		f.Reason = model.ReasonAuth
	case s == http.StatusTooManyRequests || p.has("rate_limit", "resource_exhausted"):
		f.Reason, f.Retryable = model.ReasonRateLimited, true
	case s == http.StatusServiceUnavailable || s == 529 || p.has("overloaded", "unavailable"):
		f.Reason, f.Retryable = model.ReasonOverloaded, true
	case p.overflows():
		f.Reason = model.ReasonContextOverflow
	case s >= 500 || s == http.StatusRequestTimeout || s == http.StatusConflict || p.has("server_error", "api_error", "timeout"):
		f.Retryable = true
	}
	return f
}

// has says whether a code contains one of the words.
func (p *problem) has(words ...string) bool {
	return slices.ContainsFunc(p.codes, func(code string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(code, w) })
	})
}

// overflows recognises a request that is too long: there is a code for it at one
// provider, and words at the others.
func (p *problem) overflows() bool {
	m := strings.ToLower(p.message)
	return p.has("context_length_exceeded", "exceed_context_size") || slices.ContainsFunc([]string{
		"context length", "prompt is too long", "maximum context", "context window", "context size", "input token count",
	}, func(words string) bool { return strings.Contains(m, words) })
}

// retryAfter reads how long the provider wants us to wait: seconds or a date.
func (e *Endpoint) retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms >= 0 && ms < 1e12 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	value := h.Get("Retry-After")
	if n, err := strconv.ParseFloat(value, 64); err == nil && n >= 0 && n < 1e9 {
		return time.Duration(n * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(e.Now()))
	}
	return 0
}

// noStream is an answer of another kind: a page of a proxy, an error object.
func (e *Endpoint) noStream(resp *http.Response, kind string) error {
	text := e.head(resp.Body)
	if found := e.Failure([]byte(text)); found != nil {
		return found
	}
	return &model.Error{
		Reason:  model.ReasonProvider,
		Message: fmt.Sprintf("the provider answered %q instead of an event stream: %s", kind, shortened(text)),
	}
}
