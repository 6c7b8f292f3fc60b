package redact

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

const nesting = 3 // escapes of escapes of escapes are read

// plain is a text with the escapes in it read, and where they were.
type plain struct {
	text   []byte
	pieces []piece // in order
}

// piece is a character that was an escape: where it is in the text, none, one or
// more bytes long, and where in the source the escape is.
type piece struct{ from, to, start, end int }

// unescape reads the escapes in a text; nil where there are none.
func unescape(src []byte) *plain {
	p := &plain{text: src}
	for range nesting {
		next := p.once()
		if next == nil {
			break
		}
		p = next
	}
	if len(p.pieces) == 0 {
		return nil
	}
	return p
}

// once reads the escapes that are in p's text by now; nil where there are none.
func (p *plain) once() *plain {
	var out *plain
	last, old := 0, 0 // in p's text and of its pieces: what is before is in out
	for lead := newLeads(p.text); lead.at < len(p.text); lead.next() {
		if lead.at < last {
			continue
		}
		char, size := escape(p.text[lead.at:])
		if size == 0 {
			continue
		}
		if out == nil {
			out = &plain{text: make([]byte, 0, len(p.text)), pieces: make([]piece, 0, len(p.pieces)+16)}
		}
		old = out.take(p, last, lead.at, old)
		from := len(out.text)
		out.text = appended(out.text, char)
		last = lead.at + size
		out.pieces = append(out.pieces, piece{from, len(out.text), p.start(lead.at), p.end(last - 1)})
		for old < len(p.pieces) && p.pieces[old].from < last {
			old++
		}
	}
	if out != nil {
		out.take(p, last, len(p.text), old)
	}
	return out
}

// take adds a part of another text with the pieces in it, the first of which is
// given, and returns which piece comes next.
func (p *plain) take(of *plain, from, to, next int) int {
	shift := len(p.text) - from
	p.text = append(p.text, of.text[from:to]...)
	for ; next < len(of.pieces) && of.pieces[next].from < to; next++ {
		one := of.pieces[next]
		one.from, one.to = one.from+shift, one.to+shift
		p.pieces = append(p.pieces, one)
	}
	return next
}

// appended adds a character, or a byte of one.
func appended(text []byte, char rune) []byte {
	switch {
	case char == none:
		return text
	case char < 0:
		return append(text, byte(-char))
	}
	return utf8.AppendRune(text, char)
}

// before is the last piece at or before an offset of the text.
func (p *plain) before(offset int) (piece, bool) {
	i, _ := slices.BinarySearchFunc(p.pieces, offset+1, func(a piece, at int) int { return a.from - at })
	if i == 0 {
		return piece{}, false
	}
	return p.pieces[i-1], true
}

// start is where in the source the character at an offset begins.
func (p *plain) start(offset int) int {
	one, any := p.before(offset)
	switch {
	case !any:
		return offset
	case offset < one.to:
		return one.start
	}
	return one.end + offset - one.to
}

// end is where in the source the byte at an offset ends.
func (p *plain) end(offset int) int {
	one, any := p.before(offset)
	switch {
	case !any:
		return offset + 1
	case offset < one.to:
		return one.end
	}
	return one.end + offset - one.to + 1
}

// leading finds the bytes that escapes begin with, in order.
type leading struct {
	src  []byte
	at   int
	each [3]int // the next of each kind
}

const leads = `%\&`

func newLeads(src []byte) leading {
	l := leading{src: src}
	for i := range l.each {
		l.each[i] = l.find(i, 0)
	}
	l.at = min(l.each[0], l.each[1], l.each[2])
	return l
}

func (l *leading) find(kind, from int) int {
	if i := bytes.IndexByte(l.src[from:], leads[kind]); i >= 0 {
		return from + i
	}
	return len(l.src)
}

func (l *leading) next() {
	for i, at := range l.each {
		if at == l.at {
			l.each[i] = l.find(i, at+1)
		}
	}
	l.at = min(l.each[0], l.each[1], l.each[2])
}
