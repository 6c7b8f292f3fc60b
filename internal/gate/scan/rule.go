package scan

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// rule says what one kind of credential looks like.
type rule struct {
	ID       string      `json:"id"`
	Regex    string      `json:"regex"`
	Group    int         `json:"group"`    // of Regex that is the secret; the first that is not empty when 0
	Entropy  float64     `json:"entropy"`  // bits per letter that a secret has more of
	Keywords []string    `json:"keywords"` // of which one is in or near every match; lower case
	File     string      `json:"file"`     // pattern of the files it is for; empty for all texts
	Except   []exception `json:"except"`

	verify func(secret string) bool // what a pattern cannot say; nil when there is nothing

	// around is the piece of a text that a match with a keyword at from to to
	// lies in, if there can be one.
	around func(text string, from, to int) (span, bool)

	once  sync.Once
	quick *regexp.Regexp // matches wherever full does, and is faster; may be nil
	full  *regexp.Regexp
	files *regexp.Regexp
	reach matchRange
}

// exception is what is no secret although it looks like one.
type exception struct {
	All     bool     `json:"all"`    // every part must hold, in place of one
	Target  string   `json:"target"` // what Regexes are held against: "match", "line", or the secret when empty
	Files   []string `json:"files"`
	Regexes []string `json:"regexes"`
	Words   []string `json:"words"` // in the secret, lower case

	once    sync.Once
	regexes []*regexp.Regexp
	files   []*regexp.Regexp
}

// prefix is how many rules of gitleaks begin: with what stands before a word,
// for reports. It finds nothing and costs fifty tries at every letter.
const prefix = `[\w.-]{0,50}?`

// ending is how many rules of gitleaks end, and wide the same for texts that
// are no code: prose, addresses, markup.
const (
	ending = `(?:[\x60'"\s;]|\\[nr]|$)`
	wide   = `(?:[\x60'"\s;,&<>)}|\]*#]|[.!?:](?:\s|$)|\\[nr]|$)`
)

// giving is what a rule of gitleaks for something that is given to a word has
// between the two.
const giving = `(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}(`

func widened(regex string) string { return strings.ReplaceAll(regex, ending, wide) }

// compile is done when a rule is first needed: most never are.
func (r *rule) compile() {
	r.once.Do(func() {
		if r.File != "" {
			r.files = regexp.MustCompile(r.File)
		}
		if r.Regex == "" {
			return
		}
		r.full = regexp.MustCompile(r.Regex)
		if quick := strings.ReplaceAll(r.Regex, prefix, ""); quick != r.Regex {
			r.quick = regexp.MustCompile(quick)
		}
		r.reach = matchRangeOf(r.Regex)
		switch {
		case r.around != nil:
		case r.isAssigned():
			r.around = assigned
		default:
			r.around = r.reach.around
		}
	})
}

// isAssigned reports whether the keywords of r are words that a secret is
// given to, and no part of the secret.
func (r *rule) isAssigned() bool {
	before, _, given := strings.Cut(r.Regex, giving)
	before = strings.ToLower(before)
	return given && !slices.ContainsFunc(r.Keywords, func(k string) bool { return !strings.Contains(before, k[:min(4, len(k))]) })
}

// isFor reports whether a text of this file is looked through for r.
func (r *rule) isFor(file string) bool {
	r.compile()
	return r.files == nil || file != "" && r.files.MatchString(file)
}

// find returns the first secret in a piece of text that passes.
func (r *rule) find(text string, at span, file string, except []exception) (secret string, found bool) {
	r.compile()
	piece := text[at.from:at.to]
	if r.quick != nil && !r.quick.MatchString(piece) {
		return "", false
	}
	for _, m := range r.full.FindAllStringSubmatchIndex(piece, -1) {
		secret := r.secret(piece, m)
		if r.Entropy != 0 && entropy(secret) <= r.Entropy || r.verify != nil && !r.verify(secret) {
			continue
		}
		c := candidate{secret: secret, match: piece[m[0]:m[1]], line: lineOf(text, at.from+m[0], at.from+m[1]), file: file}
		if !c.isExcepted(r.Except) && !c.isExcepted(except) {
			return secret, true
		}
	}
	return "", false
}

// secret is the part of a match that is one.
func (r *rule) secret(text string, m []int) string {
	if r.Group > 0 {
		return group(text, m, r.Group)
	}
	for i := 1; i < len(m)/2; i++ {
		if s := group(text, m, i); s != "" {
			return s
		}
	}
	return group(text, m, 0)
}

func group(text string, m []int, i int) string {
	if m[2*i] < 0 {
		return ""
	}
	return text[m[2*i]:m[2*i+1]]
}

// entropy is Shannon's, in bits for each byte.
func entropy(text string) float64 {
	var counts [256]int
	for i := range len(text) {
		counts[text[i]]++
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(text))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}
