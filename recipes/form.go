package recipes

import "strings"

// scalar sorts what a scalar may say.
type scalar uint8

const (
	none         scalar = iota
	word                // a string that is taken as it is
	template            // a string with ${{ }}
	variables           // a string with ${{ }} and ${VAR}; numbers and booleans as they are written
	expression          // jq
	permission          // a permission rule with ${{ }}
	pattern             // a regular expression
	identifier          // a name of the recipe's own
	variableName        // the name of an environment variable
	boolean
	count    // an integer from 0
	duration // such as 90s
	anything // any scalar, with ${{ }} if it is a string
)

// form says what a value may look like, with at most one way for each kind of
// YAML node.
type form struct {
	scalar  scalar
	words   []string // what a word may be; nil is any
	later   []string // words of the language that this version has not; "*" is any other
	list    *form    // of the elements
	object  *object  // a mapping with keys of the language
	entries *form    // a mapping with keys of the user's: the form of the values
	keys    scalar   // of these keys: word, identifier or variableName
	tree    bool     // a mapping or list of anything
	exactly int      // the one number that a count may be; 0 is any
}

// object is a mapping with keys of the language.
type object struct {
	name  string // in the schema and the reference
	doc   string
	keys  []key
	oneOf []string // exactly one of these keys is written
}

// key is one key of an object.
type key struct {
	name     string
	form     *form
	doc      string
	required bool
	later    bool   // part of the language, and not of this version
	hint     string // what to write instead of a key that is not taken
}

func (o *object) key(name string) *key {
	for i := range o.keys {
		if o.keys[i].name == name {
			return &o.keys[i]
		}
	}
	return nil
}

// names are the keys that can be written.
func (o *object) names() []string {
	var list []string
	for _, k := range o.keys {
		if !k.later && k.form != nil {
			list = append(list, k.name)
		}
	}
	return list
}

// scalarNames says in words what a scalar is.
var scalarNames = [...]string{
	word: "a string", template: "a string", variables: "a string", expression: "a jq expression", permission: "a rule",
	pattern: "a regular expression", identifier: "a name", variableName: "the name of a variable", boolean: "true or false",
	count: "a whole number from 0", duration: "a duration such as 90s", anything: "a value",
}

// String says what the form asks for: "a string or a list of strings".
func (f *form) String() string {
	var ways []string
	switch {
	case f.words != nil:
		ways = append(ways, strings.Join(f.words, ", "))
	case f.scalar != none:
		ways = append(ways, scalarNames[f.scalar])
	}
	switch {
	case f.tree:
		ways = append(ways, "a mapping")
	case f.object != nil && len(f.object.names()) > 0, f.entries != nil:
		ways = append(ways, "a mapping")
	}
	if f.list != nil {
		ways = append(ways, "a list")
	}
	return strings.Join(ways, " or ")
}
