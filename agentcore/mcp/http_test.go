//go:build unix

package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/acpctl/acpctl/agentcore/mcp"
	"github.com/acpctl/acpctl/agentcore/tool"
)

// httpServer runs a handler around the test server; it is closed with the test.
func httpServer(t *testing.T, wrap func(http.Handler) http.Handler) *httptest.Server {
	t.Helper()
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return newServer([]string{"many=12"}) }, nil)
	s := httptest.NewServer(wrap(handler))
	t.Cleanup(s.Close)
	return s
}

func TestAC51_HTTPServerGetsHeadersLiterally(t *testing.T) {
	t.Parallel()
	wrong := make(chan string, 100)
	s := httpServer(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if got := fmt.Sprintf("%q", append(r.Header.Values("X-Multi"), r.Header.Get("Authorization"), r.Header.Get("User-Agent"))); got != `["a  b" "c" "Bearer tok-77" "mine/1"]` {
				wrong <- r.Method + " " + got
			}
			next.ServeHTTP(w, r)
		})
	})
	m := mount(t, testOptions(t), mcp.Server{Name: "web", Transport: mcp.HTTP, URL: s.URL + "/mcp", Headers: []mcp.Pair{
		{Name: "Authorization", Value: "Bearer tok-77"}, {Name: "X-Multi", Value: "a  b"}, {Name: "X-Multi", Value: "c"}, {Name: "user-agent", Value: "mine/1"},
	}})
	if n := len(m.Tools()); n != 12+9 {
		t.Errorf("got %d tools", n)
	}
	if r := call(t.Context(), t, m, "mcp__web__echo", `{"a":1}`); r.Text != `{"a":1}` {
		t.Errorf("got %+v", r)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	close(wrong)
	for w := range wrong {
		t.Errorf("a request came with other headers: %s", w)
	}
}

func TestHTTPServerThatRefuses(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(s.Close)
	_, err := mcp.Connect(t.Context(), []mcp.Server{{Name: "web", Transport: mcp.HTTP, URL: s.URL}}, testOptions(t))
	var failed *mcp.ConnectError
	if !errors.As(err, &failed) || failed.Server != "web" || !strings.Contains(err.Error(), "Not Found") {
		t.Errorf("got %v", err)
	}
}

func TestHeadersDoNotFollowARedirectElsewhere(t *testing.T) {
	t.Parallel()
	reached := make(chan string, 10)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { reached <- r.Header.Get("Authorization") }))
	t.Cleanup(other.Close)
	s := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(s.Close)
	_, err := mcp.Connect(t.Context(), []mcp.Server{{Name: "web", Transport: mcp.HTTP, URL: s.URL, Headers: []mcp.Pair{{Name: "Authorization", Value: "x"}}}}, testOptions(t))
	if err == nil || !strings.Contains(err.Error(), "redirects to another host") || len(reached) > 0 {
		t.Errorf("got %v, %d requests elsewhere", err, len(reached))
	}
}

func TestCloseDoesNotWaitForAnHTTPServerThatHangs(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := httpServer(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodDelete {
				<-release
			}
			next.ServeHTTP(w, r)
		})
	})
	m := mount(t, testOptions(t), mcp.Server{Name: "web", Transport: mcp.HTTP, URL: s.URL})
	done := make(chan tool.Result, 1)
	go func() { done <- call(context.Background(), t, m, "mcp__web__wait", "{}") }()
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if r := <-done; !r.IsError {
		t.Errorf("got %+v", r)
	}
	close(release)
}

// rawServer answers with the JSON text as it stands, which no library would write.
func rawServer(t *testing.T, result string) *httptest.Server {
	t.Helper()
	results := map[string]string{
		"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"1"}}`,
		"tools/list": `{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`,
		"tools/call": result,
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			ID     json.RawMessage
			Method string
		}
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil || req.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, req.ID, results[req.Method])
	}))
	t.Cleanup(s.Close)
	return s
}

func TestF20b_HalfASurrogatePairBecomesValidText(t *testing.T) {
	t.Parallel()
	s := rawServer(t, `{"content":[{"type":"text","text":"bad \ud800 half"}],"structuredContent":{"k":"\ud800"}}`)
	m := mount(t, testOptions(t), mcp.Server{Name: "raw", Transport: mcp.HTTP, URL: s.URL})
	r := call(t.Context(), t, m, "mcp__raw__t", "{}")
	if r.IsError || !utf8.ValidString(r.Text) || !strings.HasPrefix(r.Text, "bad \ufffd") || !strings.HasSuffix(r.Text, " half") {
		t.Errorf("got %+q", r.Text)
	}
	if !utf8.Valid(r.RawOutput) || !json.Valid(r.RawOutput) {
		t.Errorf("raw output %+q", r.RawOutput)
	}
}
