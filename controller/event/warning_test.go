package event_test

import (
	"testing"

	"github.com/acpctl/acpctl/controller/event"
)

func TestWarningClass(t *testing.T) {
	t.Parallel()
	tests := []struct {
		code string
		want event.Class
	}{
		{"invalid_update", event.ClassProtocol},
		{"stray_output", event.ClassProtocol},
		{"ask_not_enforced", event.ClassPermission},
		{"callback_panic", event.ClassInternal},
		{"something_new", event.ClassAgent},
	}
	for _, tt := range tests {
		if got := event.WarningClass(tt.code); got != tt.want {
			t.Errorf("%s: class %s, want %s", tt.code, got, tt.want)
		}
		if event.Informational(tt.code) {
			t.Errorf("%s counts as information only", tt.code)
		}
	}
	if !event.Informational("stdin_ignored") {
		t.Error("stdin_ignored would fail a strict run")
	}
}
