//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// peakEvery is how often the peak is read: the system keeps it, so a longer time
// loses only what came last.
const peakEvery = time.Millisecond

// watchPeak reads the peak of resident memory of a process until it is gone; the
// function returns it in bytes. What the system accounts for at the end of a
// process is no use: it counts the largest of its children too, and the agent of
// a measurement is often larger than acpctl.
func watchPeak(pid int) func() int64 {
	stop, peak := make(chan struct{}), make(chan int64)
	go func() {
		tick := time.NewTicker(peakEvery)
		defer tick.Stop()
		var most int64
		for {
			most = max(most, peakOf(pid))
			select {
			case <-stop:
				peak <- most
				return
			case <-tick.C:
			}
		}
	}()
	return func() int64 { close(stop); return <-peak }
}

// peakOf is the VmHWM of a process in bytes, zero when it is gone.
func peakOf(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(status) {
		if f := bytes.Fields(line); len(f) == 3 && string(f[0]) == "VmHWM:" {
			kib, _ := strconv.ParseInt(string(f[1]), 10, 64)
			return kib << 10
		}
	}
	return 0
}
