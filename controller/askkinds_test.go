package controller

import (
	"fmt"
	"strings"
	"testing"

	"github.com/acpctl/acpctl/controller/event"
)

func TestModeThatNeverAsksIsRefused(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		mode, kinds   string
		bypass        bool
		refused, warn bool
	}{
		{"yolo", "execute", false, true, false},
		{"bypassPermissions", "fetch", false, true, false},
		{"auto-edit", "edit", false, true, false},
		{"autoEdit", "execute", false, false, false},
		{"yolo", "execute", true, false, true},
		{"default", "execute", false, false, false},
		{"default", "read edit", false, false, true},
		{"yolo", "", false, false, false},
	} {
		t.Run(fmt.Sprint(tc), func(t *testing.T) {
			t.Parallel()
			opts, rec := options()
			opts.AskKinds, opts.AllowBypass = strings.Fields(tc.kinds), tc.bypass
			s := session(t, opts, func(p *peer) {
				p.open(fmt.Sprintf(`,"modes":{"currentModeId":%q,"availableModes":[{"id":%q,"name":"M"}]}`, tc.mode, tc.mode))
				if !tc.refused {
					p.endTurn(p.expect("session/prompt"))
					p.endTurn(p.expect("session/prompt"))
				}
			})
			_, err := s.Prompt(t.Context(), say("hi"))
			if tc.refused {
				fails(t, err, event.ClassUsage, "mode_never_asks")
				return
			}
			if _, again := s.Prompt(t.Context(), say("hi")); err != nil || again != nil {
				t.Error(err, again)
			}
			if n := len(bodies[event.Warning](rec)); n != map[bool]int{true: 1}[tc.warn] {
				t.Errorf("%d warnings", n)
			}
		})
	}
}
