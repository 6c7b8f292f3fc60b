package redact

import "unicode/utf8"

// plainly is loosely without what is not ASCII, which in a picture is no letter.
var plainly = func() (fold [256]byte) {
	copy(fold[:utf8.RuneSelf], loosely[:])
	return fold
}()

// inBinary reports whether a secret is in bytes that are no text, as it is or
// encoded. Those that four or five bytes may be by chance are not looked for.
func (m *Matcher) inBinary(b []byte) (found bool) {
	if m.none() || len(b) == 0 {
		return false
	}
	if len(b) > longText {
		return true
	}
	defer func() {
		if recover() != nil {
			found = true
		}
	}()
	for _, search := range []struct {
		in   *index
		fold *[256]byte
	}{{m.loose, &plainly}, {m.exact, &exactly}} {
		if search.in == nil {
			continue
		}
		s := room(len(b), search.fold)
		s.copied(b, 0)
		search.in.find(s, func(_ *form, from, to int) { found = found || to-from >= alone })
		s.release()
	}
	return found
}
