package controller

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// BareNames is the value of [Options.ExtensionNames] for agents that know the
// names of extensions without the underscore.
const BareNames = "bare"

// CallExtension calls a method of the chrys extension, whose name begins with an
// underscore. An agent that did not announce it is refused before anything is
// sent, unless force says to try; one that does not know it then is the same
// failure, "not_supported".
//
// ACP: extension methods; which there are, _meta.chrys.methods of initialize says.
func (c *Conn) CallExtension(ctx context.Context, method string, params any, force bool) (json.RawMessage, error) {
	if !force && !slices.Contains(c.info.Capabilities.ChrysMethods, method) {
		return nil, notSupported(method, "the agent did not announce it")
	}
	name := method
	if c.opts.ExtensionNames == BareNames {
		name = strings.TrimPrefix(name, "_")
	}
	result, f := c.ask(ctx, name, params)
	if f == nil {
		return result, nil
	}
	var peer *jsonrpc.Error
	if errors.As(f, &peer) && peer.Code == jsonrpc.CodeMethodNotFound {
		return nil, notSupported(method, "the agent does not know it")
	}
	return nil, f
}

func notSupported(method, why string) *event.Failure {
	return failf(event.ClassStart, "not_supported", "%s is not supported: %s", method, why)
}
