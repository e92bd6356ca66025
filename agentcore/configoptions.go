package agentcore

import (
	"slices"

	"github.com/acpctl/acpctl/agentcore/model"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// Ids of the config options.
const (
	optionModel  = "model"
	optionEffort = "reasoning_effort"
	optionMode   = "mode"
)

// providerDefault is the effort that leaves the choice to the provider. No provider
// has an effort with a blank in its name.
const providerDefault = "provider default"

// ACP: SessionConfigOption of type select.
type configOption struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	Category     string `json:"category"`
	Type         string `json:"type"`
	CurrentValue string `json:"currentValue"`
	Options      any    `json:"options"` // []choice or []choiceGroup
}

// ACP: SessionConfigSelectOption.
type choice struct {
	Value string `json:"value"`
	Name  string `json:"name"`
}

// ACP: SessionConfigSelectGroup.
type choiceGroup struct {
	Group   string   `json:"group"`
	Name    string   `json:"name"`
	Options []choice `json:"options"`
}

// defaultSelection is what a new session is answered by.
func (c *Core) defaultSelection() (selection, error) {
	entry, ok := c.opts.Models.Find(c.opts.DefaultModel)
	if !ok {
		message := "no model is configured"
		if c.opts.DefaultModel != "" {
			message = "nothing offers the configured model " + c.opts.DefaultModel
		}
		return selection{}, fail(jsonrpc.CodeInternal, "no_model", message)
	}
	return selection{entry, entry.DefaultEffort}, nil
}

// with is the selection after a change of the model: the effort stays if the new
// model has it.
func (sel selection) with(entry model.Entry) selection {
	effort := sel.effort
	if !slices.Contains(entry.Efforts, effort) {
		effort = entry.DefaultEffort
	}
	return selection{entry, effort}
}

// efforts are the choices of the current model. Where the model has no default the
// provider's is one of them.
func (sel selection) efforts() []choice {
	var list []choice
	if sel.entry.DefaultEffort == "" && len(sel.entry.Efforts) > 0 {
		list = append(list, choice{providerDefault, "Provider default"})
	}
	for _, e := range sel.entry.Efforts {
		list = append(list, choice{e, e})
	}
	return list
}

// configOptions is the complete list as it stands.
func (s *session) configOptions() []configOption {
	s.mu.Lock()
	sel, mode := s.selection, s.mode
	s.mu.Unlock()
	list := []configOption{{
		ID: optionModel, Name: "Model", Category: "model", Type: "select",
		CurrentValue: sel.entry.Value(), Options: groups(s.conn.core.opts.Models),
	}}
	if efforts := sel.efforts(); len(efforts) > 0 {
		list = append(list, configOption{
			ID: optionEffort, Name: "Reasoning effort", Category: "thought_level", Type: "select",
			CurrentValue: or(sel.effort, providerDefault), Options: efforts,
		})
	}
	var modes []choice
	for _, m := range offeredModes() {
		modes = append(modes, choice{m.ID, m.Name})
	}
	return append(list, configOption{
		ID: optionMode, Name: "Mode", Category: "mode", Type: "select", CurrentValue: mode, Options: modes,
	})
}

// groups are the models by provider, in the order of the catalog.
func groups(models *model.Catalog) []choiceGroup {
	var list []choiceGroup
	for i := range models.Entries {
		e := &models.Entries[i]
		at := slices.IndexFunc(list, func(g choiceGroup) bool { return g.Group == e.Provider })
		if at < 0 {
			at = len(list)
			list = append(list, choiceGroup{Group: e.Provider, Name: e.Provider})
		}
		list[at].Options = append(list[at].Options, choice{e.Value(), e.Title()})
	}
	return list
}

// opened is the response that makes the session known; id is empty where the client
// named it.
func (s *session) opened(id string) newSessionResult {
	return newSessionResult{SessionID: id, ConfigOptions: s.configOptions(), Modes: s.modeState()}
}
