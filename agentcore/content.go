package agentcore

import (
	"encoding/json"
	"fmt"
	"strings"
)

// input is a prompt as the model gets it.
type input struct {
	text   string
	images []recordImage
}

// block holds the members of all kinds of content blocks. ACP: ContentBlock.
type block struct {
	Type        string    `json:"type"`
	Text        *string   `json:"text"`
	URI         string    `json:"uri"`
	Name        string    `json:"name"`
	Title       string    `json:"title"`
	MIMEType    string    `json:"mimeType"`
	Description string    `json:"description"`
	Size        *int64    `json:"size"`
	Data        string    `json:"data"`
	Resource    *resource `json:"resource"`
}

// resource is an embedded one. ACP: EmbeddedResource.
type resource struct {
	URI      string  `json:"uri"`
	MIMEType string  `json:"mimeType"`
	Text     *string `json:"text"`
	Blob     *string `json:"blob"`
}

// convert makes input of a prompt. The first block that cannot be represented
// refuses the whole prompt.
func convert(raw json.RawMessage, vision bool) (*input, error) {
	var list []json.RawMessage
	if !present(raw) || json.Unmarshal(raw, &list) != nil {
		return nil, invalid("invalid_params", "prompt must be a list of content blocks")
	}
	in := new(input)
	var parts []string
	for i, item := range list {
		text, err := in.add(item, vision)
		if err != nil {
			return nil, err.at(i)
		}
		if text != "" {
			parts = append(parts, text)
		}
	}
	in.text = strings.Join(parts, "\n\n")
	if in.text == "" && len(in.images) == 0 {
		return nil, invalid("empty_prompt", "the prompt has neither text nor image")
	}
	return in, nil
}

// contentError is a block that cannot be represented.
type contentError struct {
	reason string
	facts  []any
}

func (e *contentError) at(index int) error {
	message := fmt.Sprintf("content block %d cannot be used: %s", index, strings.ReplaceAll(e.reason, "_", " "))
	return invalid(e.reason, message, append([]any{"index", index}, e.facts...)...)
}

func bad(reason string, facts ...any) *contentError { return &contentError{reason, facts} }

// add returns the text of a block, or keeps its image.
func (in *input) add(raw json.RawMessage, vision bool) (string, *contentError) {
	var b block
	err := json.Unmarshal(raw, &b) // has the type all the same where another member does not fit
	if b.Type != "" {
		if refused := supported(b.Type, vision); refused != nil {
			return "", refused
		}
	}
	if err != nil || b.Type == "" {
		return "", bad("content_invalid")
	}
	switch b.Type {
	case "resource_link":
		return b.link(), nil
	case "resource":
		return b.embedded()
	case "image":
		img, reason := decodeImage(b.MIMEType, b.Data)
		if reason != "" {
			return "", bad(reason)
		}
		in.images = append(in.images, img)
		return "", nil
	}
	if b.Text == nil {
		return "", bad("content_invalid")
	}
	return *b.Text, nil
}

// supported refuses a block for its type alone.
func supported(kind string, vision bool) *contentError {
	switch kind {
	case "text", "resource_link", "resource":
		return nil
	case "audio":
		return bad("audio_unsupported")
	case "image":
		if !vision {
			return bad("image_unsupported_by_model")
		}
		return nil
	}
	return bad("content_unsupported", "type", kind)
}

func (b *block) link() string {
	lines := []string{"Resource link: " + b.Name, "URI: " + b.URI}
	for _, l := range []struct{ label, value string }{
		{"Title", b.Title}, {"MIME type", b.MIMEType}, {"Description", b.Description},
	} {
		if l.value != "" {
			lines = append(lines, l.label+": "+l.value)
		}
	}
	if b.Size != nil {
		lines = append(lines, fmt.Sprintf("Size: %d bytes", *b.Size))
	}
	return strings.Join(lines, "\n")
}

func (b *block) embedded() (string, *contentError) {
	switch r := b.Resource; {
	case r == nil:
		return "", bad("content_invalid")
	case r.Text != nil:
		head := "Embedded resource: " + r.URI
		if r.MIMEType != "" {
			head += " (" + r.MIMEType + ")"
		}
		return head + "\n\n" + *r.Text, nil
	case r.Blob != nil:
		return "", bad("blob_unsupported")
	}
	return "", bad("content_invalid")
}
