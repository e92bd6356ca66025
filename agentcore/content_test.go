package agentcore

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpctl/acpctl/agentcore/model"
	"github.com/acpctl/acpctl/internal/jsonrpc"
)

const png, jpeg = "\x89PNG\r\n\x1a\n", "\xff\xd8\xff"

func imageBlock(mimeType, data string) string {
	return fmt.Sprintf(`{"type":"image","mimeType":%q,"data":%q}`, mimeType, data)
}

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// outcome is what becomes of a prompt, in one line.
func outcome(in *input, err error) string {
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return fmt.Sprintf("%d %s", e.Code, e.Data)
	}
	images := ""
	for _, i := range in.images {
		images += fmt.Sprintf(" [%s %d]", i.MIMEType, len(i.Data))
	}
	return in.text + images
}

func TestAC45_Conversion(t *testing.T) {
	t.Parallel()
	text := func(s string) string { return fmt.Sprintf(`{"type":"text","text":%q}`, s) }
	for _, tc := range []struct{ name, blocks, want string }{
		{"text", text("a"), "a"},
		{"texts", text("a") + "," + text("") + "," + text("b"), "a\n\nb"},
		{"blanks", text("  "), "  "},
		{"link", `{"type":"resource_link","name":"n","uri":"file:///x"}`, "Resource link: n\nURI: file:///x"},
		{
			"whole link", `{"type":"resource_link","name":"n","uri":"u","title":"t","mimeType":"m","description":"d","size":0}`,
			"Resource link: n\nURI: u\nTitle: t\nMIME type: m\nDescription: d\nSize: 0 bytes",
		},
		{"resource", `{"type":"resource","resource":{"uri":"u","text":"x"}}`, "Embedded resource: u\n\nx"},
		{"typed resource", `{"type":"resource","resource":{"uri":"u","mimeType":"text/plain","text":""}}`, "Embedded resource: u (text/plain)\n\n"},
		{"order", text("a") + "," + imageBlock("image/png", b64(png)) + "," + text("b"), "a\n\nb [image/png 8]"},
		{"blob", text("a") + `,{"type":"resource","resource":{"uri":"u","blob":"eA=="}}`, `-32602 {"index":1,"reason":"blob_unsupported"}`},
		{"audio", `{"type":"audio","data":"","mimeType":"audio/wav"}`, `-32602 {"index":0,"reason":"audio_unsupported"}`},
		{"video", `{"type":"video","text":7}`, `-32602 {"index":0,"reason":"content_unsupported","type":"video"}`},
		{"untyped", `{}`, `-32602 {"index":0,"reason":"content_invalid"}`},
		{"no object", `"x"`, `-32602 {"index":0,"reason":"content_invalid"}`},
		{"text without text", `{"type":"text"}`, `-32602 {"index":0,"reason":"content_invalid"}`},
		{"text of a wrong type", `{"type":"text","text":7}`, `-32602 {"index":0,"reason":"content_invalid"}`},
		{"empty resource", `{"type":"resource","resource":{"uri":"u"}}`, `-32602 {"index":0,"reason":"content_invalid"}`},
		{"no resource", `{"type":"resource"}`, `-32602 {"index":0,"reason":"content_invalid"}`},
		{"first of two", `{"type":"audio"},{"type":"video"}`, `-32602 {"index":0,"reason":"audio_unsupported"}`},
	} {
		if got := outcome(convert(json.RawMessage("["+tc.blocks+"]"), true)); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestAC45_ImageWithoutVision(t *testing.T) {
	t.Parallel()
	for _, block := range []string{imageBlock("text/plain", "!"), `{"type":"image","data":7}`} {
		if got, want := outcome(convert(json.RawMessage("["+block+"]"), false)), `-32602 {"index":0,"reason":"image_unsupported_by_model"}`; got != want {
			t.Errorf("%s: %s, want %s", block, got, want)
		}
	}
}

func TestAC45_RefusedPromptLeavesNothing(t *testing.T) {
	t.Parallel()
	core := newCore(t, &setup{Options: Options{DefaultModel: "offline/echo"}})
	p := start(t, &setup{core: core})
	s := p.session("/")
	p.refused("session/prompt", `{"sessionId":"`+s+`","prompt":[{"type":"text","text":"a"},{"type":"audio"}]}`, -32602, "audio_unsupported")
	if info, err := core.opts.Store.Stat(t.Context(), s); err != nil || info.Records != 0 || info.Title != "" {
		t.Errorf("stored are %+v, %v, want no record and no title", info, err)
	}
	if got := kinds(p); len(got) != 0 {
		t.Errorf("updates %v", got)
	}
	p.prompt(s, "b")
}

func TestAC46_Images(t *testing.T) {
	t.Parallel()
	full := png + strings.Repeat("x", maxImage-len(png))
	for _, tc := range []struct{ name, mimeType, data, want string }{
		{"PNG as BMP", "image/bmp", b64(png), "image/png"},
		{"blanks and case", " IMAGE/anything ", b64(jpeg), "image/jpeg"},
		{"GIF", "image/gif", b64("GIF87a"), "image/gif"},
		{"newer GIF", "image/gif", b64("GIF89a"), "image/gif"},
		{"WebP", "image/webp", b64("RIFF1234WEBP"), "image/webp"},
		{"BMP as PNG", "image/png", b64("BM1234"), "image_format_unsupported"},
		{"other RIFF", "image/webp", b64("RIFF1234WAVE"), "image_format_unsupported"},
		{"not an image", "text/plain", b64(png), "image_mime_unsupported"},
		{"newline", "image/png", b64(png)[:4] + "\n" + b64(png)[4:], "image_bad_base64"},
		{"carriage return", "image/png", b64(png) + "\r", "image_bad_base64"},
		{"no padding", "image/png", strings.TrimRight(b64(png), "="), "image_bad_base64"},
		{"URL alphabet", "image/png", "__-_", "image_bad_base64"},
		{"loose bits", "image/png", "iVBORw0KGgp=", "image_bad_base64"},
		{"empty", "image/png", "", "image_empty"},
		{"the largest", "image/png", b64(full), "image/png"},
		{"one byte more", "image/png", b64(full + "x"), "image_too_large"},
		{"too long to decode", "image/png", strings.Repeat("!", (maxImage+2)/3*4+1), "image_too_large"},
	} {
		img, reason := decodeImage(tc.mimeType, tc.data)
		if got := img.MIMEType + reason; got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

func TestAC47_EmptyPrompts(t *testing.T) {
	t.Parallel()
	p := start(t, &setup{Options: Options{DefaultModel: "offline/echo"}})
	s := p.session("/")
	for prompt, reason := range map[string]string{
		`[]`:                          "empty_prompt",
		`[{"type":"text","text":""}]`: "empty_prompt",
		`null`:                        "invalid_params",
		`{}`:                          "invalid_params",
	} {
		p.refused("session/prompt", `{"sessionId":"`+s+`","prompt":`+prompt+`}`, -32602, reason)
	}
	p.refused("session/prompt", `{"sessionId":"`+s+`"}`, -32602, "invalid_params")
}

func TestAC48_ImagesAreCheckedAgainstThePinnedModel(t *testing.T) {
	t.Parallel()
	f := &fake{stream: sayOK}
	p := start(t, &setup{Options: fakeOptions(f)})
	s := p.session("/")
	prompt := `{"sessionId":"` + s + `","prompt":[` + imageBlock("image/jpeg", b64(png)) + `]}`
	p.refused("session/prompt", prompt, -32602, "image_unsupported_by_model")
	set(p, s, "model", "test/other")
	running := p.send("session/prompt", prompt)
	set(p, s, "model", "test/fake")
	if got := stopReason(t, p.response(running)); got != "end_turn" {
		t.Errorf("stop reason %q", got)
	}
	last := f.seen()[0].Messages[1]
	want := model.Message{Role: model.RoleUser, Images: []model.Image{{MIMEType: "image/png", Data: []byte(png)}}}
	if d := cmp.Diff(want, last); d != "" {
		t.Errorf("message (-want +got):\n%s", d)
	}
}

func FuzzConvert(f *testing.F) {
	for _, seed := range []string{`[{"type":"text","text":"a"}]`, `[{"type":"resource","resource":{}}]`, `[` + imageBlock("image/png", b64(png)) + `]`, `{`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		in, err := convert(raw, true)
		if err == nil && in.text == "" && len(in.images) == 0 {
			t.Errorf("%q is admitted and empty", raw)
		}
		var e *jsonrpc.Error
		if err != nil && (!errors.As(err, &e) || e.Code != jsonrpc.CodeInvalidParams) {
			t.Errorf("%q is refused with %v", raw, err)
		}
	})
}

func TestCallWithoutArgumentsIsShown(t *testing.T) {
	t.Parallel()
	f := &fake{stream: func(_ context.Context, n int, _ *model.Request, yield func(model.Chunk, error) bool) {
		args := map[int]string{1: "", 2: "{broken", 3: "\"\xff\""}
		if raw, ok := args[n]; ok {
			yield(model.Chunk{Call: &model.Call{Name: "list_dir", Args: json.RawMessage(raw)}, End: model.EndToolCalls}, nil)
			return
		}
		yield(model.Chunk{Text: "ok", End: model.EndStop}, nil)
	}}
	p := start(t, &setup{Options: fakeOptions(f)})
	if got := p.prompt(p.session(t.TempDir()), "go"); got != "end_turn" {
		t.Errorf("stop reason %q", got)
	}
	var got []any
	for _, u := range p.updates("tool_call") {
		got = append(got, u["rawInput"])
	}
	if d := cmp.Diff([]any{"", "{broken", "\"\ufffd\""}, got); d != "" {
		t.Errorf("raw inputs (-want +got):\n%s", d)
	}
}
