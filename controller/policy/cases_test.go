package policy

import "testing"

func TestRO16_Cases(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"testdata/cases.jsonl", "testdata/engine.jsonl"} {
		for _, c := range readTable(t, file) {
			t.Run(c.ID, func(t *testing.T) {
				t.Parallel()
				c.check(t)
			})
		}
	}
}
