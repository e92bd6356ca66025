package archtest

import "testing"

func TestModulePath(t *testing.T) {
	if got := modulePath(t); got != "github.com/acpctl/acpctl" {
		t.Fatalf("module path %q", got)
	}
}
