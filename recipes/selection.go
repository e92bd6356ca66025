package recipes

import (
	"context"
	"fmt"
	"maps"
	"reflect"
)

// Selection is what to select in a session. Zero values leave a choice as it is.
type Selection struct {
	Models       []string // the first one that the agent offers
	Effort, Mode string
	Config       map[string]any // other session config options, by id
}

// with is the selection with what another one says on top.
func (s Selection) with(over Selection) Selection {
	if len(over.Models) > 0 {
		s.Models = over.Models
	}
	if over.Effort != "" {
		s.Effort = over.Effort
	}
	if over.Mode != "" {
		s.Mode = over.Mode
	}
	if len(over.Config) > 0 {
		config := maps.Clone(s.Config)
		if config == nil {
			config = map[string]any{}
		}
		maps.Copy(config, over.Config)
		s.Config = config
	}
	return s
}

// beyond is the part of the selection that differs from what is selected already.
func (s Selection) beyond(now Selection) Selection {
	var out Selection
	if !reflect.DeepEqual(s.Models, now.Models) {
		out.Models = s.Models
	}
	if s.Effort != now.Effort || out.Models != nil {
		out.Effort = s.Effort // a model brings its own effort
	}
	if s.Mode != now.Mode {
		out.Mode = s.Mode
	}
	for id, value := range s.Config {
		if old, ok := now.Config[id]; ok && reflect.DeepEqual(old, value) {
			continue
		}
		if out.Config == nil {
			out.Config = map[string]any{}
		}
		out.Config[id] = value
	}
	return out
}

// empty says whether there is nothing to select.
func (s Selection) empty() bool {
	return len(s.Models) == 0 && s.Effort == "" && s.Mode == "" && len(s.Config) == 0
}

// selection evaluates settings. The error is a *problemError.
func (s *settings) selection(ctx context.Context, v values) (Selection, error) {
	var out Selection
	var err error
	for _, t := range s.models {
		names, err := t.names(ctx, v)
		if err != nil {
			return out, err
		}
		out.Models = append(out.Models, names...)
	}
	if out.Effort, err = s.effort.string(ctx, v); err != nil {
		return out, err
	}
	if out.Mode, err = s.mode.string(ctx, v); err != nil {
		return out, err
	}
	out.Config, err = treeValues(ctx, s.config, v)
	return out, err
}

// names evaluates a text that may be a single ${{ }} with a list of strings.
func (t *text) names(ctx context.Context, v values) ([]string, error) {
	value, err := t.value(ctx, v)
	if err != nil {
		return nil, err
	}
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	var out []string
	for _, e := range list {
		name, ok := e.(string)
		if !ok || name == "" {
			return nil, t.fault(t.pieces[0], fmt.Sprintf("%s is no name", preview(asText(e))))
		}
		out = append(out, name)
	}
	return out, nil
}
