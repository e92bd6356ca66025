package jsonrpc

// handle runs the caller's code for one task. Once the connection is closed only
// calls are still settled.
func (c *Conn) handle(t *task) {
	closed := c.ctx.Err() != nil
	switch {
	case t.resp != nil:
		c.settle(t.resp, closed)
	case closed:
	case t.note != nil:
		defer c.guard()
		c.opts.Handler.HandleNotification(c.ctx, t.note)
	case t.req != nil:
		c.serve(t.req)
	case t.junk != nil:
		defer c.guard()
		c.opts.OnJunk(*t.junk)
	}
}

// serve runs the handler of one request and answers for it if it did not.
func (c *Conn) serve(r *Request) {
	returned := false
	defer func() {
		switch {
		case !returned:
			r.answerFor("the handler panicked", "handler_panic")
		case !r.isDetached():
			r.answerFor("the request was not answered", "not_answered")
		}
	}()
	defer c.guard()
	c.opts.Handler.HandleRequest(r.ctx, r)
	returned = true
}
