package mcp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/acpctl/acpctl/agentcore/tool"
)

// maxName is the longest tool name that every provider takes.
const maxName = 64

// remote is one tool of a server.
type remote struct {
	link *link
	name string // as the server knows it
	spec tool.Spec
}

// named makes tools of what a server lists, with names that are unique within it.
func (l *link) named(found []*sdk.Tool) []tool.Tool {
	taken := map[string]bool{}
	tools := make([]tool.Tool, 0, len(found))
	for _, t := range found {
		name := toolName(l.server.Name, t.Name)
		if taken[name] {
			name = digested(name, t.Name)
		}
		if taken[name] {
			continue // the same name twice: the server itself could not tell them apart
		}
		taken[name] = true
		tools = append(tools, &remote{link: l, name: t.Name, spec: tool.Spec{
			Name: name, Description: describe(t), Schema: schemaOf(t), Kind: tool.KindOther,
		}})
	}
	return tools
}

// toolName is mcp__NAMESPACE__TOOL in the characters and the length that every
// provider takes.
func toolName(server, name string) string {
	full := "mcp__" + namespace(server) + "__" + strings.Map(func(r rune) rune {
		if isToken(string(r)) && !strings.ContainsRune("!#$%&'*+.^`|~", r) {
			return r
		}
		return '_'
	}, name)
	if len(full) > maxName {
		return digested(full, name)
	}
	return full
}

// digested puts a digest of the real name behind a name that is too long or taken.
func digested(name, real string) string {
	suffix := fmt.Sprintf("_%x", sha256.Sum256([]byte(real)))[:9]
	return name[:min(len(name), maxName-len(suffix))] + suffix
}

func describe(t *sdk.Tool) string {
	if t.Description != "" {
		return t.Description
	}
	return t.Title
}

func schemaOf(t *sdk.Tool) json.RawMessage {
	raw, err := json.Marshal(t.InputSchema)
	if err != nil || !bytes.HasPrefix(raw, []byte("{")) {
		return json.RawMessage(`{"type":"object"}`)
	}
	return raw
}

func (r *remote) Spec() tool.Spec { return r.spec }

// Plan leaves the check of the arguments to the server, which alone knows its
// schema's dialect; they must be an object, though.
func (r *remote) Plan(_ *tool.Workspace, args json.RawMessage) (*tool.Plan, error) {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}") // how some providers write "no arguments"
	}
	var obj map[string]json.RawMessage
	if err := json.Unmarshal(args, &obj); err != nil {
		return nil, fmt.Errorf("the arguments of %s are not a JSON object: %w", r.spec.Name, err)
	}
	if obj == nil {
		return nil, errors.New("the arguments of " + r.spec.Name + " must be a JSON object, not null")
	}
	return &tool.Plan{
		Title: r.spec.Name, Kind: r.spec.Kind, RawInput: args,
		Run: func(ctx context.Context, _ func(tool.Progress)) tool.Result { return r.link.call(ctx, r.name, args) },
	}, nil
}

// convert makes a result of what a server answered. Only text reaches the model;
// of other content it learns that it is there.
func convert(result *sdk.CallToolResult) tool.Result {
	var parts []string
	for _, c := range result.Content {
		parts = append(parts, textOf(c))
	}
	r := tool.Result{IsError: result.IsError}
	if result.StructuredContent != nil {
		if raw, err := json.Marshal(result.StructuredContent); err == nil {
			r.RawOutput = raw
		}
	}
	if len(parts) == 0 && r.RawOutput != nil {
		parts = []string{string(r.RawOutput)}
	}
	r.Text = tool.CapText(strings.Join(parts, "\n"))
	return r
}

func textOf(c sdk.Content) string {
	switch c := c.(type) {
	case *sdk.TextContent:
		return c.Text
	case *sdk.ImageContent:
		return fmt.Sprintf("[image %s, %d bytes, not shown]", c.MIMEType, len(c.Data))
	case *sdk.AudioContent:
		return fmt.Sprintf("[audio %s, %d bytes, not shown]", c.MIMEType, len(c.Data))
	case *sdk.ResourceLink:
		return fmt.Sprintf("[resource %s: %s]", c.Name, c.URI)
	case *sdk.EmbeddedResource:
		if c.Resource == nil {
			return "[resource without content]"
		}
		if c.Resource.Text == "" && len(c.Resource.Blob) > 0 {
			return fmt.Sprintf("[resource %s, %d bytes, not shown]", c.Resource.URI, len(c.Resource.Blob))
		}
		return c.Resource.Text
	}
	return "[content of an unknown kind, not shown]"
}
