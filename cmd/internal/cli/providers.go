package cli

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/acpctl/acpctl/agentcore/model"
	"github.com/acpctl/acpctl/agentcore/model/anthropic"
	"github.com/acpctl/acpctl/agentcore/model/openai"
	"github.com/acpctl/acpctl/agentcore/model/wire"
)

// provider is a family of models over HTTP, found by its variables.
type provider struct {
	name    string
	key     string // variable with the key
	base    string // variable with the address
	usual   string // address without it; empty: the variable is needed
	keyless bool   // the address alone is enough
	efforts []string
	vision  bool
}

// providers are those that the bundled agent knows.
func providers() []provider {
	efforts := []string{"minimal", "low", "medium", "high"}
	return []provider{
		{"openai", "OPENAI_API_KEY", "OPENAI_BASE_URL", "https://api.openai.com/v1", true, efforts, true},
		{"anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "https://api.anthropic.com", true, anthropic.Efforts(), true},
		{"deepseek", "DEEPSEEK_API_KEY", "DEEPSEEK_BASE_URL", "https://api.deepseek.com/v1", false, nil, false},
		{"openrouter", "OPENROUTER_API_KEY", "OPENROUTER_BASE_URL", "https://openrouter.ai/api/v1", false, efforts, true},
		{"gemini", "GEMINI_API_KEY", "GEMINI_BASE_URL", "https://generativelanguage.googleapis.com/v1beta/openai", false, efforts[1:], true},
		{"ollama", "", "OLLAMA_HOST", "", true, nil, true},
	}
}

// found says whether the environment names the provider, and with what.
func (p *provider) found(a *app) (key, base string, ok bool) {
	if p.key != "" {
		key, _ = a.env.Getenv(p.key)
	}
	base, _ = a.env.Getenv(p.base)
	ok = key != "" || p.keyless && base != ""
	if base == "" {
		base = p.usual
	}
	if p.name == "ollama" && base != "" {
		if !strings.Contains(base, "://") {
			base = "http://" + base
		}
		base = strings.TrimSuffix(base, "/") + "/v1"
	}
	return key, strings.TrimSuffix(base, "/"), ok
}

// missing says what would make the provider usable.
func (p *provider) missing() string {
	switch {
	case p.key == "":
		return "set " + p.base
	case p.keyless:
		return "set " + p.key + ", or " + p.base + " for an endpoint without a key"
	default:
		return "set " + p.key
	}
}

// model is the provider's models, whichever is asked for.
func (p *provider) model(a *app, key, base string) model.Model {
	e := &wire.Endpoint{Header: http.Header{}, Key: key, Client: wire.NewClient(http.DefaultTransport), Now: a.env.Now}
	e.Header.Set("User-Agent", "acpctl/"+version())
	if p.name == "anthropic" {
		e.URL = strings.TrimSuffix(base, "/v1") + "/v1/messages"
		e.Header.Set("Anthropic-Version", anthropic.Version)
		if key != "" {
			e.Header.Set("X-Api-Key", key)
		}
		return &anthropic.Model{Endpoint: e}
	}
	e.URL = base + "/chat/completions"
	if key != "" {
		e.Header.Set("Authorization", "Bearer "+key)
	}
	return &openai.Model{Endpoint: e}
}

// providerModels are the entries for the models that a run names: a catalog is
// not asked for, so that a prompt is one request. A provider that is known and
// not set up is an error that says how to.
func (a *app) providerModels(wanted []string) ([]model.Entry, error) {
	var out []model.Entry
	for _, value := range wanted {
		name, id, slash := strings.Cut(value, "/")
		if !slash || id == "" || slices.ContainsFunc(out, func(e model.Entry) bool { return e.Value() == value }) {
			continue
		}
		for _, p := range providers() {
			if p.name != name {
				continue
			}
			key, base, ok := p.found(a)
			if !ok {
				return nil, usageError("model "+value+": the provider "+name+" is not set up", p.missing())
			}
			out = append(out, model.Entry{Provider: name, ID: id, Efforts: p.efforts, Vision: p.vision, Model: p.model(a, key, base)})
		}
	}
	return out, nil
}

// listTime bounds the look at one provider's list.
const listTime = 10 * time.Second

// listedModels asks every provider that is set up for its list. One without a
// list, or that does not answer, is passed over.
func (a *app) listedModels(ctx context.Context) []model.Entry {
	var out []model.Entry
	for _, p := range providers() {
		key, base, ok := p.found(a)
		if !ok {
			continue
		}
		m := p.model(a, key, base)
		for _, id := range p.list(ctx, m, base) {
			out = append(out, model.Entry{Provider: p.name, ID: id, Efforts: p.efforts, Vision: p.vision, Model: m})
		}
	}
	return out
}

// list reads the ids of GET models.
func (p *provider) list(ctx context.Context, m model.Model, base string) []string {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	endpoint := (*wire.Endpoint)(nil)
	address := base + "/models"
	switch m := m.(type) {
	case *anthropic.Model:
		endpoint, address = m.Endpoint, strings.TrimSuffix(base, "/v1")+"/v1/models"
	case *openai.Model:
		endpoint = m.Endpoint
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil
	}
	req.Header = endpoint.Header.Clone()
	resp, err := endpoint.Client.Do(req)
	if err != nil {
		return nil
	}
	defer func() { _ = resp.Body.Close() }()
	var doc struct {
		Data []struct{ ID string } `json:"data"`
	}
	if resp.StatusCode != http.StatusOK || json.NewDecoder(http.MaxBytesReader(nil, resp.Body, 8<<20)).Decode(&doc) != nil {
		return nil
	}
	var ids []string
	for _, d := range doc.Data {
		if d.ID != "" {
			ids = append(ids, strings.TrimPrefix(d.ID, "models/"))
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
