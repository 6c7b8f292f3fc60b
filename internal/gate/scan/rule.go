package scan

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// rule matches one kind of credential.
type rule struct {
	ID       string      `json:"id"`
	Regex    string      `json:"regex"`
	Group    int         `json:"group"`    // of Regex that is the secret; 0: the first that is not empty
	Entropy  float64     `json:"entropy"`  // bits per byte; a secret has more
	Keywords []string    `json:"keywords"` // one of them is in or near every match; lower case
	File     string      `json:"file"`     // pattern of the names of files that the rule is for; empty for all texts
	Except   []exception `json:"except"`

	verify func(secret string) bool // a further condition for a match; may be nil

	// around returns the part of a text that may have a match with the keyword at
	// from to to, and whether there can be one.
	around func(text string, from, to int) (span, bool)

	once  sync.Once
	quick *regexp.Regexp // matches every text that full matches, and is faster; may be nil
	full  *regexp.Regexp
	files *regexp.Regexp
	reach matchRange
}

// exception matches what looks like a secret and is none.
type exception struct {
	All     bool     `json:"all"`    // all parts must apply, not only one
	Target  string   `json:"target"` // what Regexes are matched with: "match", "line", or the secret when empty
	Files   []string `json:"files"`
	Regexes []string `json:"regexes"`
	Words   []string `json:"words"` // in the secret, lower case

	once    sync.Once
	regexes []*regexp.Regexp
	files   []*regexp.Regexp
}

// prefix is the beginning of many rules of gitleaks. It matches what is before a word,
// for reports, and costs fifty attempts at every letter.
const prefix = `[\w.-]{0,50}?`

// ending is the end of many rules of gitleaks, and wide the same for texts that are not
// code: prose, addresses, markup.
const (
	ending = `(?:[\x60'"\s;]|\\[nr]|$)`
	wide   = `(?:[\x60'"\s;,&<>)}|\]*#]|[.!?:](?:\s|$)|\\[nr]|$)`
)

// assignment is the part of a rule of gitleaks between a name and the value that is
// aroundAssignment to it.
const assignment = `(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}(`

func widened(regex string) string { return strings.ReplaceAll(regex, ending, wide) }

// compile compiles a rule when it is first used: most rules never are.
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
			r.around = aroundAssignment
		default:
			r.around = r.reach.around
		}
	})
}

// isAssigned reports whether r matches an assignment whose name has the keywords of r: then
// no keyword is part of the secret.
func (r *rule) isAssigned() bool {
	before, _, assigns := strings.Cut(r.Regex, assignment)
	before = strings.ToLower(before)
	return assigns && !slices.ContainsFunc(r.Keywords, func(k string) bool { return !strings.Contains(before, k[:min(4, len(k))]) })
}

// isFor reports whether r is for the content of a file of this name.
func (r *rule) isFor(file string) bool {
	r.compile()
	return r.files == nil || file != "" && r.files.MatchString(file)
}

// find returns the first secret in a part of a text that no exception applies to.
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

// secret is the part of a match that is the secret.
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

// entropy is the Shannon entropy, in bits per byte.
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
