package tool

import (
	"fmt"
	"sync"
	"unicode/utf8"
)

// capture keeps the first and the last bytes of an output whose length nobody
// knows. It is safe for concurrent use.
type capture struct {
	limit int // of each end

	mu    sync.Mutex
	head  []byte // guarded by mu, as is all below
	tail  []byte // up to twice the limit before it is cut
	total int
}

func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total += len(p)
	taken := min(len(p), c.limit-len(c.head))
	c.head = append(c.head, p[:taken]...)
	rest := p[taken:]
	if len(rest) > c.limit {
		rest = rest[len(rest)-c.limit:]
	}
	c.tail = append(c.tail, rest...)
	if len(c.tail) > 2*c.limit {
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-c.limit:]...)
	}
	return len(p), nil
}

// text returns what is kept as valid text, and whether something is left out. A
// character at the cut is left out as a whole.
func (c *capture) text() (_ string, left bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	tail := c.tail[max(0, len(c.tail)-c.limit):]
	gap := c.total - len(c.head) - len(tail)
	if gap == 0 {
		return clean(string(c.head) + string(tail)), false
	}
	head := c.head
	for i := 1; i < utf8.UTFMax && i <= len(head); i++ {
		if start := len(head) - i; utf8.RuneStart(head[start]) {
			if !utf8.FullRune(head[start:]) {
				head = head[:start]
			}
			break
		}
	}
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	gap = c.total - len(head) - len(tail)
	return clean(fmt.Sprintf("%s\n[%d bytes left out]\n%s", head, gap, tail)), true
}

// size returns how many bytes came in.
func (c *capture) size() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}
