package scan

import (
	"iter"
	"strings"
)

// issuers are the ranges of the first digits of card numbers, and their lengths
// (ISO/IEC 7812), as the card networks publish them.
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

// hasCard reports whether a text has a card number for which pass is false. Card
// numbers of 13 digits are no longer in use: a number of that length is a time in
// milliseconds or a bar code.
func hasCard(text string, pass func(string) bool) bool {
	for from := 0; from < len(text); from++ {
		if text[from] < '0' || text[from] > '9' {
			continue
		}
		start := from
		from = runEnd(text, start)
		if from-start < minCard || !isSeparate(text, start, from) {
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

const minCard, maxCard = 14, 19 // digits

// candidates yields the digits of each group of a run, and of adjacent groups with the
// same separator between them, as on cards: 4 4 4 4, 4 6 5, 4 6 4, 4 4 4 4 3.
func candidates(run string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for from := 0; from < len(run); from = nextGroup(run, from) {
			number, sign := "", byte(0)
			for at := from; at < len(run); {
				end := groupEnd(run, at)
				size := end - at
				number += run[at:end]
				if len(number) >= minCard && len(number) <= maxCard && !yield(number) {
					return
				}
				if end == len(run) || size < 3 || size > 6 || sign != 0 && run[end] != sign || len(number) >= maxCard {
					break
				}
				sign, at = run[end], end+1
			}
		}
	}
}

// runEnd is the end of the groups of digits that begin at an offset, with at most one
// separator between two groups.
func runEnd(text string, at int) int {
	for {
		at = groupEnd(text, at)
		if at+1 >= len(text) || !strings.ContainsRune(" .-", rune(text[at])) || text[at+1] < '0' || text[at+1] > '9' {
			return at
		}
		at++
	}
}

// groupEnd is the end of the group of digits that begins at an offset.
func groupEnd(run string, at int) int {
	for at < len(run) && run[at] >= '0' && run[at] <= '9' {
		at++
	}
	return at
}

// nextGroup is the beginning of the group after the one at an offset.
func nextGroup(run string, at int) int { return groupEnd(run, at) + 1 }

// isSeparate reports whether a number is not part of a word, such as an id or a name.
func isSeparate(text string, from, to int) bool {
	return (from == 0 || !isWordByte(text[from-1])) && (to == len(text) || !isWordByte(text[to]))
}

func isWordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '_' || b == '-' || b == '+'
}

// isCard reports whether digits are a card number, by their range, length and check
// digit (ISO/IEC 7812-1, annex B).
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
				return checkDigitFits(digits)
			}
		}
	}
	return false
}

// checkDigitFits compares the last digit with the check digit of the others. It is false
// for one digit repeated.
func checkDigitFits(digits string) bool {
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
