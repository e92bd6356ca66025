package jsonrpc

// writeLoop writes until the connection is closed.
func (c *Conn) writeLoop() {
	for s := c.out.take(); s != nil; s = c.out.take() {
		c.write(s)
	}
}

func (c *Conn) write(s *sending) {
	frame := s.parts.join()
	s.parts = frameParts{}
	c.tap(Out, frame)
	err := c.writeFrame(frame, SendOptions{DiagnosticOnly: s.diagnostic})
	if err == nil && s.then != nil {
		func() {
			defer c.guard()
			s.then()
		}()
	}
	s.settle(c.sendError(err))
}

// writeFrame ends the connection when the transport makes no progress.
func (c *Conn) writeFrame(frame []byte, opts SendOptions) error {
	c.stall.start()
	defer c.stall.stop()
	if t, ok := c.t.(optionSender); ok {
		return t.WriteFrameWith(c.ctx, frame, opts)
	}
	return c.t.WriteFrame(c.ctx, frame)
}

// progress is 0 for a transport that does not count: then every write is one step.
func (c *Conn) progress() int64 {
	if p, ok := c.t.(progresser); ok {
		return p.progress()
	}
	return 0
}

// sendError says what a failed write means.
func (c *Conn) sendError(err error) *SendError {
	switch {
	case err == nil:
		return nil
	case c.ctx.Err() != nil:
		return &SendError{State: Unknown, Err: c.lost()}
	case isGone(err):
		return &SendError{State: Unknown, Err: &ConnError{Err: err}}
	default:
		return &SendError{State: Unknown, Err: err}
	}
}
