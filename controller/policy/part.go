package policy

import (
	"slices"
	"strings"
)

// part is one thing about a call that has to be allowed.
type part struct {
	kinds kindSet // a rule of one of these can allow it
	// others are kinds that it might also be of; a rule that forbids one of
	// these leaves it in doubt.
	others kindSet

	path   *pathFact
	script *scriptFact
	url    *target
	mcp    []mcpName // the readings of an MCP call; one when it is certain
	// sure says that there is one reading, and that it is certain.
	sure bool
	name string // a mode, or the programmatic name of a tool
}

// scriptFact is a command line, analyzed.
type scriptFact struct {
	text string
	*script
	bar string // why no rule with a pattern allows it, whatever its commands
}

// facts are a call taken apart.
type facts struct {
	world    *world
	parts    []*part
	command  string
	paths    []string
	kinds    kindSet
	words    []placedWord // for denies of the path kinds
	files    []*pathFact  // the files that words could name, once asked for
	strings  []*pathFact  // arguments of an MCP tool, likewise
	title    *scriptFact  // what the title says, for rules that forbid
	known    kindSet      // the kind that the call gives
	readings []mcpName    // possible readings as an MCP tool, for denies
	onlyName bool         // an execute whose command is nowhere but in its title
}

// take takes a call apart.
func (p *Policy) take(call *Call, env *Env) *facts {
	f := &facts{world: newWorld(env, call.cwd())}
	f.known = kindOf(call.Kind) & acpKinds
	if f.known == 0 && call.Kind != "" {
		f.known = kindStrange
	}
	t := &taker{facts: f, policy: p, call: call, raw: rawPaths(call.RawInput)}
	t.mcp()
	t.commands()
	t.kind()
	for _, x := range f.parts {
		f.kinds |= x.kinds & acpKinds
	}
	f.kinds |= f.known & acpKinds
	return f
}

// taker builds facts.
type taker struct {
	*facts
	policy *Policy
	call   *Call
	raw    *rawFacts
	server *part // the call as a tool of an MCP server, when that is certain
}

func (t *taker) add(x *part) { t.parts = append(t.parts, x) }

// mcp finds out whether the call is one of an MCP server's tools.
func (t *taker) mcp() {
	w := t.world
	switch joined, ok := strings.CutPrefix(t.call.Name, mcpPrefix); {
	case t.call.Server != "":
		t.readings = []mcpName{{t.call.Server, t.call.Tool}}
	case ok:
		t.readings = splitJoined(joined, w.env.Servers)
	default:
		t.readings = titleNames(t.call.Title, w.env.Servers)
	}
	if len(t.readings) == 0 {
		return
	}
	for _, s := range t.raw.strings {
		if len(s) <= maxPath && !strings.Contains(s, "\n") {
			t.strings = append(t.strings, w.fact(s, w.base))
		}
	}
	if len(t.readings) == 1 && t.readings[0].tool != "" && (t.call.Server != "" || strings.HasPrefix(t.call.Name, mcpPrefix)) {
		t.server = &part{kinds: kindMCP | kindTool, mcp: t.readings, sure: true, name: t.call.Name}
	}
}

// maxPath is the longest text that is taken as a path, as on common systems.
const maxPath = 4096

// commands adds what the call would run.
func (t *taker) commands() {
	for _, c := range t.call.commands() {
		s := t.scriptFact(c)
		t.add(&part{kinds: kindExecute, script: s})
		if t.command != "" {
			t.command += "\n"
		}
		t.command += c.text
		t.words = append(t.words, s.allWords()...)
	}
	if t.command == "" && t.known == kindExecute {
		t.onlyName = true
		title := strings.Trim(strings.TrimSpace(t.call.Title), "`")
		t.title = t.scriptFact(commandFact{text: title})
		t.words = append(t.words, t.title.allWords()...)
	}
}

func (t *taker) scriptFact(c commandFact) *scriptFact {
	w := t.world
	start := place{cwds: []string{w.base}}
	s := &scriptFact{text: c.text, bar: c.bar}
	switch {
	case c.words != nil:
		s.script = analyzeWords(w, t.policy.parsers, c.words, start)
	default:
		s.script = analyze(w, t.policy.parsers, c.text, start)
	}
	if real, _, ok := w.follow(w.base); s.bar == "" && (!ok || !w.inside(real)) {
		s.bar = "its folder is outside the roots"
	}
	if hasControl(c.text) {
		s.bar = "it holds a control character"
	}
	return s
}

// kind adds the parts that follow from the call's kind.
func (t *taker) kind() {
	switch {
	case t.known == kindExecute:
		if t.onlyName {
			t.add(&part{kinds: kindExecute})
		}
		t.filesOf(kindEdit, t.ownPaths(false), true)
	case t.known == kindMove:
		t.move()
	case t.known&pathKinds != 0:
		t.files()
	case t.known == kindFetch:
		t.fetch()
		t.filesOf(kindEdit, t.ownPaths(false), false)
	case t.known&(kindThink|kindSwitchMode) != 0:
		t.add(&part{kinds: t.known | kindTool, name: t.subject()})
		t.filesOf(kindEdit, t.ownPaths(false), false)
	default:
		t.other()
	}
	if t.server != nil {
		t.add(t.server)
	}
	if t.known&(pathKinds|kindThink|kindSwitchMode) != 0 && t.server == nil {
		t.addURLs()
	}
}

// ownPaths are the paths that the call names: its locations and diffs, and
// those of its raw input unless that is the arguments of an MCP tool.
func (t *taker) ownPaths(nested bool) []string {
	out := slices.Clone(t.call.Paths)
	if t.server == nil {
		out = append(out, t.raw.paths...)
	}
	if nested && t.server == nil {
		out = append(out, t.raw.nested...)
		out = append(out, t.call.earlier...)
	}
	return out
}

// files adds the paths of a call of a path kind.
func (t *taker) files() {
	paths := t.ownPaths(true)
	t.filesOf(t.known, paths, false)
	if len(paths) > 0 || t.server != nil {
		return
	}
	if t.known == kindSearch {
		t.add(&part{kinds: kindSearch, path: t.world.fact(t.world.base, t.world.base)})
		return
	}
	t.add(&part{kinds: t.known})
}

// filesOf adds paths as parts of a kind. Agents give the folder of a command as
// a path of it; that one is no file of the call.
func (t *taker) filesOf(kind kindSet, paths []string, skipFolder bool) {
	seen := map[string]bool{}
	for _, p := range paths {
		fact := t.world.fact(p, t.world.base)
		if seen[p] || skipFolder && (fact.abs == t.world.base || fact.abs == t.world.session) {
			continue
		}
		seen[p] = true
		t.paths = append(t.paths, fact.abs)
		t.add(&part{kinds: kind, path: fact})
	}
}

// move adds both ends. Where the call does not tell which is which, the first
// path is where it comes from and the last where it goes.
func (t *taker) move() {
	source, target := t.raw.source, t.raw.target
	if t.server != nil || len(source) == 0 || len(target) == 0 {
		source, target = nil, nil
	}
	seen := map[string]bool{}
	add := func(paths []string, kinds kindSet) {
		for _, p := range paths {
			fact := t.world.fact(p, t.world.base)
			if !seen[fact.abs] {
				seen[fact.abs] = true
				t.paths = append(t.paths, fact.abs)
				t.add(&part{kinds: kinds, others: kindDelete | kindEdit, path: fact})
			}
		}
	}
	add(source, kindMove|kindDelete)
	add(target, kindMove|kindEdit)
	rest := slices.DeleteFunc(t.ownPaths(true), func(p string) bool { return seen[t.world.fact(p, t.world.base).abs] })
	if n := len(rest); source == nil && n > 1 {
		add(rest[:1], kindMove|kindDelete)
		add(rest[n-1:], kindMove|kindEdit)
	}
	add(rest, kindMove)
	if len(seen) < 2 && t.server == nil {
		t.add(&part{kinds: kindMove}) // an end is missing
	}
}

func (t *taker) fetch() {
	t.addURLs()
	if len(t.raw.urls) == 0 && t.server == nil {
		t.add(&part{kinds: kindFetch})
	}
}

func (t *taker) addURLs() {
	for _, u := range t.raw.urls {
		t.add(&part{kinds: kindFetch, url: newTarget(u)})
		if uriScheme(u) == "file" {
			t.filesOf(kindRead, []string{u}, false)
		}
	}
}

// other adds the parts of a call that has no kind, or one that says nothing: it
// is what its facts are.
func (t *taker) other() {
	before := len(t.parts)
	t.filesOf(kindEdit, t.ownPaths(true), false)
	for _, x := range t.parts[before:] {
		x.others = pathKinds
	}
	if t.server == nil {
		t.addURLs()
	}
	if len(t.parts) > 0 || t.server != nil {
		return
	}
	kinds := kindOther | kindTool
	if t.known == kindStrange {
		kinds = kindStrange | kindTool
	}
	t.add(&part{kinds: kinds, others: kindOther, name: t.subject()})
}

// subject is what a pattern of a kind without files is held against.
func (t *taker) subject() string {
	if t.known != kindSwitchMode {
		return t.call.Name
	}
	raw := rawObject(t.call.RawInput)
	for _, key := range []string{"modeId", "mode_id", "mode"} {
		if s := readCommand(raw[key]); s.bar == "" && s.words == nil && s.text != "" {
			return s.text
		}
	}
	return ""
}
