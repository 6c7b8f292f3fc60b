package redact

import (
	"encoding/binary"
	"errors"
	"slices"
	"unicode/utf8"
)

const (
	gram     = 6 // bytes that are looked up at a time
	stride   = 2 // every other gram of a text is; so forms and pieces have gram+stride-1 bytes at least
	sparse   = 1 << 10
	thinned  = 32 // of a form above sparse bytes one gram in so many, and the next, is kept
	repeats  = 4  // places of one gram in one form that are kept: the first find the rest
	perGram  = 64 // bits of the filter: one in so many grams of other texts passes
	patience = 64 // bytes compared for each byte of a text, before it is given up
	mixer    = 0x9e3779b97f4a7c15
)

// errGivenUp is the end of a text that is made to take long.
var errGivenUp = errors.New("too much of the text is almost a secret")

// form is one way in which a secret may be written.
type form struct {
	text    []byte
	least   int  // of a piece that counts; 0: only the whole does
	bounded bool // it must stand by itself
}

// index finds forms in a stream by their grams.
type index struct {
	width  int // of a gram, in bytes
	stride int
	forms  []form
	filter []uint64 // a bit for each gram's hash
	shift  uint
	table  []int32 // first entry of each gram plus one, by hash; 0 is free
	places []place
}

// place is where in a form a gram is.
type place struct {
	gram uint64
	form int32
	at   int32
	next int32 // place of the same gram plus one
}

func newIndex(width, stride int, forms []form) *index {
	x := &index{width: width, stride: stride, forms: forms}
	total := 0
	for _, f := range forms {
		total += len(f.text)
	}
	bits := uint(10)
	for 1<<bits < total*perGram && bits < 23 { // 1 MiB at most
		bits++
	}
	x.filter, x.shift = make([]uint64, 1<<(bits-6)), 64-bits
	size := 16
	for size < 2*total {
		size *= 2
	}
	x.table = make([]int32, size)
	x.places = make([]place, 0, total)
	for i, f := range forms {
		x.enter(int32(i), f.text) //nolint:gosec // their number is bounded
	}
	return x
}

// enter keeps the grams of a form.
func (x *index) enter(id int32, text []byte) {
	padded := append(append(make([]byte, 0, len(text)+slack), text...), make([]byte, slack)...)
	for at := 0; at+x.width <= len(text); at++ {
		if len(text) > sparse && at%thinned >= x.stride && at+x.width != len(text) {
			continue
		}
		x.keep(place{gram: x.load(padded, at), form: id, at: int32(at)}) //nolint:gosec // lengths are bounded
	}
}

func (x *index) keep(p place) {
	slot := x.slot(p.gram)
	seen := 0
	for i := x.table[slot]; i != 0; i = x.places[i-1].next {
		if x.places[i-1].form == p.form {
			seen++
		}
	}
	if seen >= repeats {
		return
	}
	p.next = x.table[slot]
	x.places = append(x.places, p)
	x.table[slot] = int32(len(x.places)) //nolint:gosec // as above
	h := p.gram * mixer >> x.shift
	x.filter[h>>6] |= 1 << (h & 63)
}

// slot is where a gram is in the table, or would be.
func (x *index) slot(gram uint64) int {
	mask := len(x.table) - 1
	slot := int(gram*mixer>>20) & mask //nolint:gosec // only its lower bits count
	for x.table[slot] != 0 && x.places[x.table[slot]-1].gram != gram {
		slot = (slot + 1) & mask
	}
	return slot
}

func (x *index) load(text []byte, at int) uint64 {
	return binary.LittleEndian.Uint64(text[at:at+8]) & (1<<(8*x.width) - 1)
}

// find tells of each form, or piece of one that counts, in s.
func (x *index) find(s *stream, tell func(f *form, from, to int)) {
	left := patience*len(s.text) + 1<<16
	x.between(s, 0, len(s.text), &left, tell)
}

// findNear is find for what has a character in it that was an escape, or is next
// to one.
func (x *index) findNear(s *stream, tell func(f *form, from, to int)) {
	left := patience*len(s.text) + 1<<16
	near := x.width + x.stride
	done, mark, last := 0, 0, 0
	for _, p := range s.of.pieces {
		next, _ := slices.BinarySearch(s.at[mark:min(len(s.at), mark+p.from-last)], int32(p.from)) //nolint:gosec // sources are below 2 GiB
		mark, last = mark+next, p.from
		from, to := max(done, mark-near), min(len(s.text), mark+near+utf8.UTFMax)
		if from < to {
			done = max(x.between(s, from, to, &left, tell), to-x.width)
		}
	}
}

// between looks at grams from an offset of s to another, and returns how far it
// came.
func (x *index) between(s *stream, from, end int, left *int, tell func(f *form, from, to int)) int {
	n := len(s.text)
	s.text = append(s.text, make([]byte, slack)...)[:n]
	padded := s.text[:n+slack]
	mask := uint64(1)<<(8*x.width) - 1
	i := from
	for ; i+x.width <= end; i += x.stride {
		key := binary.LittleEndian.Uint64(padded[i:i+8]) & mask
		h := key * mixer >> x.shift
		if x.filter[h>>6]&(1<<(h&63)) == 0 {
			continue
		}
		to, cost := x.probe(s.text, i, key, tell)
		if *left -= cost; *left < 0 {
			panic(errGivenUp)
		}
		if to > 0 {
			i = max(i, to-x.width+1-x.stride)
		}
	}
	return i
}

// probe compares what is around a gram with the forms that have it. end is
// where the longest that was found ends.
func (x *index) probe(text []byte, at int, key uint64, tell func(*form, int, int)) (end, cost int) {
	for i := x.table[x.slot(key)]; i != 0; i = x.places[i-1].next {
		p := x.places[i-1]
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
		if f.counts(first, last) {
			tell(f, from, to)
			end = max(end, to)
		}
	}
	return end, cost
}

// counts reports whether a piece of a form gives enough of it away.
func (f *form) counts(first, last int) bool {
	n := last - first
	return n == len(f.text) || f.least > 0 && n >= f.least
}
