package event

import (
	"slices"
	"strings"
)

// TurnText is the text that answers the turn: what the agent said after the
// turn's last tool call, else its last block that is not blank. Blocks of
// different messages are set apart by a blank line.
func (p *Projector) TurnText() string {
	said := p.said
	if b := p.block; b != nil && !b.quiet && b.msg.speaker == agentMessage {
		said = append(slices.Clip(said), saidBlock{b.msg, b.text.join(), len(p.turnCalls)})
	}
	first := slices.IndexFunc(said, func(s saidBlock) bool { return s.calls >= len(p.turnCalls) })
	if first >= 0 && first == len(said)-1 && strings.TrimSpace(said[first].text) != "" {
		return said[first].text // the common case, without a copy of it
	}
	var answer strings.Builder
	var before *message
	for _, s := range said {
		if s.calls < len(p.turnCalls) {
			continue
		}
		if before != nil && before != s.msg {
			answer.WriteString(gap(answer.String(), s.text))
		}
		answer.WriteString(s.text)
		before = s.msg
	}
	if strings.TrimSpace(answer.String()) != "" {
		return answer.String()
	}
	for _, s := range slices.Backward(said) {
		if strings.TrimSpace(s.text) != "" {
			return s.text
		}
	}
	return ""
}

// gap is what goes between two messages.
func gap(before, after string) string {
	if before == "" || strings.HasSuffix(before, "\n") || strings.HasPrefix(after, "\n") {
		return ""
	}
	return "\n\n"
}
