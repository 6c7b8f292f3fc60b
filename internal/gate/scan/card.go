package scan

import (
	"iter"
	"strings"
)

// issuers are the first digits of the numbers of cards and how many digits
// those have: ISO/IEC 7812, as the networks publish their ranges.
var issuers = []struct {
	from, to int // of the first six digits
	lengths  []int
}{
	{400000, 499999, []int{16, 19}},         // Visa
	{510000, 559999, []int{16}},             // Mastercard
	{222100, 272099, []int{16}},             // Mastercard
	{340000, 349999, []int{15}},             // American Express
	{370000, 379999, []int{15}},             // American Express
	{300000, 305999, []int{14, 16, 19}},     // Diners Club
	{309500, 309599, []int{14, 16, 19}},     // Diners Club
	{360000, 369999, []int{14, 16, 19}},     // Diners Club
	{380000, 399999, []int{14, 16, 19}},     // Diners Club
	{352800, 358999, []int{16, 17, 18, 19}}, // JCB
	{601100, 601199, []int{16, 19}},         // Discover
	{644000, 659999, []int{16, 19}},         // Discover, RuPay
	{620000, 629999, []int{16, 17, 18, 19}}, // UnionPay
	{810000, 829999, []int{16}},             // RuPay, UnionPay
	{220000, 220499, []int{16, 17, 18, 19}}, // Mir
	{500000, 509999, []int{16, 17, 18, 19}}, // Maestro, Elo
	{560000, 589999, []int{16, 17, 18, 19}}, // Maestro
	{630000, 639999, []int{16, 17, 18, 19}}, // Maestro
	{676700, 676799, []int{16, 18, 19}},     // Maestro
}

// hasCard reports whether the number of a card is in a text that does not
// pass. Those of 13 digits are not in use any more: what has so many is a time
// in milliseconds or a bar code.
func hasCard(text string, pass func(string) bool) bool {
	for from := 0; from < len(text); from++ {
		if text[from] < '0' || text[from] > '9' {
			continue
		}
		start := from
		from = runEnd(text, start)
		if from-start < leastCard || !alone(text, start, from) {
			continue
		}
		for number := range candidates(text[start:from]) {
			if isCard(number) && !pass(number) {
				return true
			}
		}
	}
	return false
}

const leastCard, mostCard = 14, 19 // digits

// candidates are the digits of each group of a run, and of groups that follow
// each other with the same sign between them, as cards are printed: 4 4 4 4,
// 4 6 5, 4 6 4, 4 4 4 4 3.
func candidates(run string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for from := 0; from < len(run); from = next(run, from) {
			number, sign := "", byte(0)
			for at := from; at < len(run); {
				end := groupEnd(run, at)
				size := end - at
				number += run[at:end]
				if len(number) >= leastCard && len(number) <= mostCard && !yield(number) {
					return
				}
				if end == len(run) || size < 3 || size > 6 || sign != 0 && run[end] != sign || len(number) >= mostCard {
					break
				}
				sign, at = run[end], end+1
			}
		}
	}
}

// runEnd is where the groups of digits end that begin at at, with one sign at
// most between two.
func runEnd(text string, at int) int {
	for {
		at = groupEnd(text, at)
		if at+1 >= len(text) || !strings.ContainsRune(" .-", rune(text[at])) || text[at+1] < '0' || text[at+1] > '9' {
			return at
		}
		at++
	}
}

// groupEnd is where the group of digits ends that begins at at.
func groupEnd(run string, at int) int {
	for at < len(run) && run[at] >= '0' && run[at] <= '9' {
		at++
	}
	return at
}

// next is where the group after the one at at begins.
func next(run string, at int) int { return groupEnd(run, at) + 1 }

// alone reports whether a number is no part of a word: of an id or a name.
func alone(text string, from, to int) bool {
	return (from == 0 || !joins(text[from-1])) && (to == len(text) || !joins(text[to]))
}

func joins(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '_' || b == '-' || b == '+'
}

// isCard reports whether digits are those of a card: its range, length and
// check digit (ISO/IEC 7812-1, annex B).
func isCard(digits string) bool {
	first := 0
	for i := range 6 {
		first = first*10 + int(digits[i]-'0')
	}
	for _, issuer := range issuers {
		if first < issuer.from || first > issuer.to {
			continue
		}
		for _, length := range issuer.lengths {
			if len(digits) == length {
				return checks(digits)
			}
		}
	}
	return false
}

// checks holds the last digit against the others, and refuses what is one
// digit repeated.
func checks(digits string) bool {
	sum, same := 0, true
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		same = same && digits[i] == digits[len(digits)-1]
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0 && !same
}
