package cli

import (
	"time"

	"github.com/spf13/cobra"
)

// runOptions are the flags that run and prompt share. Zero values mean "as the
// recipe says"; a flag wins over the recipe.
type runOptions struct {
	agent        string   // core, or a command line
	models       []string // the first one that the agent offers
	effort, mode string
	config       []string // id=value
	resume, fork string   // session id, or last
	goOn         bool     // the newest session of this folder
	auth         string   // authentication method
	store        string   // folder of the bundled agent\'s sessions
	terminalAuth string   // method of a login in the terminal
	ephemeral    bool     // keep no session
	cwd          string
	addDirs      []string
	mcpFiles     []string
	allow        []string
	ask          []string
	deny         []string
	policyFiles  []string
	timeout      time.Duration // whole run
	idle         time.Duration
	maxToolCalls int
	answers      []string // regex=answer

	format  string
	deltas  bool
	jq      string
	raw     bool
	record  string // file for the frames
	outFile string
	quiet   bool
	verbose bool
	strict  bool
	color   string

	script           string // script of the offline model
	allowSecretInput bool
	allowBypass      bool
	allowAll         bool
}

// The formats of -o.
const (
	formatText   = "text"
	formatNDJSON = "ndjson"
	formatJSON   = "json"
)

// addRunFlags declares what run and prompt share.
func addRunFlags(cmd *cobra.Command, o *runOptions) {
	f := cmd.Flags()
	f.StringVar(&o.agent, "agent", "", "agent: core, or a command line of an ACP agent")
	f.StringArrayVar(&o.models, "model", nil, "model; given several times, the first one that the agent offers")
	f.StringVar(&o.effort, "effort", "", "reasoning effort")
	f.StringVar(&o.mode, "mode", "", "session mode")
	f.StringArrayVar(&o.config, "config", nil, "any other session config option, as id=value, or id:=JSON")
	f.StringVar(&o.cwd, "cwd", "", "folder of the session (default: the current one)")
	f.StringArrayVar(&o.addDirs, "add-dir", nil, "further folder of the workspace")
	f.StringArrayVar(&o.mcpFiles, "mcp", nil, "file with MCP servers, in the shape of .mcp.json")
	f.StringVar(&o.script, "script", "", "YAML script of the model offline/scripted (bundled agent only)")
	f.BoolVarP(&o.goOn, "continue", "c", false, "go on with the agent's newest session of this folder")
	f.StringVar(&o.resume, "resume", "", "go on with the session of this id; last is --continue")
	f.StringVar(&o.fork, "fork", "", "go on with a copy of the session of this id")
	f.StringVar(&o.store, "store", "", "folder of the bundled agent's sessions (default: acpctl/sessions in the user's state folder)")
	f.BoolVar(&o.ephemeral, "ephemeral", false, "keep no session of the bundled agent")
	f.StringVar(&o.terminalAuth, "allow-terminal-auth", "", "let the agent's own program log in by this method, in this terminal, when the agent asks for it")
	f.StringVar(&o.auth, "auth", "", "authentication method to use once when the agent asks for a login")
	addPolicyFlags(cmd, o)
	addOutputFlags(cmd, o)
}

func addPolicyFlags(cmd *cobra.Command, o *runOptions) {
	f := cmd.Flags()
	f.StringArrayVar(&o.allow, "allow", nil, "permission rule to allow, such as 'edit(src/**)'")
	f.StringArrayVar(&o.ask, "ask", nil, "permission rule to ask for on a terminal")
	f.StringArrayVar(&o.deny, "deny", nil, "permission rule to deny")
	f.StringArrayVar(&o.policyFiles, "policy", nil, "file with permission rules (a name with / or .yaml), or deny-all, read-only, approve-edits")
	f.StringArrayVar(&o.answers, "answer", nil, "answer to questions that match a regular expression, as regex=answer")
	f.DurationVar(&o.timeout, "timeout", 0, "limit of the whole run, such as 10m (default: none)")
	f.DurationVar(&o.idle, "idle", 0, "limit of silence of a turn; 0 is the recipe's, else 15m")
	f.IntVar(&o.maxToolCalls, "max-tool-calls", 0, "limit of tool calls of the run; 0 is none")
	f.BoolVar(&o.allowBypass, "allow-bypass", false, "let a mode that never asks run together with ask and deny rules")
	f.BoolVar(&o.allowAll, "dangerously-allow-all", false, "allow every call that no rule denies or asks for")
	f.BoolVar(&o.allowSecretInput, "allow-secret-in-prompt", false, "let a secret value stand in a prompt")
}

func addOutputFlags(cmd *cobra.Command, o *runOptions) {
	f := cmd.Flags()
	addEnum(cmd, &o.format, "output", "o", "format of stdout", formatText, formatNDJSON, formatJSON)
	f.BoolVar(&o.deltas, "deltas", false, "with ndjson: also message.delta, thought.delta and tool.update")
	f.StringVar(&o.jq, "jq", "", "jq expression over each event; implies -o ndjson")
	f.BoolVarP(&o.raw, "raw", "r", false, "with --jq: print strings bare")
	f.StringVarP(&o.outFile, "output-file", "O", "", "write there instead of stdout; replaced only by a run that succeeds")
	f.StringVar(&o.record, "record", "", "file for every frame to and from the agent, for acpctl replay")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "no progress on stderr")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "more progress, and the agent's stderr, on stderr")
	f.BoolVar(&o.strict, "strict", false, "a warning fails the run")
	addEnum(cmd, &o.color, "color", "", "colour of text: auto, always, never", "auto", "always", "never")
}

// checkFlags finds combinations that make no sense.
func (o *runOptions) checkFlags() error {
	if o.jq != "" && o.format != "" && o.format != formatNDJSON {
		return usageError("--jq works on the event stream and cannot be used with -o "+o.format, "leave -o away: --jq implies ndjson")
	}
	if o.goOn && o.resume != "" || (o.goOn || o.resume != "") && o.fork != "" {
		return usageError("--continue, --resume and --fork exclude each other")
	}
	if o.ephemeral && o.store != "" {
		return usageError("--ephemeral and --store exclude each other")
	}
	if o.raw && o.jq == "" {
		return usageError("-r needs --jq", "add --jq EXPR")
	}
	if o.quiet && o.verbose {
		return usageError("-q and -v exclude each other")
	}
	for _, d := range []struct {
		name  string
		value time.Duration
	}{{"timeout", o.timeout}, {"idle", o.idle}} {
		if d.value < 0 {
			return usageErrorf("--%s must not be negative", d.name)
		}
	}
	if o.maxToolCalls < 0 {
		return usageErrorf("--max-tool-calls must not be negative")
	}
	return nil
}
