package agentcore

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/acpctl/acpctl/agentcore/store"
)

// cursor is the place in the list behind one entry; the zero value is its start. It
// names the entry by what the list is sorted by, so that entries which come or go
// meanwhile move nothing.
type cursor struct {
	Created time.Time `json:"created"`
	ID      string    `json:"id"`
	Filter  filter    `json:"filter"`
}

// before says whether the entry comes behind the cursor.
func (c cursor) before(info *store.Info) bool {
	if c.ID == "" {
		return true
	}
	if info.Created.Equal(c.Created) {
		return info.ID > c.ID
	}
	return info.Created.Before(c.Created)
}

func encodeCursor(info *store.Info, f filter) string {
	raw, err := json.Marshal(cursor{info.Created, info.ID, f})
	if err != nil {
		return "" // times of the store always encode
	}
	return base64.RawURLEncoding.EncodeToString(append(checksum(raw), raw...))
}

// decodeCursor refuses what was not made here for the same filter.
func decodeCursor(text *string, f filter) (cursor, error) {
	var c cursor
	if text == nil {
		return c, nil
	}
	refused := invalid("bad_cursor", "the cursor is not one of this list")
	raw, err := base64.RawURLEncoding.DecodeString(*text)
	if err != nil || len(raw) < checksumSize {
		return c, refused
	}
	sum, body := raw[:checksumSize], raw[checksumSize:]
	if !bytes.Equal(sum, checksum(body)) || json.Unmarshal(body, &c) != nil {
		return c, refused
	}
	if encodeCursor(&store.Info{Header: store.Header{ID: c.ID, Created: c.Created}}, f) != *text {
		return c, refused
	}
	return c, nil
}

const checksumSize = 8

// checksum finds a cursor that was altered; it is no secret.
func checksum(body []byte) []byte {
	sum := sha256.Sum256(body)
	return sum[:checksumSize]
}
