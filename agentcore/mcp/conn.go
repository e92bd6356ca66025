package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// protocolVersion is the newest one that begins with initialize. The SDK would
	// try a request of a later version first, at which older stdio servers end
	// or keep silent.
	protocolVersion = "2025-11-25"
	// maxTools bounds the list of one server: a server that hands out a cursor
	// for ever must not fill the memory.
	maxTools = 1000
	// closeGrace bounds the farewell of an HTTP server.
	closeGrace = time.Second
)

// conn is one life of a server: from start to end of its process or HTTP session.
type conn struct {
	session *sdk.ClientSession
	proc    *process // nil: HTTP
	web     *web     // nil: stdio
	lost    chan struct{}
	changed chan struct{} // the server says that its tools changed
}

// dial starts or reaches a server. Ctx bounds the handshake alone. The error is a
// [*ConnectError].
func dial(ctx context.Context, s *Server, o *Options) (*conn, error) {
	c := &conn{lost: make(chan struct{}), changed: make(chan struct{}, 1)}
	transport, err := c.transport(ctx, s, o)
	if err != nil {
		return nil, &ConnectError{Server: s.Name, Err: err}
	}
	client := sdk.NewClient(&sdk.Implementation{Name: o.Name, Version: o.Version}, &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {
			select {
			case c.changed <- struct{}{}:
			default: // one is waiting already
			}
		},
	})
	c.session, err = client.Connect(ctx, transport, &sdk.ClientSessionOptions{ProtocolVersion: protocolVersion})
	if err != nil {
		return nil, c.fail(ctx, s, err)
	}
	go func() {
		defer close(c.lost)
		_ = c.session.Wait() // why it ended is in the calls that failed, and in the exit status
	}()
	return c, nil
}

func (c *conn) transport(ctx context.Context, s *Server, o *Options) (sdk.Transport, error) {
	var err error
	if s.Transport == HTTP {
		if c.web, err = newWeb(s); err != nil {
			return nil, err
		}
		return c.web.transport(s), nil
	}
	if c.proc, err = startProcess(ctx, s, o); err != nil {
		return nil, err
	}
	out := struct {
		io.Reader
		io.Closer
	}{newFrames(c.proc.stdout, c.proc.errors), c.proc.stdout}
	return &sdk.IOTransport{Reader: out, Writer: c.proc.stdin}, nil
}

// fail closes a connection that did not come about and says why: the end of the
// process tells more than the end of its output.
func (c *conn) fail(ctx context.Context, s *Server, err error) *ConnectError {
	failed := &ConnectError{Server: s.Name, Err: err}
	switch {
	case ctx.Err() != nil:
		failed.Err = context.Cause(ctx)
	case c.proc != nil && isHangup(err) && c.proc.waits(2*drainGrace):
		failed.Err = errors.New("the process ended: " + c.proc.exit)
	}
	c.close()
	if c.proc != nil {
		failed.Stderr = c.proc.errors.text()
	}
	return failed
}

// isHangup reports whether an error is the end of a stream.
func isHangup(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, sdk.ErrConnectionClosed) || errors.Is(err, syscall.EPIPE)
}

// loss says why a connection was lost.
func (c *conn) loss() string {
	reason := "the connection is lost"
	if c.proc == nil {
		return reason
	}
	if c.proc.waits(2 * drainGrace) {
		reason = "the process ended: " + c.proc.exit
	}
	if stderr := c.proc.errors.text(); stderr != "" {
		reason += "; stderr: " + stderr
	}
	return reason
}

// tools lists all pages of the server's tools.
func (c *conn) tools(ctx context.Context) ([]*sdk.Tool, error) {
	if caps := c.session.InitializeResult().Capabilities; caps == nil || caps.Tools == nil {
		return nil, nil
	}
	var tools []*sdk.Tool
	for t, err := range c.session.Tools(ctx, nil) {
		if err != nil {
			return nil, fmt.Errorf("listing tools: %w", err)
		}
		if len(tools) == maxTools {
			return nil, fmt.Errorf("listing tools: there are more than %d", maxTools)
		}
		tools = append(tools, t)
	}
	return tools, nil
}

func (c *conn) call(ctx context.Context, name string, args json.RawMessage) (*sdk.CallToolResult, error) {
	return c.session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: args})
}

// close ends the server and returns when nothing of it is left.
func (c *conn) close() {
	if c.proc != nil {
		c.proc.stop() // first: the session's own end waits for calls under way
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		if c.session != nil {
			_ = c.session.Close() // a server that is gone cannot be told goodbye
		}
	}()
	if c.web != nil {
		timer := time.NewTimer(closeGrace)
		select {
		case <-closed:
		case <-timer.C:
		}
		timer.Stop()
		c.web.close()
	}
	<-closed
	if c.session != nil {
		<-c.lost
	}
}
