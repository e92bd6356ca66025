package controller

import (
	"runtime"
	"strings"
	"time"
)

// leftGoroutines returns the stacks of goroutines that run code of this module
// when all tests are over, empty when there are none. Those that are about to end
// get a moment.
func leftGoroutines() string {
	var left string
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for range 200 {
		buf := make([]byte, 1<<20)
		stacks := strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n")
		left = ""
		for _, s := range stacks[1:] { // the first is this one
			if strings.Contains(s, "acpctl/acpctl/") {
				left += s + "\n\n"
			}
		}
		if left == "" {
			return ""
		}
		<-tick.C
	}
	return left
}
