package controller

import "encoding/json"

// legacy holds the modes and models of agents that offer them beside or instead
// of config options. Guarded by the stage.
//
// ACP: modes of session/new; models, which the protocol dropped.
type legacy struct {
	modes, models []Choice
	mode, model   string
}

// readLegacy reads the answer to session/new.
func readLegacy(answer map[string]json.RawMessage) legacy {
	modes, models := members(answer["modes"]), members(answer["models"])
	return legacy{
		modes:  readLegacyChoices(modes["availableModes"], "id"),
		models: readLegacyChoices(models["availableModels"], "modelId"),
		mode:   jsonString(modes["currentModeId"]),
		model:  jsonString(models["currentModelId"]),
	}
}

func readLegacyChoices(raw json.RawMessage, key string) []Choice {
	var out []Choice
	for _, item := range rawList(raw) {
		m := members(item)
		if v := jsonString(m[key]); v != "" {
			out = append(out, Choice{Value: v, Name: jsonString(m["name"])})
		}
	}
	return out
}

// options are the older choices for which no config option exists.
func (l *legacy) options(o *Offered) []Option {
	var out []Option
	add := func(purpose, label, current string, choices []Choice) {
		if len(choices) == 0 || o.purpose(purpose) != nil {
			return
		}
		op := Option{Purpose: purpose, Label: label, Category: purpose, Type: "select", Current: quoted(current)}
		for _, c := range choices {
			c.Current = c.Value == current
			op.Choices = append(op.Choices, c)
		}
		out = append(out, op)
	}
	add(Model, "Model", l.model, l.models)
	add(Mode, "Mode", l.mode, l.modes)
	return out
}

func quoted(s string) json.RawMessage {
	raw, err := json.Marshal(s)
	if err != nil || s == "" {
		return nil
	}
	return raw
}
