package agentcore

import "github.com/acpctl/acpctl/internal/jsonrpc"

// closeSession ends a session and answers when everything of it is released. From
// here on it takes no prompts; the work is done beside the handler.
func (c *conn) closeSession(r *jsonrpc.Request) {
	var p struct {
		SessionID string `json:"sessionId"`
	}
	err := decode(r, &p)
	if err != nil {
		c.refuse(r, err)
		return
	}
	s, err := c.active(p.SessionID)
	if err != nil {
		c.refuse(r, err)
		return
	}
	s.stopAdmission()
	r.Detach()
	done := func() { c.answer(r, struct{}{}, s.close()) }
	if !c.detach(done) {
		c.refuse(r, noSession("session_closing", p.SessionID))
	}
}
