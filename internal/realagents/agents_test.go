//go:build unix

package realagents

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// agent is an agent that other people wrote, and how it is pointed to a model
// server on this machine.
type agent struct {
	name, pkg, version string
	title              string
	node22             bool   // needs a newer Node.js than most systems have
	binary             string // in node_modules/.bin, or a script in node_modules
	args               []string
	env                map[string]string // HOME is set besides; {url} is the model server
	files              map[string]string // in HOME; {url} is the model server
	modelless          bool              // plays a fixed turn
}

// agents are the ones that the documentation has a page of, by size.
var agents = []agent{
	{
		name: "sdkexample", title: "the example agent of the TypeScript SDK", pkg: "@agentclientprotocol/sdk", version: "0",
		binary: "@agentclientprotocol/sdk/dist/examples/agent.js", modelless: true,
	},
	{
		name: "qwen", title: "Qwen Code", pkg: "@qwen-code/qwen-code", version: "0.24.4", node22: true, binary: "qwen", args: []string{"--acp"},
		env: map[string]string{"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": "{url}/v1", "OPENAI_MODEL": "fake"},
		files: map[string]string{".qwen/settings.json": settings(map[string]any{
			"security": map[string]any{"auth": map[string]any{"selectedType": "openai"}}, "privacy": map[string]any{"usageStatisticsEnabled": false},
			"telemetry": map[string]any{"enabled": false}, "tools": map[string]any{"approvalMode": "default"},
			"general": map[string]any{"disableAutoUpdate": true, "enableAutoUpdate": false}, "$version": 3,
		})},
	},
	{
		name: "codex", title: "Codex, by codex-acp", pkg: "@zed-industries/codex-acp", version: "0.16.0", binary: "codex-acp",
		env: map[string]string{"FAKE_KEY": "none", "OPENAI_API_KEY": "none", "CODEX_HOME": "{home}/.codex", "NO_BROWSER": "1"},
		files: map[string]string{".codex/config.toml": "model = \"fake\"\nmodel_provider = \"fake\"\napproval_policy = \"untrusted\"\n" +
			"sandbox_mode = \"read-only\"\ncheck_for_update_on_startup = false\n[analytics]\nenabled = false\n[model_providers.fake]\nname = \"Fake\"\n" +
			"base_url = \"{url}/v1\"\nenv_key = \"FAKE_KEY\"\nwire_api = \"responses\"\nrequest_max_retries = 1\nstream_max_retries = 1\n"},
	},
	{
		name: "opencode", title: "opencode", pkg: "opencode-ai", version: "1.18.33", binary: "opencode", args: []string{"acp"},
		env: map[string]string{"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1", "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1"},
		files: map[string]string{".config/opencode/opencode.json": settings(map[string]any{
			"autoupdate": false, "share": "disabled", "model": "fake/fake", "small_model": "fake/small", "enabled_providers": []string{"fake"},
			"permission": map[string]any{"edit": "ask", "bash": "ask", "webfetch": "ask"},
			"provider": map[string]any{"fake": map[string]any{
				"npm": "@ai-sdk/openai-compatible", "name": "Fake", "options": map[string]any{"baseURL": "{url}/v1", "apiKey": "none"},
				"models": map[string]any{"fake": fakeModel("Fake"), "small": fakeModel("Small")},
			}},
		})},
	},
	{
		name: "gemini", title: "Gemini CLI", pkg: "@google/gemini-cli", version: "0.61.0", binary: "gemini", args: []string{"--acp"},
		env: map[string]string{"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": "{url}"},
		files: map[string]string{".gemini/settings.json": settings(map[string]any{
			"security": map[string]any{"auth": map[string]any{"selectedType": "gemini-api-key"}}, "privacy": map[string]any{"usageStatisticsEnabled": false},
			"telemetry": map[string]any{"enabled": false}, "general": map[string]any{"enableAutoUpdate": false},
		})},
	},
}

func fakeModel(name string) map[string]any {
	return map[string]any{"name": name, "reasoning": true, "tool_call": true, "limit": map[string]any{"context": 200000, "output": 8000}}
}

func settings(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprint("settings of an agent: ", err))
	}
	return string(raw)
}

// command is the argv of an installed agent.
func (a *agent) command(modules, node string) []string {
	path := filepath.Join(modules, ".bin", a.binary)
	if filepath.Ext(a.binary) == ".js" {
		path = filepath.Join(modules, a.binary)
	}
	argv := []string{path}
	if real, err := filepath.EvalSymlinks(path); err == nil && filepath.Ext(real) == ".js" {
		argv = []string{node, path}
	}
	return append(argv, a.args...)
}

// prepare writes the agent's files into its home.
func (a *agent) prepare(home, url string) error {
	for name, text := range a.files {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(filled(text, home, url)), 0o600); err != nil {
			return err
		}
	}
	return nil
}
