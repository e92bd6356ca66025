package jsonrpc

import (
	"slices"
	"testing"
)

// used returns the items that f still holds on to, in line or not.
func used(f *fifo[int]) (n int) {
	for _, item := range f.items[:cap(f.items)] {
		if item != 0 {
			n++
		}
	}
	return n
}

func TestFifo(t *testing.T) {
	t.Parallel()
	var f fifo[int]
	next, want := 1, 1
	push := func() { f.push(next); next++ }
	for range 10 {
		push()
	}
	for range 1000 {
		push()
		if got := f.pop(); got != want {
			t.Fatalf("got %d, want %d", got, want)
		}
		want++
		if f.len() != 10 || used(&f) != 10 {
			t.Fatalf("%d items in line, %d held", f.len(), used(&f))
		}
	}
	if cap(f.items) > 64 {
		t.Errorf("room for %d items", cap(f.items))
	}
	for range 1000 {
		push()
	}
	for f.len() > 0 {
		if got := f.pop(); got != want {
			t.Fatalf("got %d, want %d", got, want)
		}
		want++
	}
	if cap(f.items) > keepItems || used(&f) != 0 {
		t.Errorf("empty, with room for %d and %d held", cap(f.items), used(&f))
	}
}

func TestFifoRemove(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		remove int
		found  bool
		left   []int
	}{
		{1, false, []int{2, 3, 4}}, {2, true, []int{3, 4}}, {3, true, []int{2, 4}}, {4, true, []int{2, 3}}, {5, false, []int{2, 3, 4}},
	} {
		var f fifo[int]
		for n := range 4 {
			f.push(n + 1)
		}
		f.pop()
		found := f.remove(func(n int) bool { return n == tt.remove })
		if held := used(&f); found != tt.found || held != len(tt.left) {
			t.Errorf("removing %d: %v, %d held", tt.remove, found, held)
		}
		var left []int
		for f.len() > 0 {
			left = append(left, f.pop())
		}
		if !slices.Equal(left, tt.left) {
			t.Errorf("removing %d leaves %v", tt.remove, left)
		}
	}
}
