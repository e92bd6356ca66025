package controller

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// Remote is an agent that runs elsewhere and speaks ACP over a WebSocket: one
// frame a text message.
type Remote struct {
	// URL is its address, of the scheme ws or wss. Required.
	URL string
	// Header is sent with the request that opens the connection, such as a bearer
	// token. Optional.
	Header http.Header
	// RootCAs are the certificates that a wss server is held against; nil is those
	// of the system, which SSL_CERT_FILE names. Optional.
	RootCAs *x509.CertPool
	// Timeout bounds the opening; 0 is 60 s.
	Timeout time.Duration
	// Ping is how often the agent is asked for a sign of life; 0 is 30 s.
	Ping time.Duration
}

// Open opens the connection.
func (r *Remote) Open(ctx context.Context) (Link, error) {
	limit := r.Timeout
	if limit <= 0 {
		limit = 60 * time.Second
	}
	shown := redacted(r.URL)
	dialing, cancel := context.WithTimeoutCause(ctx, limit, noAnswer(event.ClassStart, "the opening of "+shown, limit))
	defer cancel()
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		transport = &http.Transport{Proxy: http.ProxyFromEnvironment}
	}
	transport = transport.Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: r.RootCAs, MinVersion: tls.VersionTLS12}
	conn, resp, err := websocket.Dial(dialing, r.URL, &websocket.DialOptions{ //nolint:bodyclose // Dial has read and closed it
		HTTPClient: &http.Client{Transport: transport}, HTTPHeader: r.Header.Clone(), CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil {
		defer transport.CloseIdleConnections()
		if dialing.Err() != nil {
			return nil, causeFailure(context.Cause(dialing))
		}
		return nil, dialFailure(shown, resp, err)
	}
	return remote{newRemoteLink(shown, conn, transport, r.Ping)}, nil
}

// redacted is an address without its password.
func redacted(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the agent's address"
	}
	return u.Redacted()
}

// dialFailure says why there is no connection. A refusal is a matter of the
// credentials.
func dialFailure(address string, resp *http.Response, err error) *event.Failure {
	if whole, ok := errors.AsType[*url.Error](err); ok {
		err = whole.Err // the rest repeats the address, with its password
	}
	if resp == nil {
		return failf(event.ClassStart, "agent_unreachable", "cannot connect to %s: %v", address, err)
	}
	f := failf(event.ClassStart, "agent_unreachable", "%s answered %s instead of opening a WebSocket", address, resp.Status)
	if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
		f.Class, f.Reason = event.ClassAuth, "auth_required"
		f.Hints = []string{"agent: {url: ..., headers: {Authorization: \"Bearer ${TOKEN}\"}}"}
	}
	return f
}

// remoteLink is an open connection to a [Remote].
type remoteLink struct {
	address string
	jsonrpc.Transport
	http   *http.Transport
	exited chan struct{}
	once   sync.Once

	mu  sync.Mutex // guards what follows
	end error      // what ended the reading
}

func newRemoteLink(address string, conn *websocket.Conn, transport *http.Transport, ping time.Duration) *remoteLink {
	return &remoteLink{
		address: address, http: transport, exited: make(chan struct{}),
		Transport: jsonrpc.NewWebSocket(conn, &jsonrpc.WebSocketOptions{Ping: ping}),
	}
}

// ReadFrame keeps what ends the connection.
func (l *remoteLink) ReadFrame() ([]byte, error) {
	frame, err := l.Transport.ReadFrame()
	var large *jsonrpc.FrameTooLargeError
	if err != nil && !errors.As(err, &large) {
		l.ended(err)
	}
	return frame, err
}

func (l *remoteLink) ended(err error) {
	l.once.Do(func() {
		l.mu.Lock()
		l.end = err
		l.mu.Unlock()
		close(l.exited)
	})
}

// CloseWrite begins the closing handshake.
func (l *remoteLink) CloseWrite() error {
	if h, ok := l.Transport.(interface{ CloseWrite() error }); ok {
		return h.CloseWrite()
	}
	return nil
}

// Close ends the connection at once.
func (l *remoteLink) Close() error {
	err := l.Transport.Close()
	l.ended(jsonrpc.ErrClosed)
	l.http.CloseIdleConnections()
	return err
}

// remote adapts remoteLink to [Link]: a transport and a link both have a Close.
type remote struct{ *remoteLink }

func (l remote) Transport() jsonrpc.Transport { return l.remoteLink }
func (l remote) Command() []string            { return nil }
func (l remote) Address() string              { return l.address }
func (l remote) Exited() <-chan struct{}      { return l.exited }

func (l remote) Exit() Exit {
	select {
	case <-l.exited:
	default:
		return Exit{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var closed *jsonrpc.CloseError
	if errors.As(l.end, &closed) || errors.Is(l.end, jsonrpc.ErrNoPong) {
		return Exit{Err: l.end}
	}
	return Exit{}
}

// Shutdown closes the connection; the closing handshake was begun with the end of
// our writing.
func (l remote) Shutdown(context.Context) { _ = l.Close() }

func (l remote) Kill() { _ = l.Close() }
