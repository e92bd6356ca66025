package expr

// Nearest is the candidate that a misspelled name was most likely meant to be,
// "" if none is near: at most two edits away, and fewer than half its letters. Of
// two that are as near, one as long as the name wins: letters are swapped more
// often than left out.
func Nearest(name string, candidates []string) string {
	best, least := "", min(3, (len(name)+1)/2+1)
	for _, c := range candidates {
		if d := distance(name, c); d < least || d == least && best != "" && len(c) == len(name) && len(best) != len(name) {
			best, least = c, d
		}
	}
	return best
}

// distance counts the letters to add, drop, change or swap with their neighbour.
func distance(a, b string) int {
	before, row := []int(nil), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
