package tool_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpctl/acpctl/agentcore/tool"
)

func TestEnvironments(t *testing.T) {
	t.Parallel()
	tests := []struct {
		line          string
		shell, server bool
	}{
		{"PATH=/bin", true, true},
		{"HOME=/home/u", true, true},
		{"LC_ALL=C.UTF-8", true, true},
		{"TMPDIR=/tmp", true, true},
		{"XDG_RUNTIME_DIR=/run/user/1", true, true},
		{"SystemRoot=C:\\Windows", true, true},
		{"EDITOR=vi", true, false},
		{"GOFLAGS=-mod=mod", true, false},
		{"DATABASE_URL=postgres://u:p@h/d", true, false},
		{"OLLAMA_HOST=127.0.0.1", true, false},
		{"OPENAI_API_KEY=k", false, false},
		{"OPENAI_BASE_URL=http://h", false, false},
		{"ANTHROPIC_API_KEY=k", false, false},
		{"ANTHROPIC_BASE_URL=http://h", false, false},
		{"DEEPSEEK_API_KEY=k", false, false},
		{"OPENROUTER_API_KEY=k", false, false},
		{"GEMINI_API_KEY=k", false, false},
		{"openai_api_key=k", false, false},
		{"DEPLOY_TOKEN=t", false, false},
		{"deploy_token=t", false, false},
		{"DEPLOY_TOKENS=t", true, false},
		{"XLC_ALL=C", true, false},
		{"PATHS=/bin", true, false},
	}
	for _, tt := range tests {
		t.Run(tt.line, func(t *testing.T) {
			t.Parallel()
			environ := []string{tt.line}
			if got := len(tool.ShellEnviron(environ, "DEPLOY_TOKEN")) == 1; got != tt.shell {
				t.Errorf("kept for the shell: got %v, want %v", got, tt.shell)
			}
			if got := len(tool.ServerEnviron(environ)) == 1; got != tt.server {
				t.Errorf("kept for MCP servers: got %v, want %v", got, tt.server)
			}
			if diff := cmp.Diff([]string{tt.line}, environ); diff != "" {
				t.Errorf("the caller's list was changed: %s", diff)
			}
		})
	}
}
