package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync/atomic"

	"github.com/acpctl/acpctl/internal/fakemodel"
)

// serveModel is a model server for scripts. Its argument is the file that gets
// its address. Paths that begin with 401, 500, 503twice, eos or empty do what
// providers do wrong; the requests of 401 are counted in FILE.401. It serves
// until it is killed.
func serveModel(args []string) int { //nolint:unparam // an exit code; it serves until it is killed
	good := fakemodel.NewServer()
	target, err := url.Parse(good.URL)
	if err != nil {
		return 1
	}
	var refused, busy atomic.Int64
	events := func(w http.ResponseWriter, list ...string) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range list {
			fmt.Fprintf(w, "data: %s\n\n", e)
		}
	}
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.URL.Path = strings.TrimPrefix(r.In.URL.Path, "/503twice")
	}}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch part, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/"); part {
		case "401":
			_ = os.WriteFile(args[0]+".401", []byte(fmt.Sprint(refused.Add(1))), 0o600)
			http.Error(w, `{"error":{"message":"wrong key `+r.Header.Get("Authorization")+`"}}`, http.StatusUnauthorized)
		case "500":
			http.Error(w, `{"error":{"message":"oops"}}`, http.StatusInternalServerError)
		case "eos":
			events(w, `{"choices":[{"delta":{"content":"half"}}]}`, `{"choices":[{"delta":{},"finish_reason":"eos"}]}`)
		case "empty":
			events(w, `{"choices":[{"delta":{"content":""},"finish_reason":"stop"}]}`, `{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":1}}`, "[DONE]")
		case "503twice":
			if busy.Add(1) <= 2 {
				http.Error(w, "busy", http.StatusServiceUnavailable)
				return
			}
			proxy.ServeHTTP(w, r)
		default:
			proxy.ServeHTTP(w, r)
		}
	}))
	if os.WriteFile(args[0]+".new", []byte(s.URL), 0o600) != nil || os.Rename(args[0]+".new", args[0]) != nil {
		return 1
	}
	select {}
}
