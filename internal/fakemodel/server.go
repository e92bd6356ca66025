package fakemodel

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"time"
)

// pause is how long a slow answer takes for a word.
const pause = 150 * time.Millisecond

// Server is a running model server.
type Server struct {
	URL string // without a path
	// Requests counts those for an answer.
	Requests atomic.Int64

	http *httptest.Server
	ids  atomic.Int64
}

// NewServer starts a server on this machine; Close ends it.
func NewServer() *Server {
	s := &Server{}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.http.URL
	return s
}

// Close ends the server and its connections.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	if r.Method != http.MethodPost {
		s.models(w, path)
		return
	}
	body := map[string]any{}
	if raw, err := io.ReadAll(r.Body); err != nil || json.Unmarshal(raw, &body) != nil {
		http.Error(w, "no JSON", http.StatusBadRequest)
		return
	}
	stream, _ := body["stream"].(bool)
	a := &answer{s: s, w: w, done: r.Context().Done(), stream: stream || strings.Contains(path, "streamGenerateContent")}
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		s.Requests.Add(1)
		a.chat(readChat(body).Plan())
	case strings.HasSuffix(path, "/responses"):
		s.Requests.Add(1)
		req := readResponses(body)
		a.responses(req.Plan(), req)
	case strings.HasSuffix(path, "enerateContent"):
		s.Requests.Add(1)
		a.gemini(readGemini(body).Plan())
	case strings.HasSuffix(path, ":countTokens"):
		a.whole(map[string]any{"totalTokens": 100})
	default:
		http.Error(w, `{"error":{"message":"no such path"}}`, http.StatusNotFound)
	}
}

// models lists the one model.
func (s *Server) models(w http.ResponseWriter, path string) {
	a := &answer{s: s, w: w}
	if strings.HasPrefix(path, "/v1beta") {
		a.whole(map[string]any{"models": []any{map[string]any{"name": "models/fake"}}})
		return
	}
	a.whole(map[string]any{"object": "list", "data": []any{map[string]any{"id": "fake", "object": "model"}}})
}

// answer writes one response.
type answer struct {
	s      *Server
	w      http.ResponseWriter
	done   <-chan struct{}
	stream bool
}

func (a *answer) id(prefix string) string { return fmt.Sprintf("%s_%d", prefix, a.s.ids.Add(1)) }

func (a *answer) whole(v any) {
	a.w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(a.w).Encode(v)
}

// event sends one event of a stream; name may be empty.
func (a *answer) event(name string, v any) {
	h := a.w.Header()
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", "text/event-stream")
	}
	if name != "" {
		fmt.Fprintf(a.w, "event: %s\n", name)
	}
	text, ok := v.(string)
	if !ok {
		raw, _ := json.Marshal(v)
		text = string(raw)
	}
	fmt.Fprintf(a.w, "data: %s\n\n", text)
	if f, ok := a.w.(http.Flusher); ok {
		f.Flush()
	}
}

// pieces gives the texts of a step to say, slow ones with pauses; it stops when
// the client is gone.
func (a *answer) pieces(step Step, say func(text string)) {
	if !step.Slow {
		say(step.Text)
		return
	}
	for word := range strings.SplitAfterSeq(step.Text, " ") {
		say(word)
		t := time.NewTimer(pause)
		select {
		case <-t.C:
		case <-a.done:
			t.Stop()
			return
		}
	}
}

func arguments(step Step) string {
	raw, _ := json.Marshal(step.Args)
	return string(raw)
}

// text joins what a message's content says.
func text(content any) string {
	if s, ok := content.(string); ok {
		return s
	}
	var out strings.Builder
	parts, _ := content.([]any)
	for _, part := range parts {
		p, _ := part.(map[string]any)
		s, _ := p["text"].(string)
		out.WriteString(s)
	}
	return out.String()
}

func (r *Request) add(text string, result bool) {
	r.Texts, r.Results = append(r.Texts, text), append(r.Results, result)
}
