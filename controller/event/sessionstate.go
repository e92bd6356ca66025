package event

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// sessionState is what holds for the session as a whole.
type sessionState struct {
	usage    *ContextUsage
	info     *Info
	mode     string
	options  json.RawMessage // nil: none reported
	commands json.RawMessage
}

// sessionUpdate applies an update about the session as a whole, or one of an
// unknown kind. None of them ends a block.
func (p *Projector) sessionUpdate(kind string, update json.RawMessage) []Body {
	switch kind {
	case "usage_update":
		return p.usageUpdate(update)
	case "config_option_update":
		options := member(update, "configOptions")
		if !isArray(options) {
			return invalid(kind, update, "configOptions is no list")
		}
		return p.Config(options, "notification")
	case "current_mode_update":
		mode, ok := text(member(update, "currentModeId"))
		if !ok {
			return invalid(kind, update, "currentModeId is no string")
		}
		p.session.mode = mode
		return []Body{Mode{ModeID: mode, Origin: "notification"}}
	case "session_info_update":
		return p.infoUpdate(update)
	case "available_commands_update":
		return p.commandsUpdate(update)
	default:
		own := json.RawMessage(bytes.Clone(update))
		p.unknown.add(own)
		return []Body{Update{Kind: kind, Update: own}}
	}
}

// Config replaces the whole list of config options. Origin is response or
// notification. A notification that repeats the known list byte for byte makes no
// event: agents send theirs again before every turn. Options that are absent or
// null, unlike an empty list, say nothing and change nothing.
//
// ACP: configOptions of responses, config_option_update.
func (p *Projector) Config(options json.RawMessage, origin string) []Body {
	options = bytes.TrimSpace(options)
	if len(options) == 0 || isNull(options) {
		return nil
	}
	if _, ok := elements(options); !ok {
		return []Body{Warning{Code: "invalid_config", Message: "configOptions is no list: " + preview(options)}}
	}
	if origin == "notification" && bytes.Equal(options, p.session.options) {
		return nil
	}
	p.session.options = bytes.Clone(options)
	return []Body{Config{Origin: origin, Options: p.session.options}}
}

// Options returns the list of config options as it was last reported; reported is
// false when there was none, which is not the same as an empty list. The caller
// must not change it.
func (p *Projector) Options() (options json.RawMessage, reported bool) {
	return p.session.options, p.session.options != nil
}

func (p *Projector) commandsUpdate(update json.RawMessage) []Body {
	commands := member(update, "availableCommands")
	if !isArray(commands) {
		return invalid("available_commands_update", update, "availableCommands is no list")
	}
	if bytes.Equal(commands, p.session.commands) {
		return nil
	}
	p.session.commands = bytes.Clone(commands)
	return []Body{Commands{Commands: p.session.commands}}
}

func (p *Projector) usageUpdate(update json.RawMessage) []Body {
	used, okUsed := integer(member(update, "used"))
	size, okSize := integer(member(update, "size"))
	if !okUsed || !okSize {
		return invalid("usage_update", update, "used or size is no number")
	}
	usage := ContextUsage{Used: used, Size: size}
	if p.session.usage != nil {
		usage.Cost = p.session.usage.Cost
	}
	switch cost := member(update, "cost"); {
	case isNull(cost):
		usage.Cost = nil
	case len(cost) > 0:
		if c := new(Cost); json.Unmarshal(cost, c) == nil {
			usage.Cost = c
		}
	}
	p.session.usage = &usage
	return []Body{usage}
}

func (p *Projector) infoUpdate(update json.RawMessage) []Body {
	var info Info
	if p.session.info != nil {
		info = *p.session.info
	}
	for it := members(update); it.next(); {
		switch string(it.key) {
		case "title":
			patchText(&info.Title, it.value)
		case "updatedAt":
			patchText(&info.UpdatedAt, it.value)
		}
	}
	p.session.info = &info
	return []Body{info}
}

// patchText applies a member to a text: null clears, what is no text is ignored.
func patchText(dst *string, value []byte) {
	if s, ok := text(value); ok {
		*dst = s
	} else if isNull(value) {
		*dst = ""
	}
}

// member returns the value of one member of an object, nil when it has none.
func member(object []byte, key string) []byte {
	var value []byte
	for it := members(object); it.next(); {
		if string(it.key) == key {
			value = it.value
		}
	}
	return value
}

// integer reads a number that counts something.
func integer(value []byte) (int64, bool) {
	if n, err := strconv.ParseInt(string(value), 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(string(value), 64)
	if err != nil || f >= 1<<63 || f < -1<<63 {
		return 0, false
	}
	return int64(f), true
}
