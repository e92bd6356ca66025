package output

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// value masks all texts in a value and copies what it changes on the way: the
// originals belong to others. A number that is a secret becomes a text where the
// place allows that.
func (r *Redactor) value(v reflect.Value) (reflect.Value, bool) {
	if v.Type() == reflect.TypeFor[json.RawMessage]() {
		raw := r.raw(v.Bytes())
		return reflect.ValueOf(json.RawMessage(raw)), !bytes.Equal(raw, v.Bytes())
	}
	switch v.Kind() {
	case reflect.String:
		s := r.text(v.String())
		return reflect.ValueOf(s).Convert(v.Type()), s != v.String()
	case reflect.Pointer:
		if v.IsNil() {
			return v, false
		}
		elem, changed := r.value(v.Elem())
		p := reflect.New(v.Type().Elem())
		p.Elem().Set(elem)
		return p, changed
	case reflect.Interface:
		return r.inside(v)
	case reflect.Struct:
		return r.elements(v, v.NumField(), reflect.Value.Field)
	case reflect.Slice:
		return r.elements(v, v.Len(), reflect.Value.Index)
	case reflect.Map:
		return r.mapping(v)
	default:
		return v, false
	}
}

// inside masks what an interface holds: a value of inputs or outputs.
func (r *Redactor) inside(v reflect.Value) (reflect.Value, bool) {
	if v.IsNil() || v.Type() == reflect.TypeFor[error]() { // an error does not reach the line
		return v, false
	}
	if n, ok := reflect.TypeAssert[json.Number](v); ok {
		s := r.text(n.String())
		return reflect.ValueOf(s), s != n.String()
	}
	return r.value(v.Elem())
}

// elements masks the parts of a struct or a list.
func (r *Redactor) elements(v reflect.Value, n int, at func(reflect.Value, int) reflect.Value) (reflect.Value, bool) {
	var c reflect.Value
	for i := range n {
		elem, changed := r.value(at(v, i))
		if !changed {
			continue
		}
		if !c.IsValid() {
			c = clone(v)
		}
		at(c, i).Set(elem)
	}
	if !c.IsValid() {
		return v, false
	}
	return c, true
}

// clone copies a struct or a list, but not what its parts refer to.
func clone(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	if v.Kind() == reflect.Slice {
		c.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		reflect.Copy(c, v)
		return c
	}
	c.Set(v)
	return c
}

// mapping masks the values and the keys of a map.
func (r *Redactor) mapping(v reflect.Value) (reflect.Value, bool) {
	if v.IsNil() {
		return v, false
	}
	c := reflect.MakeMapWithSize(v.Type(), v.Len())
	changedAny := false
	for it := v.MapRange(); it.Next(); {
		key, keyChanged := r.value(it.Key())
		elem, changed := r.value(it.Value())
		c.SetMapIndex(key, elem)
		changedAny = changedAny || keyChanged || changed
	}
	return c, changedAny
}

// raw masks the texts of a JSON value, whatever way they are spelled. The rest
// stays byte for byte; what is no JSON is masked as text.
func (r *Redactor) raw(doc []byte) []byte {
	if !json.Valid(doc) {
		return r.Bytes(doc)
	}
	out := make([]byte, 0, len(doc))
	for i := 0; i < len(doc); {
		end := tokenEnd(doc, i)
		out = append(out, r.token(doc[i:end])...)
		i = end
	}
	return out
}

// tokenEnd is where the text, the number or word, or the run of other characters
// that begins at i ends.
func tokenEnd(doc []byte, i int) int {
	if doc[i] == '"' {
		for i++; doc[i] != '"'; i++ {
			if doc[i] == '\\' {
				i++
			}
		}
		return i + 1
	}
	scalar := isScalar(doc[i])
	for i++; i < len(doc) && doc[i] != '"' && isScalar(doc[i]) == scalar; i++ {
	}
	return i
}

// isScalar says whether a number or a word can have c.
func isScalar(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == 'E' || c == '-' || c == '+' || c == '.'
}

// token masks one token of a JSON value. A number that has a secret becomes a
// text.
func (r *Redactor) token(token []byte) []byte {
	switch c := token[0]; {
	case c == '"':
		return r.quotedText(token)
	case (c == '-' || c >= '0' && c <= '9') && len(r.find(string(token))) > 0:
		return []byte(`"` + mask + `"`)
	default:
		return token
	}
}

// quotedText masks a JSON text. One without a secret keeps its spelling.
func (r *Redactor) quotedText(token []byte) []byte {
	text := string(token[1 : len(token)-1])
	escaped := bytes.IndexByte(token, '\\') >= 0
	if escaped && json.Unmarshal(token, &text) != nil {
		return token
	}
	spans := r.find(text)
	if len(spans) == 0 {
		return token
	}
	text = replace(text, spans)
	if escaped {
		text = quoted(text)
	}
	return []byte(`"` + text + `"`)
}
