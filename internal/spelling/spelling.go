// Package spelling finds the known word that is nearest to a misspelled one.
package spelling

import "slices"

// Nearest returns the known word with the smallest distance to word, the first
// one if there are several; empty if known is empty.
func Nearest(word string, known []string) string {
	if len(known) == 0 {
		return ""
	}
	return slices.MinFunc(known, func(a, b string) int { return distance(word, a) - distance(word, b) })
}

// Misspelled returns the known word of which word is a misspelling: the nearest one, if one
// letter differs, or at most a fifth of them; otherwise "".
func Misspelled(word string, known []string) string {
	if near := Nearest(word, known); near != "" && distance(word, near) <= max(1, len(word)/5) {
		return near
	}
	return ""
}

// distance is the Levenshtein distance of a and b in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
