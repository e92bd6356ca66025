package mcp

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxRedirects is what browsers and Go's client allow, too.
const maxRedirects = 10

// web is the HTTP side of one server.
type web struct {
	base    *http.Transport
	headers []Pair
	origin  *url.URL

	mu    sync.Mutex
	conns map[net.Conn]bool // open ones, guarded by mu
}

// newWeb returns the client of an HTTP server. Proxies are those that the
// environment names, as for every HTTP client of Go.
func newWeb(s *Server) (*web, error) {
	origin, err := url.Parse(s.URL)
	if err != nil {
		return nil, errors.New("the URL cannot be read")
	}
	w := &web{headers: s.Headers, origin: origin, conns: map[net.Conn]bool{}}
	w.base = &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, DialContext: w.dial}
	return w, nil
}

func (w *web) transport(s *Server) sdk.Transport {
	client := &http.Client{Transport: w, CheckRedirect: w.checkRedirect}
	// The standing stream for messages of the server is left out: the SDK opens it
	// while connecting, without a time limit.
	return &sdk.StreamableClientTransport{Endpoint: s.URL, HTTPClient: client, DisableStandaloneSSE: true}
}

// RoundTrip adds the declared headers as they are.
func (w *web) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	for _, h := range w.headers {
		req.Header.Del(h.Name)
	}
	for _, h := range w.headers {
		req.Header.Add(h.Name, h.Value)
		if strings.EqualFold(h.Name, "Host") {
			req.Host = h.Value
		}
	}
	return w.base.RoundTrip(req)
}

// checkRedirect keeps the headers, which are credentials more often than not, on
// the server they were declared for.
func (w *web) checkRedirect(req *http.Request, via []*http.Request) error {
	switch {
	case len(via) >= maxRedirects:
		return errors.New("too many redirects")
	case req.URL.Scheme != w.origin.Scheme || req.URL.Host != w.origin.Host:
		return errors.New("the server redirects to another host")
	}
	return nil
}

func (w *web) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conns == nil {
		closeAll(c)
		return nil, net.ErrClosed
	}
	tracked := &trackedConn{Conn: c, web: w}
	w.conns[tracked] = true
	return tracked, nil
}

// close ends every connection, also those with a request under way.
func (w *web) close() {
	w.mu.Lock()
	conns := w.conns
	w.conns = nil
	w.mu.Unlock()
	for c := range conns {
		closeAll(c)
	}
	w.base.CloseIdleConnections()
}

// trackedConn forgets itself when it is closed.
type trackedConn struct {
	net.Conn
	web *web
}

func (c *trackedConn) Close() error {
	c.web.mu.Lock()
	delete(c.web.conns, c)
	c.web.mu.Unlock()
	return c.Conn.Close()
}
