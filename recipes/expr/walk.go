package expr

import (
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

// Ref is one use of a variable: its name without the dollar and the constant
// members read from it, as far as they can be seen.
type Ref struct {
	Name   string
	Path   []string
	Offset int // byte in the source where the variable stands
}

// walker goes through a syntax tree in the order of its source and collects what
// is used of the outside. The tree has no places; they come from the lexer, which
// sees the same names in the same order.
type walker struct {
	src    string
	tokens []token
	cursor int      // into tokens
	bound  []string // variables of the expression's own, innermost last
	refs   []Ref
	calls  []string // functions without arguments
}

// offset is the place of the next use of a variable.
func (w *walker) offset(name string) int {
	is := func(t token) bool { return w.src[t.start:t.end] == name }
	if i := slices.IndexFunc(w.tokens[min(w.cursor, len(w.tokens)):], is); i >= 0 {
		w.cursor += i + 1
		return w.tokens[w.cursor-1].start
	}
	return 0
}

// with walks in a scope that ends with it.
func (w *walker) with(f func()) {
	n := len(w.bound)
	f()
	w.bound = w.bound[:n]
}

func (w *walker) query(q *gojq.Query) {
	if q == nil {
		return
	}
	w.with(func() {
		for _, f := range q.FuncDefs {
			w.funcDef(f)
		}
		if q.Term != nil {
			w.term(q.Term)
			return
		}
		before := len(w.refs)
		w.query(q.Left)
		if q.Op == gojq.OpPipe && len(q.Patterns) == 0 && len(w.refs) == before+1 && onlyMembers(q.Left) {
			w.refs[before].Path = append(w.refs[before].Path, leading(q.Right)...)
		}
		w.patterns(q.Patterns)
		w.query(q.Right)
	})
}

func (w *walker) funcDef(f *gojq.FuncDef) {
	w.with(func() {
		for _, a := range f.Args {
			if strings.HasPrefix(a, "$") {
				w.bind(a)
			}
		}
		w.query(f.Body)
	})
}

func (w *walker) bind(name string) {
	w.offset(name)
	w.bound = append(w.bound, name)
}

func (w *walker) patterns(list []*gojq.Pattern) {
	for _, p := range list {
		if p.Name != "" {
			w.bind(p.Name)
		}
		w.patterns(p.Array)
		for _, o := range p.Object {
			if strings.HasPrefix(o.Key, "$") {
				w.bind(o.Key)
			}
			w.str(o.KeyString)
			w.query(o.KeyQuery)
			if o.Val != nil {
				w.patterns([]*gojq.Pattern{o.Val})
			}
		}
	}
}

func (w *walker) term(t *gojq.Term) {
	switch {
	case t.Func != nil:
		w.function(t)
	case t.Index != nil:
		w.index(t.Index)
	case t.Object != nil:
		w.object(t.Object)
	case t.Array != nil:
		w.query(t.Array.Query)
	case t.Unary != nil:
		w.term(t.Unary.Term)
	case t.If != nil:
		w.branches(t.If)
	case t.Try != nil:
		w.query(t.Try.Body)
		w.query(t.Try.Catch)
	case t.Reduce != nil:
		w.query(t.Reduce.Query)
		w.loop(t.Reduce.Patterns, t.Reduce.Start, t.Reduce.Update)
	case t.Foreach != nil:
		w.query(t.Foreach.Query)
		w.loop(t.Foreach.Patterns, t.Foreach.Start, t.Foreach.Update, t.Foreach.Extract)
	case t.Label != nil:
		w.offset(t.Label.Ident)
		w.query(t.Label.Body)
	case t.Break != "":
		w.offset(t.Break)
	case t.Query != nil:
		w.query(t.Query)
	}
	w.str(t.Str)
	for _, s := range t.SuffixList {
		w.index(s.Index)
	}
}

// function sees a call, or the use of a variable.
func (w *walker) function(t *gojq.Term) {
	name := t.Func.Name
	if !strings.HasPrefix(name, "$") {
		if len(t.Func.Args) == 0 {
			w.calls = append(w.calls, name)
		}
		for _, a := range t.Func.Args {
			w.query(a)
		}
		return
	}
	w.use(name, members(t.SuffixList))
}

func (w *walker) use(name string, path []string) {
	offset := w.offset(name)
	if !slices.Contains(w.bound, name) {
		w.refs = append(w.refs, Ref{Name: name[1:], Path: path, Offset: offset})
	}
}

func (w *walker) object(o *gojq.Object) {
	for _, kv := range o.KeyVals {
		if strings.HasPrefix(kv.Key, "$") {
			w.use(kv.Key, nil)
		}
		w.str(kv.KeyString)
		w.query(kv.KeyQuery)
		w.query(kv.Val)
	}
}

func (w *walker) branches(i *gojq.If) {
	w.query(i.Cond)
	w.query(i.Then)
	for _, e := range i.Elif {
		w.query(e.Cond)
		w.query(e.Then)
	}
	w.query(i.Else)
}

func (w *walker) loop(patterns []*gojq.Pattern, bodies ...*gojq.Query) {
	w.with(func() {
		w.patterns(patterns)
		for _, q := range bodies {
			w.query(q)
		}
	})
}

func (w *walker) index(i *gojq.Index) {
	if i != nil {
		w.str(i.Str)
		w.query(i.Start)
		w.query(i.End)
	}
}

func (w *walker) str(s *gojq.String) {
	if s != nil {
		for _, q := range s.Queries {
			w.query(q)
		}
	}
}

// members are the constant names that the suffixes of a term read, up to the
// first one that is not constant.
func members(suffixes []*gojq.Suffix) []string {
	var path []string
	for _, s := range suffixes {
		if s.Optional {
			continue
		}
		name, ok := member(s.Index)
		if !ok {
			break
		}
		path = append(path, name)
	}
	return path
}

// member is the constant name of an index.
func member(i *gojq.Index) (string, bool) {
	switch {
	case i == nil || i.IsSlice:
		return "", false
	case i.Name != "":
		return i.Name, true
	case i.Str != nil:
		return i.Str.Str, i.Str.Queries == nil
	case i.Start != nil && i.Start.Term != nil && i.Start.Term.Str != nil && len(i.Start.Term.SuffixList) == 0:
		s := i.Start.Term.Str
		return s.Str, s.Queries == nil && i.Start.Term.Type == gojq.TermTypeString
	default:
		return "", false
	}
}

// onlyMembers says whether a query is a variable with constant members alone.
func onlyMembers(q *gojq.Query) bool {
	t := q.Term
	return t != nil && t.Func != nil && len(t.SuffixList) == len(members(t.SuffixList))
}

// leading are the constant members that a query reads of its input first.
func leading(q *gojq.Query) []string {
	switch {
	case q.Term != nil && q.Term.Type == gojq.TermTypeIndex:
		if name, ok := member(q.Term.Index); ok {
			return append([]string{name}, members(q.Term.SuffixList)...)
		}
	case q.Left != nil && q.Op == gojq.OpPipe && len(q.Patterns) == 0 && len(q.FuncDefs) == 0:
		return leading(q.Left)
	}
	return nil
}
