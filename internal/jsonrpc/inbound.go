package jsonrpc

import "sync"

// task is something read, in line to be handled. One of the pointers is set.
type task struct {
	size int // bytes that count against Options.QueueBytes
	note *Notification
	req  *Request
	resp *response
	junk *Junk
}

// keyLine is the line of one key, which has a goroutine while it is there.
type keyLine struct {
	tasks fifo[task]

	// Of its goroutine: a task was handled and is to be discounted.
	busy bool
	size int
}

// inbound is the reading half of a Conn, guarded by its mutex.
type inbound struct {
	lines  map[string]*keyLine
	frames int // queued or being handled
	bytes  int

	requests map[*Request]struct{} // not answered
	byID     map[ID]*Request       // the newest of each id
	inflight int                   // requests and refusals that are not answered

	space   sync.Cond // signalled when a waiting reader may go on
	waiting bool
	stopped bool // from this side
	ended   bool // the reader put its last task in line
}

func (in *inbound) prepare(mu *sync.Mutex) {
	in.lines = map[string]*keyLine{}
	in.requests, in.byID = map[*Request]struct{}{}, map[ID]*Request{}
	in.space.L = mu
}

// waitFor blocks the reader until ready says yes or the connection is stopped. It
// needs the mutex.
func (in *inbound) waitFor(ready func() bool) {
	for !ready() && !in.stopped {
		in.waiting = true
		in.space.Wait()
		in.waiting = false
	}
}

// enqueue puts a task in line, as soon as there is room. Of the reader.
func (c *Conn) enqueue(key string, t task) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.roomFor(t.size, 0) {
		c.waitFor(func() bool { return c.roomFor(t.size, 1) })
	}
	c.pushLocked(key, t)
}

// roomFor says whether a frame of size bytes may be let in, leaving eighths of the
// room free.
func (c *Conn) roomFor(size, eighths int) bool {
	if c.frames == 0 {
		return true
	}
	frames, bytes := c.opts.QueueFrames, c.opts.QueueBytes
	return c.frames < frames-frames/8*eighths && c.bytes+size <= bytes-bytes/8*eighths
}

func (c *Conn) pushLocked(key string, t task) {
	c.frames++
	c.bytes += t.size
	line := c.lines[key]
	if line == nil {
		line = &keyLine{}
		c.lines[key] = line
		c.wg.Add(1)
		go c.work(key, line)
	}
	line.tasks.push(t)
}

// work handles the tasks of one key until there are none.
func (c *Conn) work(key string, line *keyLine) {
	defer c.wg.Done()
	for t, ok := c.next(key, line); ok; t, ok = c.next(key, line) {
		c.handle(&t)
		line.busy, line.size = true, t.size
	}
}

// next counts the task before as handled and takes the next one.
func (c *Conn) next(key string, line *keyLine) (task, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if line.busy {
		c.frames--
		c.bytes -= line.size
		c.roomChanged()
	}
	if line.tasks.len() == 0 {
		delete(c.lines, key)
		return task{}, false
	}
	return line.tasks.pop(), true
}

// roomChanged needs the mutex.
func (c *Conn) roomChanged() {
	c.wakeReader()
	if c.ended && c.frames == 0 {
		close(c.done)
	}
}

// wakeReader needs the mutex.
func (c *Conn) wakeReader() {
	if c.waiting {
		c.space.Signal()
	}
}
