package acptest

import (
	"errors"
	"fmt"
	"strings"
)

// Flood is a polite agent that answers each prompt with n chunks of size bytes of
// text, one write each as an agent that speaks as it goes, and as fast as it can.
func Flood(n, size int) *Scenario {
	return &Scenario{name: "flood", steps: []step{{line: 1, verb: floods, args: []string{fmt.Sprint(n), fmt.Sprint(size)}}}}
}

// floods is the verb of Flood; scenarios have flood instead.
const floods = "answer each prompt with a flood"

// flood sends n chunks of size bytes of text.
func (p *player) flood(n, size int) error {
	line := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":`+
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%s}}}}`, p.session, quote(filler(size)))
	for range n {
		if err := errors.Join(p.w.write(line), p.w.flush()); err != nil {
			return err
		}
	}
	return nil
}

// filler is text of a size, in words.
func filler(size int) string {
	const words = "the quick brown fox jumps over the lazy dog and "
	return strings.Repeat(words, size/len(words)+1)[:size]
}
