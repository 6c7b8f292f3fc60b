package sites

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// draw makes the words of a run.
type draw struct{ *rand.Rand }

var (
	onsets = strings.Fields("b br d dr f g gr k kl l m n p pr r s st t tr v z")
	vowels = strings.Fields("a e i o u ai ea io")
	codas  = strings.Fields("l m n r s x th nd rk")
)

// word is a made-up word with a capital, of two syllables: one of some 300,000.
func (d *draw) word() string {
	s := ""
	for range 2 {
		s += pick(d, onsets) + pick(d, vowels)
	}
	s += pick(d, codas)
	return strings.ToUpper(s[:1]) + s[1:]
}

// words are n different words.
func (d *draw) words(n int) []string {
	seen, all := map[string]bool{}, make([]string, 0, n)
	for len(all) < n {
		if w := d.word(); !seen[w] {
			seen[w], all = true, append(all, w)
		}
	}
	return all
}

func (d *draw) person() string { return d.word() + " " + d.word() }

func (d *draw) mail() string { return strings.ToLower(d.word()) + "@example.org" }

// between is a number from a to b, both included.
func (d *draw) between(a, b int) int { return a + d.IntN(b-a+1) }

// code is a reference as shops and offices give them: two letters, four digits.
func (d *draw) code() string {
	return fmt.Sprintf("%c%c-%04d", 'A'+rune(d.IntN(26)), 'A'+rune(d.IntN(26)), d.IntN(10000))
}

func pick[T any](d *draw, from []T) T { return from[d.IntN(len(from))] }

// some are n of the values, in their order.
func some[T any](d *draw, from []T, n int) []T {
	places := d.Perm(len(from))[:n]
	chosen := map[int]bool{}
	for _, p := range places {
		chosen[p] = true
	}
	var out []T
	for i, v := range from {
		if chosen[i] {
			out = append(out, v)
		}
	}
	return out
}

var months = strings.Fields("January February March April May June July August September October November December")

// date is a day of 2027, as ISO 8601 writes it.
func (d *draw) date() string { return isoDate(2027, d.between(1, 12), d.between(1, 28)) }

func isoDate(year, month, day int) string { return fmt.Sprintf("%d-%02d-%02d", year, month, day) }
