package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/acpctl/acpctl/output"
)

const suggestLong = `Read the events of a run and print the rules that would have covered its calls.

The input is what -o ndjson printed. Each call that no rule covered, and each that
the agent ran without asking, is listed once with the rules that cover exactly it.
Read them before you paste them: they say what the agent wanted, not what it
should be allowed.`

func newPolicySuggest(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "suggest [FILE|-]", Short: "Print the rules that would have covered the calls of a run", Long: suggestLong,
		Example: "  acpctl run recipe.yaml -o ndjson > events.ndjson; acpctl policy suggest events.ndjson",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			file := "-"
			if len(args) > 0 {
				file = args[0]
			}
			in, name, closeIn, err := a.openCalls(file)
			if err != nil {
				return err
			}
			defer closeIn()
			s, err := readSuggestions(in, name)
			if err != nil {
				return err
			}
			return s.print(a.env.Stdout, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object: allow and unsuggested")
	return cmd
}

// suggestions are the rules for the calls of a run, in the order in which they
// were first wanted.
type suggestions struct {
	Allow []string `json:"allow"`
	// Unsuggested are the calls that no rule can be made for, each with why.
	Unsuggested []string `json:"unsuggested,omitempty"`
}

// readSuggestions reads an event stream. Lines that are no events are a usage
// error with their number.
func readSuggestions(in io.Reader, name string) (*suggestions, error) {
	s := &suggestions{Allow: []string{}}
	lines := bufio.NewReader(in)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if strings.TrimSpace(string(line)) != "" {
			if bad := s.add(line); bad != nil {
				return nil, usageErrorf("%s:%d: %v", name, number, bad)
			}
		}
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if err != nil {
			return nil, usageErrorf("reading %s: %v", name, err)
		}
	}
}

func (s *suggestions) add(line []byte) error {
	var kind struct{ Type string }
	if err := json.Unmarshal(line, &kind); err != nil || kind.Type == "" {
		return errors.New("not an event")
	}
	if kind.Type != "permission" && kind.Type != "unasked" {
		return nil
	}
	var e struct {
		Kind, Command, Decision, Hint string
		Paths, Suggest                []string
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return errors.New("not an event")
	}
	if e.Decision != "uncovered" {
		return nil
	}
	for _, rule := range e.Suggest {
		if !slices.Contains(s.Allow, rule) {
			s.Allow = append(s.Allow, rule)
		}
	}
	if len(e.Suggest) > 0 {
		return nil
	}
	why := strings.TrimSpace(fmt.Sprintf("%s %s %s: %s", e.Kind, e.Command, strings.Join(e.Paths, " "), e.Hint))
	if !slices.Contains(s.Unsuggested, why) {
		s.Unsuggested = append(s.Unsuggested, why)
	}
	return nil
}

// print writes YAML to paste into a recipe, or JSON.
func (s *suggestions) print(w io.Writer, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return enc.Encode(s)
	}
	var b strings.Builder
	if len(s.Allow) == 0 && len(s.Unsuggested) == 0 {
		b.WriteString("# every call was covered\n")
	}
	if len(s.Allow) > 0 {
		b.WriteString("permissions:\n  allow:\n")
		for _, rule := range s.Allow {
			fmt.Fprintf(&b, "    - %s\n", yamlString(rule))
		}
	}
	for _, why := range s.Unsuggested {
		fmt.Fprintf(&b, "# no rule for: %s\n", output.EscapeControl(strings.ReplaceAll(why, "\n", " ")))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// yamlString spells a text as YAML: a double-quoted JSON string is one.
func yamlString(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}
