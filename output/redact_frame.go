package output

import (
	"bytes"
	"encoding/json"
	"sync"
)

// Frames masks secrets in the frames of a recording, also one that an agent says
// in two chunks of a message: the end of a chunk with which a secret may begin
// goes into the next chunk of the session, or into a chunk of its own before
// whatever else comes. The texts together are the masked text. Safe for
// concurrent use.
type Frames struct {
	r *Redactor

	mu   sync.Mutex              // guards open
	open map[string]*openedFrame // by session and kind of chunk
}

// openedFrame is a message whose end is held back.
type openedFrame struct {
	frame []byte // its last chunk
	rest  string
}

// NewFrames returns a masker of the redactor's secrets.
func (r *Redactor) NewFrames() *Frames { return &Frames{r: r, open: map[string]*openedFrame{}} }

// Mask returns the frames to be recorded for one, in order; the frame itself when
// there is nothing to mask. It keeps nothing of its argument.
func (f *Frames) Mask(frame []byte) [][]byte {
	if f.r.idle() {
		return [][]byte{frame}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	session, kind, text, ok := chunkFrame(frame)
	if !ok {
		return append(f.flush(session), f.r.raw(frame))
	}
	var out [][]byte
	key := session + "\x00" + kind
	if f.open[key] == nil {
		out = f.flush(session)
	}
	held := f.open[key]
	if held == nil {
		held = &openedFrame{}
		f.open[key] = held
	}
	var shown string
	shown, held.rest = f.r.feed(held.rest + text)
	held.frame = bytes.Clone(frame)
	return append(out, f.r.raw(withChunk(frame, shown)))
}

// flush gives what is held back of a session, or of every one where none is
// named: it goes on no more.
func (f *Frames) flush(session string) [][]byte {
	var out [][]byte
	for key, held := range f.open {
		if session != "" && !bytes.HasPrefix([]byte(key), []byte(session+"\x00")) {
			continue
		}
		delete(f.open, key)
		if held.rest != "" {
			out = append(out, f.r.raw(withChunk(held.frame, f.r.text(held.rest))))
		}
	}
	return out
}

// Flush gives what is held back at the end.
func (f *Frames) Flush() [][]byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.flush("")
}

// chunkFrame reads the text of a chunk of a message or thought.
func chunkFrame(frame []byte) (session, kind, text string, ok bool) {
	var doc struct {
		Params struct {
			SessionID string `json:"sessionId"`
			Update    struct {
				Kind    string `json:"sessionUpdate"`
				Content struct {
					Type string  `json:"type"`
					Text *string `json:"text"`
				} `json:"content"`
			} `json:"update"`
		} `json:"params"`
	}
	if json.Unmarshal(frame, &doc) != nil {
		return "", "", "", false
	}
	u := &doc.Params.Update
	chunk := u.Kind == "agent_message_chunk" || u.Kind == "agent_thought_chunk" || u.Kind == "user_message_chunk"
	if !chunk || u.Content.Type != "text" || u.Content.Text == nil {
		return doc.Params.SessionID, "", "", false
	}
	return doc.Params.SessionID, u.Kind, *u.Content.Text, true
}

// withChunk returns a chunk with another text; the order of members is lost.
func withChunk(frame []byte, text string) []byte {
	var doc map[string]any
	dec := json.NewDecoder(bytes.NewReader(frame))
	dec.UseNumber()
	if dec.Decode(&doc) != nil {
		return frame
	}
	params, _ := doc["params"].(map[string]any)
	update, _ := params["update"].(map[string]any)
	content, _ := update["content"].(map[string]any)
	if content == nil || content["text"] == text {
		return frame
	}
	content["text"] = text
	raw, err := json.Marshal(doc)
	if err != nil {
		return frame
	}
	return raw
}
