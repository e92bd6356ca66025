package event

import "strings"

// editBound bounds the search for the shortest edit: the number of lines added and
// removed beyond which a change counts as a rewrite of all lines between its first
// and its last difference. The search takes time and memory of that number squared.
const editBound = 1000

// countLines counts the lines that turn old into new, as diff does.
func countLines(old, new string) (added, removed int) {
	if old == new {
		return 0, 0
	}
	a, b := splitLines(old), splitLines(new)
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	n := editDistance(a, b)
	// n = added + removed, and the rest of both is the same lines.
	return (n + len(b) - len(a)) / 2, (n + len(a) - len(b)) / 2
}

// splitLines splits after newlines; a last line without one is a line too.
func splitLines(s string) []string {
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// editDistance is the least number of lines added and removed, after Myers: for
// each number of edits it follows, per diagonal, the path that gets furthest.
func editDistance(a, b []string) int {
	all := len(a) + len(b)
	if len(a) == 0 || len(b) == 0 {
		return all
	}
	bound := min(all, editBound)
	furthest := make([]int, 2*bound+3)
	for d := 0; d <= bound; d++ {
		for k := -d; k <= d; k += 2 {
			x := furthest[bound+k] + 1 // remove a line of a
			if k == -d || k != d && furthest[bound+k] < furthest[bound+k+2] {
				x = furthest[bound+k+2] // add a line of b
			}
			for x < len(a) && x-k >= 0 && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			if x >= len(a) && x-k >= len(b) {
				return d
			}
			furthest[bound+k+1] = x
		}
	}
	return all
}
