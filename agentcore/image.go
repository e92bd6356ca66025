package agentcore

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// maxImage is the most bytes that one image may have.
const maxImage = 5 << 20

// decodeImage checks an image; reason says what is wrong with it. The bytes decide
// what type it is, whatever was declared.
func decodeImage(mimeType, data string) (img recordImage, reason string) {
	if !strings.HasPrefix(strings.ToLower(strings.TrimSpace(mimeType)), "image/") {
		return img, "image_mime_unsupported"
	}
	if len(data) > (maxImage+2)/3*4 {
		return img, "image_too_large" // before anything is decoded
	}
	// The standard decoder skips line ends, which are no part of the alphabet.
	raw, err := base64.StdEncoding.Strict().DecodeString(data)
	switch {
	case err != nil || strings.ContainsAny(data, "\r\n"):
		return img, "image_bad_base64"
	case len(raw) == 0:
		return img, "image_empty"
	case len(raw) > maxImage:
		return img, "image_too_large"
	}
	kind := imageType(raw)
	if kind == "" {
		return img, "image_format_unsupported"
	}
	return recordImage{MIMEType: kind, Data: raw}, ""
}

// imageType is the MIME type that the first bytes tell, empty for none.
func imageType(raw []byte) string {
	has := func(magic string) bool { return bytes.HasPrefix(raw, []byte(magic)) }
	switch {
	case has("\x89PNG\r\n\x1a\n"):
		return "image/png"
	case has("\xff\xd8\xff"):
		return "image/jpeg"
	case has("GIF87a"), has("GIF89a"):
		return "image/gif"
	case has("RIFF") && len(raw) >= 12 && string(raw[8:12]) == "WEBP":
		return "image/webp"
	}
	return ""
}
