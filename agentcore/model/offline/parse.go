package offline

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/acpctl/acpctl/agentcore/model"
)

// parse reads the script of the options; none gives an empty one.
func parse(o *Options) (*script, error) {
	s := &script{}
	if len(bytes.TrimSpace(o.Script)) == 0 {
		return s, nil
	}
	s.given = true
	d := &decoder{name: o.ScriptName, match: o.Match}
	if root := d.document(o.Script); root != nil {
		d.script(root, s)
	}
	if err := d.err(); err != nil {
		return nil, err
	}
	return s, nil
}

// document returns the root of the only document.
func (d *decoder) document(text []byte) *yaml.Node {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, second yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		d.problems = append(d.problems, problem{1, 1, "the script is empty"})
		return nil
	case err != nil:
		d.syntax(err)
		return nil
	}
	switch err := dec.Decode(&second); {
	case err == nil:
		d.errorf(&second, "a script is one YAML document")
	case !errors.Is(err, io.EOF):
		d.syntax(err)
	}
	return doc.Content[0]
}

// syntax puts the line of a YAML error where all our messages have it.
func (d *decoder) syntax(err error) {
	p := problem{line: 1, column: 1, message: strings.TrimPrefix(err.Error(), "yaml: ")}
	if rest, found := strings.CutPrefix(p.message, "line "); found {
		if number, message, found := strings.Cut(rest, ": "); found {
			if line, err := strconv.Atoi(number); err == nil {
				p.line, p.message = line, message
			}
		}
	}
	d.problems = append(d.problems, p)
}

func (d *decoder) script(n *yaml.Node, s *script) {
	d.mapping(n, fields{
		"models": func(n *yaml.Node) { d.models(n, s) },
		"turns": func(n *yaml.Node) {
			d.list(n, func(n *yaml.Node) { s.turns = append(s.turns, d.turn(n)) })
		},
	}, "turns")
	known := []string{"scripted"}
	for _, m := range s.models {
		known = append(known, m.ID)
	}
	for _, n := range d.modelNames {
		if !slices.Contains(known, n.Value) {
			d.errorf(n, "no such model %q; there are %s", n.Value, strings.Join(known, ", "))
		}
	}
}

func (d *decoder) models(n *yaml.Node, s *script) {
	taken := []string{"echo", "scripted"}
	d.list(n, func(n *yaml.Node) {
		m := d.model(n)
		if m.ID != "" && slices.Contains(taken, m.ID) {
			d.errorf(n, "there is a model %q already", m.ID)
		}
		taken = append(taken, m.ID)
		s.models = append(s.models, m)
	})
}

func (d *decoder) model(n *yaml.Node) model.Entry {
	var m model.Entry
	d.mapping(n, fields{
		"id": func(n *yaml.Node) {
			m.ID = d.text(n)
			if !isID(m.ID) {
				d.errorf(n, "an id is made of letters, digits and . _ - and begins with a letter or digit")
			}
		},
		"name":          func(n *yaml.Node) { m.Name = d.text(n) },
		"efforts":       func(n *yaml.Node) { m.Efforts = d.texts(n) },
		"defaultEffort": func(n *yaml.Node) { m.DefaultEffort = d.text(n) },
		"vision":        func(n *yaml.Node) { m.Vision = d.boolean(n) },
		"contextSize":   func(n *yaml.Node) { m.ContextSize = d.count(n) },
	}, "id")
	if m.DefaultEffort != "" && !slices.Contains(m.Efforts, m.DefaultEffort) {
		d.errorf(n, "defaultEffort %q is not among efforts", m.DefaultEffort)
	}
	return m
}

func isID(s string) bool {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	return s != "" && strings.Trim(s, plain+"._-") == "" && strings.ContainsRune(plain, rune(s[0]))
}

func (d *decoder) turn(n *yaml.Node) *turn {
	t := &turn{}
	d.mapping(n, fields{
		"model": func(n *yaml.Node) {
			t.model = d.text(n)
			d.modelNames = append(d.modelNames, n)
		},
		"when":   func(n *yaml.Node) { t.when = d.expression(n) },
		"repeat": func(n *yaml.Node) { t.repeat = d.boolean(n) },
		"steps": func(n *yaml.Node) {
			d.list(n, func(n *yaml.Node) { t.steps = append(t.steps, d.step(n)) })
		},
	}, "steps")
	return t
}

func (d *decoder) step(n *yaml.Node) *step {
	s := &step{}
	var todos []call
	d.mapping(n, fields{
		"when":       func(n *yaml.Node) { s.when = d.expression(n) },
		"thought":    func(n *yaml.Node) { s.thought = d.chunks(n) },
		"text":       func(n *yaml.Node) { s.text = d.chunks(n) },
		"echo":       func(n *yaml.Node) { s.echo = d.expression(n) },
		"calls":      func(n *yaml.Node) { d.list(n, func(n *yaml.Node) { s.calls = append(s.calls, d.call(n)) }) },
		"todos":      func(n *yaml.Node) { todos = d.todos(n) },
		"delay":      func(n *yaml.Node) { s.delay = d.duration(n) },
		"chunkDelay": func(n *yaml.Node) { s.chunkDelay = d.duration(n) },
		"usage":      func(n *yaml.Node) { s.usage = d.usage(n) },
		"error":      func(n *yaml.Node) { s.fails = d.failure(n) },
		"end":        func(n *yaml.Node) { s.end = d.end(n) },
	})
	if s.text != nil && s.echo != nil {
		d.errorf(n, "text and echo exclude each other")
	}
	if s.fails != nil && s.end != "" {
		d.errorf(n, "error and end exclude each other")
	}
	s.calls = append(s.calls, todos...)
	return s
}

func (d *decoder) call(n *yaml.Node) call {
	c := call{args: []byte("{}")}
	d.mapping(n, fields{
		"tool": func(n *yaml.Node) { c.tool = d.text(n) },
		"args": func(n *yaml.Node) { c.args = d.json(n) },
	}, "tool")
	return c
}

// todos is the call of todo_write that the short form stands for.
func (d *decoder) todos(n *yaml.Node) []call {
	if n.Kind != yaml.SequenceNode {
		d.errorf(n, "must be a list")
		return nil
	}
	return []call{{tool: "todo_write", args: slices.Concat([]byte(`{"todos":`), d.json(n), []byte("}"))}}
}

func (d *decoder) usage(n *yaml.Node) *model.Usage {
	u := &model.Usage{}
	d.mapping(n, fields{
		"input":       func(n *yaml.Node) { u.InputTokens = d.count(n) },
		"output":      func(n *yaml.Node) { u.OutputTokens = d.count(n) },
		"thought":     func(n *yaml.Node) { u.ThoughtTokens = d.count(n) },
		"cachedRead":  func(n *yaml.Node) { u.CachedReadTokens = d.count(n) },
		"contextUsed": func(n *yaml.Node) { u.ContextUsed = d.count(n) },
		"contextSize": func(n *yaml.Node) { u.ContextSize = d.count(n) },
		"cost":        func(n *yaml.Node) { d.decode(n, &u.CostAmount, "a number") },
		"currency":    func(n *yaml.Node) { u.CostCurrency = d.text(n) },
	})
	return u
}

func (d *decoder) failure(n *yaml.Node) *model.Error {
	e := &model.Error{}
	d.mapping(n, fields{
		"reason": func(n *yaml.Node) {
			e.Reason = d.text(n)
			known := []string{model.ReasonProvider, model.ReasonAuth, model.ReasonRateLimited, model.ReasonOverloaded, model.ReasonContextOverflow}
			if !slices.Contains(known, e.Reason) {
				d.errorf(n, "unknown reason %q; there are %s", e.Reason, strings.Join(known, ", "))
			}
		},
		"message":    func(n *yaml.Node) { e.Message = d.text(n) },
		"retryable":  func(n *yaml.Node) { e.Retryable = d.boolean(n) },
		"retryAfter": func(n *yaml.Node) { e.RetryAfter = d.duration(n) },
	}, "reason")
	return e
}

// end takes the names of ACP's stop reasons; any other is passed on.
func (d *decoder) end(n *yaml.Node) model.End {
	if s := d.text(n); s != "end_turn" {
		return model.End(s)
	}
	return model.EndStop
}

func (d *decoder) duration(n *yaml.Node) time.Duration {
	v, err := time.ParseDuration(d.text(n))
	if err != nil || v < 0 {
		d.errorf(n, "must be a duration such as 50ms or 2s")
	}
	return v
}
