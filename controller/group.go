package controller

import "sync"

// group counts work in progress. Unlike a sync.WaitGroup it may be waited for
// while work is added, and beside a context. The zero value is empty.
type group struct {
	mu sync.Mutex // guards what follows
	n  int
	// empty is closed when n is back at zero; nil while nothing was ever added.
	empty chan struct{}
}

func (g *group) add() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.n == 0 {
		g.empty = make(chan struct{})
	}
	g.n++
}

func (g *group) done() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.n--; g.n == 0 {
		close(g.empty)
	}
}

// idle is closed once nothing is in progress.
func (g *group) idle() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.empty == nil {
		g.empty = make(chan struct{})
		close(g.empty)
	}
	return g.empty
}
