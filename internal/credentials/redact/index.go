package redact

import (
	"encoding/binary"
	"errors"
	"slices"
	"unicode/utf8"
)

const (
	gramSize       = 6 // bytes that are looked up at a time
	gramStride     = 2 // every other gram of a text is looked up, so forms and pieces have gramSize+gramStride-1 bytes at least
	longForm       = 1 << 10
	longFormStep   = 32 // of a form above longForm bytes one gram in so many, and the next one, is kept
	maxOccurrences = 4  // places of one gram in one form that are kept
	filterBits     = 64 // bits of the filter for each gram: one in so many grams of other texts passes
	maxCost        = 64 // bytes compared for each byte of a text, before the search is given up
	hashFactor     = 0x9e3779b97f4a7c15
)

// errGivenUp ends the search in a text that is made to take long.
var errGivenUp = errors.New("too much of the text is almost a secret")

// form is one way in which a secret may be written.
type form struct {
	text    []byte
	least   int  // bytes of a piece that is hidden; 0: only the whole is
	bounded bool // it must not be part of a word
}

// index finds forms, and pieces of them, in a text. It looks up the text's grams
// (pieces of a fixed size) in a filter and a hash table, and compares what is
// around those that it knows. docs/architecture.md, "Dependencies", says why no
// library does this.
type index struct {
	width  int // of a gram, in bytes
	stride int
	forms  []form
	filter []uint64 // a bit for each gram's hash
	shift  uint
	table  []int32 // 1 + index of each gram's first occurrence, by hash; 0 is free
	grams  []occurrence
}

// occurrence is where in a form a gram is.
type occurrence struct {
	gram uint64
	form int32
	at   int32
	next int32 // 1 + index of the next occurrence of the gram
}

func newIndex(width, stride int, forms []form) *index {
	x := &index{width: width, stride: stride, forms: forms}
	total := 0
	for _, f := range forms {
		total += len(f.text)
	}
	bits := uint(10)
	for 1<<bits < total*filterBits && bits < 23 { // 1 MiB at most
		bits++
	}
	x.filter, x.shift = make([]uint64, 1<<(bits-6)), 64-bits
	size := 16
	for size < 2*total {
		size *= 2
	}
	x.table = make([]int32, size)
	x.grams = make([]occurrence, 0, total)
	for i, f := range forms {
		x.addForm(int32(i), f.text) //nolint:gosec // their number is bounded
	}
	return x
}

// addForm keeps the grams of a form.
func (x *index) addForm(id int32, text []byte) {
	padded := append(append(make([]byte, 0, len(text)+slack), text...), make([]byte, slack)...)
	for at := 0; at+x.width <= len(text); at++ {
		if len(text) > longForm && at%longFormStep >= x.stride && at+x.width != len(text) {
			continue
		}
		x.addGram(occurrence{gram: x.load(padded, at), form: id, at: int32(at)}) //nolint:gosec // lengths are bounded
	}
}

func (x *index) addGram(p occurrence) {
	slot := x.slot(p.gram)
	seen := 0
	for i := x.table[slot]; i != 0; i = x.grams[i-1].next {
		if x.grams[i-1].form == p.form {
			seen++
		}
	}
	if seen >= maxOccurrences {
		return
	}
	p.next = x.table[slot]
	x.grams = append(x.grams, p)
	x.table[slot] = int32(len(x.grams)) //nolint:gosec // as above
	h := p.gram * hashFactor >> x.shift
	x.filter[h>>6] |= 1 << (h & 63)
}

// slot is where a gram is in the table, or would be.
func (x *index) slot(gram uint64) int {
	mask := len(x.table) - 1
	slot := int(gram*hashFactor>>20) & mask //nolint:gosec // only its lower bits count
	for x.table[slot] != 0 && x.grams[x.table[slot]-1].gram != gram {
		slot = (slot + 1) & mask
	}
	return slot
}

func (x *index) load(text []byte, at int) uint64 {
	return binary.LittleEndian.Uint64(text[at:at+8]) & (1<<(8*x.width) - 1)
}

// findFunc is called for each form, or piece of a form, that is found.
type findFunc func(f *form, from, to int)

// find calls found for what is in s.
func (x *index) find(s *folded, found findFunc) {
	left := maxCost*len(s.text) + 1<<16
	x.findRange(s, 0, len(s.text), &left, found)
}

// findNearEscapes calls found for what has a character in it that was an escape,
// or is next to one.
func (x *index) findNearEscapes(s *folded, found findFunc) {
	left := maxCost*len(s.text) + 1<<16
	near := x.width + x.stride
	done, mark, last := 0, 0, 0
	for _, p := range s.of.escapes {
		next, _ := slices.BinarySearch(s.at[mark:min(len(s.at), mark+p.from-last)], int32(p.from)) //nolint:gosec // sources are below 2 GiB
		mark, last = mark+next, p.from
		from, to := max(done, mark-near), min(len(s.text), mark+near+utf8.UTFMax)
		if from < to {
			done = max(x.findRange(s, from, to, &left, found), to-x.width)
		}
	}
}

// findRange looks up the grams from one offset of s to another, and returns the
// offset that it reached. It panics with errGivenUp when left runs out.
func (x *index) findRange(s *folded, from, end int, left *int, found findFunc) int {
	n := len(s.text)
	s.text = append(s.text, make([]byte, slack)...)[:n]
	padded := s.text[:n+slack]
	mask := uint64(1)<<(8*x.width) - 1
	i := from
	for ; i+x.width <= end; i += x.stride {
		key := binary.LittleEndian.Uint64(padded[i:i+8]) & mask
		h := key * hashFactor >> x.shift
		if x.filter[h>>6]&(1<<(h&63)) == 0 {
			continue
		}
		to, cost := x.extend(s.text, i, key, found)
		if *left -= cost; *left < 0 {
			panic(errGivenUp)
		}
		if to > 0 {
			i = max(i, to-x.width+1-x.stride)
		}
	}
	return i
}

// extend compares what is around a gram with the forms that have the gram. end is
// where the longest piece that was found ends, cost the number of bytes compared.
func (x *index) extend(text []byte, at int, key uint64, found findFunc) (end, cost int) {
	for i := x.table[x.slot(key)]; i != 0; i = x.grams[i-1].next {
		p := x.grams[i-1]
		f := &x.forms[p.form]
		from, to := at, at+x.width
		first, last := int(p.at), int(p.at)+x.width
		for first > 0 && from > 0 && f.text[first-1] == text[from-1] {
			first, from = first-1, from-1
		}
		for last < len(f.text) && to < len(text) && f.text[last] == text[to] {
			last, to = last+1, to+1
		}
		cost += to - from
		if f.isHidden(last - first) {
			found(f, from, to)
			end = max(end, to)
		}
	}
	return end, cost
}

// isHidden reports whether a piece of n bytes of a form is hidden.
func (f *form) isHidden(n int) bool {
	return n == len(f.text) || f.least > 0 && n >= f.least
}
