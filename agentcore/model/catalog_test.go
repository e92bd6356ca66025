package model_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acpctl/acpctl/agentcore/model"
)

func catalog() *model.Catalog {
	return &model.Catalog{Entries: []model.Entry{
		{Provider: "one", ID: "small", Name: "Small", Efforts: []string{"low"}},
		{Provider: "two", ID: "vendor/large", Vision: true},
	}}
}

func TestFind(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{"one/small": "Small", "two/vendor/large": "vendor/large", "one/large": "", "small": "", "": ""} {
		e, ok := catalog().Find(value)
		if ok != (want != "") || ok && (e.Title() != want || e.Value() != value) {
			t.Errorf("%q: got %+v, %v", value, e, ok)
		}
	}
	var none *model.Catalog
	if _, ok := none.Find("one/small"); ok || none.Vision() {
		t.Error("a nil catalog has entries")
	}
}

func TestVision(t *testing.T) {
	t.Parallel()
	c := catalog()
	if !c.Vision() {
		t.Error("a model with vision is not seen")
	}
	c.Entries = c.Entries[:1]
	if c.Vision() {
		t.Error("vision without a model that has it")
	}
}

func TestAC41_UnlistedModelIsAdded(t *testing.T) {
	t.Parallel()
	c := catalog()
	grown, ok := c.With("one/unlisted/x")
	if !ok || len(grown.Entries) != 3 || len(c.Entries) != 2 {
		t.Fatalf("got %+v, %v", grown, ok)
	}
	if e, found := grown.Find("one/unlisted/x"); !found || !cmp.Equal(e, model.Entry{Provider: "one", ID: "unlisted/x"}) {
		t.Errorf("got %+v", e)
	}
	if same, ok := c.With("one/small"); !ok || same != c {
		t.Error("a listed model changes the catalog")
	}
	for _, value := range []string{"three/x", "one", "one/", ""} {
		if same, ok := c.With(value); ok || same != c {
			t.Errorf("%q: got %v", value, ok)
		}
	}
	var none *model.Catalog
	if got, ok := none.With("one/x"); ok || got != nil {
		t.Errorf("nil catalog: got %v, %v", got, ok)
	}
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	wrapped := fmt.Errorf("asking: %w", &model.Error{Reason: model.ReasonAuth})
	var e *model.Error
	if !errors.As(wrapped, &e) || e.Error() != "provider_auth" {
		t.Errorf("got %v", wrapped)
	}
	if got := (&model.Error{Reason: model.ReasonAuth, Message: "no key"}).Error(); got != "no key" {
		t.Errorf("got %q", got)
	}
}
