package recipes

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/acpctl/acpctl/controller/event"
	"github.com/acpctl/acpctl/recipes/expr"
)

// Questions answers the questions of an agent by rule. It never changes and is
// safe for concurrent use. Nil answers nothing.
type Questions struct {
	fallback string // stop, decline, cancel, defaults, ask
	answers  []answer
	vars     map[string]any
	hosts    []string // whose addresses may be opened
	open     []string // argv of what opens them
}

// answer is an answer with its values bound.
type answer struct {
	rule, at string
	match    *regexp.Regexp
	when     *expr.Code
	value    any // nil: none
	content  map[string]any
	jq       *expr.Code
}

// QuestionAnswer is what to do with a question.
type QuestionAnswer struct {
	Action   string         // accept, decline, cancel, or stop: the turn is cancelled
	Content  map[string]any // of accept: values by field name; an option by its value or label
	By       string         // rule or default
	Rule, At string         // the deciding answer
}

// The actions.
const (
	actionAccept = "accept"
	actionStop   = "stop"
)

// bindQuestions gives answers their values. Those of flags come first.
func (b *binder) bindQuestions() {
	q := &Questions{fallback: actionStop, vars: b.v.vars}
	for _, a := range b.over.Answers {
		match, err := regexp.Compile(a.Match)
		if err != nil {
			b.add(Problem{Message: "--answer: " + err.Error()})
			continue
		}
		q.answers = append(q.answers, answer{rule: a.Match, at: "--answer", match: match, value: a.Text})
	}
	b.plan.questions = q
	if b.r.questions == nil {
		return
	}
	for _, t := range b.r.questions.urls {
		q.hosts = append(q.hosts, b.string(t))
	}
	for _, t := range b.r.questions.open {
		q.open = append(q.open, b.string(t))
	}
	if f := b.r.questions.fallback; f != "" {
		q.fallback = f
	}
	for _, d := range b.r.questions.answers {
		a := answer{rule: d.rule, at: d.at, match: d.match, when: d.when, jq: d.jq}
		var err error
		if d.answer != nil {
			a.value, err = d.answer.value(context.Background(), b.v)
			b.fail(err)
		}
		a.content, err = treeValues(context.Background(), d.content, b.v)
		b.fail(err)
		q.answers = append(q.answers, a)
	}
}

// Answer decides a question. Each field is answered by the first rule that fits
// it; a question with a field that needs an answer and has none is left to the
// default as a whole. When question.Error says that an answer did not fit, the
// default decides, since the rules would say the same again.
func (q *Questions) Answer(question *event.Question) QuestionAnswer {
	if q == nil {
		return QuestionAnswer{Action: actionStop, By: "default"}
	}
	if question.Mode == "url" {
		return q.consent(question)
	}
	f := &filling{question: question, values: map[string]any{}}
	if question.Error == "" {
		f.input = asValue(question)
		for i := range q.answers {
			f.apply(&q.answers[i], q.vars)
		}
	}
	if f.by == nil || !f.complete() {
		return q.byDefault(question.Error != "")
	}
	return QuestionAnswer{Action: actionAccept, Content: f.values, By: "rule", Rule: f.by.rule, At: f.by.at}
}

// URLs says whether addresses may be opened at all.
func (p *Plan) URLs() bool { return p.questions != nil && len(p.questions.hosts) > 0 }

// Opener is the program that opens addresses, with its arguments; empty when they
// are only shown.
func (p *Plan) Opener() []string { return slices.Clone(p.questions.open) }

// consent decides about an address: nothing but https of a host that is listed,
// without anything odd about it that the list does not spell.
func (q *Questions) consent(question *event.Question) QuestionAnswer {
	for _, host := range q.hosts {
		if host == question.Host && strings.HasPrefix(question.URL, "https://") && !slices.Contains(question.Warnings, "holds a user name") {
			return QuestionAnswer{Action: actionAccept, By: "rule", Rule: host}
		}
	}
	return QuestionAnswer{Action: "cancel", By: "default"}
}

// byDefault is the answer without a rule. A person cannot be asked here, and
// defaults that were refused are not offered again.
func (q *Questions) byDefault(again bool) QuestionAnswer {
	out := QuestionAnswer{Action: q.fallback, By: "default"}
	switch {
	case q.fallback == "ask", q.fallback == "defaults" && again:
		out.Action = actionStop
	case q.fallback == "defaults":
		out.Action = actionAccept
		out.Content = map[string]any{}
	}
	return out
}

// filling is a question while its fields are answered.
type filling struct {
	question *event.Question
	input    any // the question as . of expressions
	values   map[string]any
	by       *answer // the first rule that fitted
	whole    bool    // some rule spoke for the question as a whole
}

// apply takes what one rule says. A rule whose expression fails does not fit.
func (f *filling) apply(a *answer, vars map[string]any) {
	fields, fits := f.hits(a, vars)
	if !fits {
		return
	}
	values := a.content
	switch {
	case a.jq != nil:
		v, err := a.jq.Value(context.Background(), f.input, vars)
		if err != nil {
			return
		}
		values, _ = v.(map[string]any)
		if values == nil {
			values = valueFor(fields, v)
		}
	case a.value != nil:
		values = valueFor(fields, a.value)
	default:
		values = maps.Clone(values)
	}
	if a.value == nil {
		f.whole = true
	}
	f.fill(a, values)
}

func (f *filling) fill(a *answer, values map[string]any) {
	for name, v := range values {
		if _, taken := f.values[name]; taken {
			continue
		}
		f.values[name] = v
		if f.by == nil {
			f.by = a
		}
	}
	if f.by == nil && len(f.open()) == 0 {
		f.by = a // a question without fields is accepted by a rule that fits
	}
}

func valueFor(fields []string, v any) map[string]any {
	out := make(map[string]any, len(fields))
	for _, name := range fields {
		out[name] = v
	}
	return out
}

// hits says whether a rule fits, and which open fields it is about. The message
// stands for the field only if there is a single one: in a batch it would let one
// rule answer every field.
func (f *filling) hits(a *answer, vars map[string]any) (fields []string, fits bool) {
	open := f.open()
	if a.when != nil {
		ok, err := a.when.Bool(context.Background(), f.input, vars)
		return open, err == nil && ok
	}
	if a.match == nil {
		return nil, false
	}
	for _, field := range f.question.Fields {
		if !slices.Contains(open, field.Name) {
			continue
		}
		if a.match.MatchString(field.Title) || a.match.MatchString(field.Description) || a.match.MatchString(field.Name) {
			fields = append(fields, field.Name)
		}
	}
	if len(fields) == 0 && a.match.MatchString(f.question.Message) {
		if len(f.fields()) == 1 {
			fields = open
		}
		return fields, true
	}
	return fields, len(fields) > 0
}

// fields are the names of those that want an answer of their own.
func (f *filling) fields() []string {
	var names []string
	for _, field := range f.question.Fields {
		if field.Companion == "" {
			names = append(names, field.Name)
		}
	}
	return names
}

// open are those without an answer.
func (f *filling) open() []string {
	var names []string
	for _, name := range f.fields() {
		if _, ok := f.values[name]; !ok {
			names = append(names, name)
		}
	}
	return names
}

// complete says whether every field has an answer or does without. A rule for
// single fields leaves none open but those with a default.
func (f *filling) complete() bool {
	open := f.open()
	for _, field := range f.question.Fields {
		if slices.Contains(open, field.Name) && (field.Required || !f.whole && field.Default == nil) {
			return false
		}
	}
	return true
}
