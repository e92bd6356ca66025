package event

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		failure *Failure
		want    int
	}{
		{nil, 0},
		{&Failure{Class: ClassAgent}, 1},
		{&Failure{Class: ClassProtocol}, 1},
		{&Failure{Class: ClassInternal}, 1},
		{&Failure{Class: "new"}, 1},
		{&Failure{Class: ClassUsage}, 2},
		{&Failure{Class: ClassTimeout}, 3},
		{&Failure{Class: ClassSession}, 4},
		{&Failure{Class: ClassPermission}, 5},
		{&Failure{Class: ClassQuestion}, 6},
		{&Failure{Class: ClassSchema}, 7},
		{&Failure{Class: ClassAssert}, 8},
		{&Failure{Class: ClassLimit}, 9},
		{&Failure{Class: ClassStart}, 10},
		{&Failure{Class: ClassAuth}, 11},
		{&Failure{Class: ClassMCP}, 12},
		{&Failure{Class: ClassReplay}, 13},
		{&Failure{Class: ClassSignal}, 130},
		{&Failure{Class: ClassSignal, Reason: ReasonInterrupted}, 130},
		{&Failure{Class: ClassSignal, Reason: ReasonReaderGone}, 141},
		{&Failure{Class: ClassSignal, Reason: ReasonTerminated}, 143},
		{&Failure{Class: ClassAgent, Reason: ReasonTerminated}, 1},
	} {
		if got := tt.failure.ExitCode(); got != tt.want {
			t.Errorf("%+v: got %d, want %d", tt.failure, got, tt.want)
		}
	}
}

func TestAsFailure(t *testing.T) {
	t.Parallel()
	if f := AsFailure(nil); f != nil {
		t.Errorf("nil became %v", f)
	}
	limit := &Failure{Class: ClassLimit, Message: "too many"}
	if f := AsFailure(fmt.Errorf("step build: %w", limit)); f != limit {
		t.Errorf("the failure in the chain was not found: %v", f)
	}
	f := AsFailure(io.ErrUnexpectedEOF)
	if f.Class != ClassInternal || f.Error() != "unexpected EOF" || !errors.Is(f, io.ErrUnexpectedEOF) {
		t.Errorf("got %+v", f)
	}
}

// TestUsageAdd adds every field, also one that is new.
func TestUsageAdd(t *testing.T) {
	t.Parallel()
	seven := Usage{7, 7, 7, 7, 7, 7}
	if diff := cmp.Diff(Usage{14, 14, 14, 14, 14, 14}, seven.Add(seven)); diff != "" {
		t.Errorf("sums differ (-want +got):\n%s", diff)
	}
}
