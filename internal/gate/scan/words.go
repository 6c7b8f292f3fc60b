package scan

// words finds the keywords of all rules in one pass: by their first two bytes,
// which few texts have in common with them, and then as a whole.
type words struct {
	first [1 << 16]bool
	by    map[[2]byte][]word
}

type word struct {
	text string
	rule int
}

// newWords lists the keywords of rules, which are lower case and have two
// bytes at least.
func newWords(rules []*rule) words {
	w := words{by: map[[2]byte][]word{}}
	for i, r := range rules {
		for _, k := range r.Keywords {
			key := [2]byte{k[0], k[1]}
			w.first[int(k[0])<<8|int(k[1])] = true
			w.by[key] = append(w.by[key], word{text: k, rule: i})
		}
	}
	return w
}

// window is where in a text one rule may find something.
type window struct {
	rule  int
	spans []span // in order, apart from each other
}

// windows lists where in a text each rule has to look.
func (w *words) windows(text string, rules []*rule, file string) []window {
	var all []window
	at := map[int]int{} // rule → place in all
	lower := lowerASCII(text)
	for i := 0; i+1 < len(lower); i++ {
		if !w.first[int(lower[i])<<8|int(lower[i+1])] {
			continue
		}
		for _, k := range w.by[[2]byte{lower[i], lower[i+1]}] {
			if len(lower)-i < len(k.text) || string(lower[i:i+len(k.text)]) != k.text {
				continue
			}
			place, known := at[k.rule]
			if !known {
				place = len(all)
				at[k.rule] = place
				all = append(all, window{rule: k.rule})
			}
			all[place].add(text, rules[k.rule], i, i+len(k.text), file)
		}
	}
	return all
}

// add notes that a keyword stands at from to to.
func (w *window) add(text string, r *rule, from, to int, file string) {
	if !r.isFor(file) {
		return
	}
	if n := len(w.spans); n > 0 && w.spans[n-1].to >= to+r.reach.after {
		return
	}
	s, worth := r.around(text, from, to)
	if !worth {
		return
	}
	if n := len(w.spans); n > 0 && s.from <= w.spans[n-1].to {
		w.spans[n-1].to = max(w.spans[n-1].to, s.to)
		return
	}
	w.spans = append(w.spans, s)
}

// lowerASCII changes no length, as strings.ToLower may.
func lowerASCII(text string) []byte {
	b := []byte(text)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return b
}
