package mcp

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/acpctl/acpctl/agentcore/tool"
)

// Options say how servers are started. Nil is legal and gives stdio servers the
// working directory of the process and an empty environment.
type Options struct {
	Cwd     string                           // working directory of stdio servers; absolute
	Environ []string                         // the process environment; each server gets its clean selection
	Timeout time.Duration                    // of connecting and listing, per server; 0: 30 s
	Name    string                           // what the servers are told; default "acpctl"
	Version string                           // likewise; default "0"
	Logf    func(format string, args ...any) // nil: silent
}

func (o *Options) orDefaults() *Options {
	set := Options{}
	if o != nil {
		set = *o
	}
	if set.Timeout == 0 {
		set.Timeout = 30 * time.Second
	}
	if set.Name == "" {
		set.Name = "acpctl"
	}
	if set.Version == "" {
		set.Version = "0"
	}
	if set.Logf == nil {
		set.Logf = func(string, ...any) {}
	}
	return &set
}

// Connect starts or reaches the servers and lists their tools, all at the same
// time. When one fails, or ctx ends, everything started is gone before Connect
// returns: an [*InvalidError], a [*ConnectError], or the error of ctx. The servers
// live on after ctx, until [Mount.Close].
func Connect(ctx context.Context, servers []Server, opts *Options) (*Mount, error) {
	if err := check(servers); err != nil {
		return nil, err
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	m := &Mount{end: end}
	for i := range servers {
		m.links = append(m.links, &link{
			server: &servers[i], opts: opts.orDefaults(), wanted: make(chan struct{}, 1), end: life.Done(),
		})
	}
	err := m.open(ctx)
	for _, l := range m.links {
		m.keepers.Go(func() { l.keep(life) })
	}
	if err != nil {
		_ = m.Close() // never fails
		return nil, err
	}
	return m, nil
}

var _ io.Closer = (*Mount)(nil)

// Mount is the servers of one session.
type Mount struct {
	links   []*link
	end     context.CancelFunc
	keepers sync.WaitGroup
}

// open connects all links; the first failure ends the attempts of the others.
func (m *Mount) open(ctx context.Context) error {
	attempt, give := context.WithCancel(ctx)
	defer give()
	var first error
	var once sync.Once
	var wg sync.WaitGroup
	for _, l := range m.links {
		wg.Go(func() {
			if err := l.open(attempt); err != nil {
				once.Do(func() { first = err })
				give()
			}
		})
	}
	wg.Wait()
	if first != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return first
}

// Status is the state of one server.
type Status struct {
	Name      string
	Connected bool
	Tools     []string // names as the model sees them
	Err       string   // why it is not connected
}

// Tools returns the tools that all servers have now, in order of declaration,
// named mcp__NAMESPACE__TOOL. A lost server keeps its tools; their calls fail.
func (m *Mount) Tools() []tool.Tool {
	var all []tool.Tool
	for _, l := range m.links {
		l.mu.Lock()
		all = append(all, l.tools...)
		l.mu.Unlock()
	}
	return all
}

// Servers returns the state of every server in order of declaration.
func (m *Mount) Servers() []Status {
	list := make([]Status, len(m.links))
	for i, l := range m.links {
		list[i] = l.status()
	}
	return list
}

// Close ends all servers and returns when their processes are gone: within two
// seconds, the groups being killed when they do not go by themselves. Closing
// again waits for the same end. The error is always nil; a Mount is an [io.Closer].
func (m *Mount) Close() error {
	m.end()
	m.keepers.Wait()
	for _, l := range m.links {
		l.calls.Wait()
	}
	return nil
}
