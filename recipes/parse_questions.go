package recipes

import (
	"fmt"
	"regexp"

	"gopkg.in/yaml.v3"

	"github.com/acpctl/acpctl/recipes/expr"
)

// questionsDecl are the questions of a recipe as declared.
type questionsDecl struct {
	fallback string
	answers  []*answerDecl
	urls     []*text // hosts
	open     []*text // argv
}

// answerDecl is one answer: match or when, and one of answer, content, jq.
type answerDecl struct {
	rule    string // match or when as it is written
	at      string
	match   *regexp.Regexp
	when    *expr.Code
	answer  *tree
	content map[string]tree
	jq      *expr.Code
}

// questions reads questions; nil for none.
func (p *parser) questions(n *yaml.Node, s *scope) *questionsDecl {
	if n == nil {
		return nil
	}
	d := &questionsDecl{fallback: scalarOf(field(n, "default"))}
	urls := field(n, "urls")
	d.urls, d.open = p.texts(field(urls, "hosts"), s, false), p.texts(field(urls, "open"), s, false)
	for _, e := range elements(field(n, "answers")) {
		if e.Kind == yaml.MappingNode {
			d.answers = append(d.answers, p.answer(e, s))
		}
	}
	return d
}

func (p *parser) answer(n *yaml.Node, s *scope) *answerDecl {
	match, when := field(n, "match"), field(n, "when")
	a := &answerDecl{
		rule: scalarOf(match) + scalarOf(when), at: fmt.Sprintf("%s:%d", p.src.file, n.Line),
		when: p.bare(when, s), jq: p.bare(field(n, "jq"), s), content: p.trees(field(n, "content"), s),
	}
	if match != nil {
		a.match, _ = regexp.Compile(scalarOf(match)) // reported by the check
	}
	if (match == nil) == (when == nil) {
		p.errorf(n, "an answer needs match or when, one of them")
	}
	count := 0
	for _, key := range []string{"answer", "content", "jq"} {
		if field(n, key) != nil {
			count++
		}
	}
	if count != 1 {
		p.errorf(n, "an answer needs one of answer, content and jq")
	}
	if v := field(n, "answer"); v != nil {
		t := p.tree(v, s)
		a.answer = &t
	}
	return a
}
