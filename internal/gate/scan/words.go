package scan

// keywords finds the keywords of all rules in one pass: by their first two bytes, and
// then as a whole.
type keywords struct {
	first [1 << 16]bool
	by    map[[2]byte][]keyword
}

type keyword struct {
	text string
	rule int
}

// newKeywords indexes the keywords of rules, which are in lower case and have at least
// two bytes.
func newKeywords(rules []*rule) keywords {
	w := keywords{by: map[[2]byte][]keyword{}}
	for i, r := range rules {
		for _, k := range r.Keywords {
			key := [2]byte{k[0], k[1]}
			w.first[int(k[0])<<8|int(k[1])] = true
			w.by[key] = append(w.by[key], keyword{text: k, rule: i})
		}
	}
	return w
}

// window is where in a text one rule may match.
type window struct {
	rule  int
	spans []span // in order; they do not overlap
}

// windows returns where in a text each rule may match.
func (w *keywords) windows(text string, rules []*rule, file string) []window {
	var all []window
	at := map[int]int{} // index in all, by rule
	lower := lowerASCII(text)
	for i := 0; i+1 < len(lower); i++ {
		if !w.first[int(lower[i])<<8|int(lower[i+1])] {
			continue
		}
		for _, k := range w.by[[2]byte{lower[i], lower[i+1]}] {
			if len(lower)-i < len(k.text) || string(lower[i:i+len(k.text)]) != k.text {
				continue
			}
			index, known := at[k.rule]
			if !known {
				index = len(all)
				at[k.rule] = index
				all = append(all, window{rule: k.rule})
			}
			all[index].add(text, rules[k.rule], i, i+len(k.text), file)
		}
	}
	return all
}

// add adds the part of a text around a keyword.
func (w *window) add(text string, r *rule, from, to int, file string) {
	if !r.isFor(file) {
		return
	}
	if n := len(w.spans); n > 0 && w.spans[n-1].to >= to+r.reach.after {
		return
	}
	s, possible := r.around(text, from, to)
	if !possible {
		return
	}
	if n := len(w.spans); n > 0 && s.from <= w.spans[n-1].to {
		w.spans[n-1].to = max(w.spans[n-1].to, s.to)
		return
	}
	w.spans = append(w.spans, s)
}

// lowerASCII keeps the length of a text, unlike strings.ToLower.
func lowerASCII(text string) []byte {
	b := []byte(text)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return b
}
