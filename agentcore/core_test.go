package agentcore

import "testing"

func TestAC01_AnswersAPrompt(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{Options: Options{DefaultModel: "offline/echo"}})
	s := p.session(t.TempDir())
	if got := p.prompt(s, "hello"); got != "end_turn" {
		t.Errorf("stop reason %q, want end_turn", got)
	}
	chunks := p.updates("agent_message_chunk")
	if len(chunks) != 1 || chunks[0]["content"].(map[string]any)["text"] != "hello" {
		t.Errorf("message chunks %v, want one hello", chunks)
	}
}
