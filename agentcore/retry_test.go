package agentcore

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/acpctl/acpctl/agentcore/model"
)

// failing fails with these errors, one a request, and then answers.
func failing(errs ...*model.Error) *fake {
	return &fake{stream: func(_ context.Context, n int, _ *model.Request, yield func(model.Chunk, error) bool) {
		if n <= len(errs) {
			yield(model.Chunk{}, errs[n-1])
			return
		}
		yield(model.Chunk{Text: "ok", End: model.EndStop}, nil)
	}}
}

// TestF28_Pauses holds the pauses before a request is made again against what the
// provider asks for and what time there is.
func TestF28_Pauses(t *testing.T) {
	t.Parallel()
	limit := func(wait time.Duration) *model.Error {
		return &model.Error{Reason: model.ReasonRateLimited, Message: "slow", Retryable: true, RetryAfter: wait}
	}
	quota := &model.Error{Reason: model.ReasonRateLimited, Message: "pay"}
	for name, tc := range map[string]struct {
		errs     []*model.Error
		leftMs   int
		took     time.Duration
		requests int
		says     string // in the error; empty: the turn recovers
	}{
		"as told":               {[]*model.Error{limit(2 * time.Second)}, 0, 2 * time.Second, 2, ""},
		"nothing told":          {[]*model.Error{limit(0), limit(0)}, 0, 1125 * time.Millisecond, 3, ""},
		"too long":              {[]*model.Error{limit(990 * time.Second)}, 0, 0, 1, "slow (it would have to wait 16m30s, and a request waits 30s at most)"},
		"too long in all":       {[]*model.Error{limit(20 * time.Second), limit(20 * time.Second)}, 0, 20 * time.Second, 2, "would have to wait 20s"},
		"not in the time left":  {[]*model.Error{limit(12 * time.Second)}, 10_000, 0, 1, "would have to wait 12s, and 10s are left of the time limit"},
		"in the time left":      {[]*model.Error{limit(8 * time.Second)}, 10_000, 8 * time.Second, 2, ""},
		"time that has gone by": {[]*model.Error{limit(6 * time.Second), limit(6 * time.Second)}, 10_000, 6 * time.Second, 2, "and 4s are left"},
		"quota":                 {[]*model.Error{quota}, 0, 0, 1, "pay"},
		"always":                {[]*model.Error{limit(1), limit(1), limit(1), limit(1), limit(1)}, 0, 3, 4, "slow"},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := failing(tc.errs...)
			st := setup{Options: fakeOptions(f), init: optedIn}
			st.Clock, st.Jitter = time.Now, func() float64 { return 0.5 }
			p := start(t, &st)
			params := promptParams(p.session(t.TempDir()), "go")
			if tc.leftMs > 0 {
				params = strings.TrimSuffix(params, "}") + fmt.Sprintf(`,"_meta":{"chrys":{"timeLeftMs":%d}}}`, tc.leftMs)
			}
			began := time.Now()
			answer := p.call("session/prompt", params)
			if took := time.Since(began); took != tc.took || len(f.seen()) != tc.requests {
				t.Errorf("%s: %d requests in %v, want %d in %v", name, len(f.seen()), took, tc.requests, tc.took)
			}
			if failed := answer.Error != nil; failed != (tc.says != "") || !strings.Contains(answer.raw, tc.says) {
				t.Errorf("%s: %s", name, answer.raw)
			}
			retries := 0
			for _, f := range p.all() {
				if f.Method == retryAttemptMethod {
					retries++
				}
			}
			if retries != tc.requests-1 {
				t.Errorf("%s: %d retries are told, want %d", name, retries, tc.requests-1)
			}
		})
	}
}
