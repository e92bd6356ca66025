package cli

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Bounds of the pace of the garbage collector: the heap may grow by gcRoom bytes
// over what is alive before it is collected again, by at least gcLeast per cent,
// and at first to gcRoom bytes, which the runtime counts as gcMost per cent of
// its four megabytes.
const (
	gcRoom  = 8 << 20
	gcLeast = 100
	gcMost  = gcRoom * 100 / (4 << 20)
)

// paceGC sets the pace, and again after each collection. A run holds one message
// at a time and makes little else: with the runtime's own pace a loud agent would
// have it collect after every few megabytes.
func paceGC() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	percent := gcRoom * 100 / max(live[0].Value.Uint64(), 1)
	debug.SetGCPercent(int(min(gcMost, max(gcLeast, percent)))) //nolint:gosec // at most gcMost
	// The next collection finds this unused, and that is how it is seen.
	runtime.AddCleanup(new([16]byte), func(struct{}) { paceGC() }, struct{}{})
}
