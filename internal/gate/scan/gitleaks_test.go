package scan

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// sample is a text of gitleaks' own tests: its rule must find it, or must not.
type sample struct {
	Rule   string   `json:"rule"`
	Text   string   `json:"text"`
	File   string   `json:"file"`
	Secret bool     `json:"secret"`
	Found  []string `json:"found"` // what gitleaks itself finds in it
	kinds  []string // what the scan finds in it
}

// samples reads and scans the samples, once. They are compressed, because secret scanners of the
// repository's host would report them.
var samples = sync.OnceValue(func() []sample {
	f, err := os.Open("testdata/gitleaks.json.gz")
	if err != nil {
		panic(err)
	}
	defer f.Close()
	plain, err := gzip.NewReader(f)
	if err != nil {
		panic(err)
	}
	var all []sample
	lines := bufio.NewScanner(plain)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var s sample
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			panic(err)
		}
		s.kinds = kindsIn(Text{Field: "text", Value: s.Text, File: s.File})
		all = append(all, s)
	}
	if err := lines.Err(); err != nil {
		panic(err)
	}
	return all
})

// kindsIn lists the kinds that are found in a text.
func kindsIn(text Text) []string {
	var kinds []string
	for _, f := range new(Scanner).Find(text) {
		kinds = append(kinds, f.Kind)
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// score is how a set of texts was judged.
type score struct {
	texts, found, same int
	missed             map[string]int // texts of a rule in which nothing was found
}

// judge scans the samples that are secrets, or those that are none.
func judge(all []sample, secret bool) score {
	c := score{missed: map[string]int{}}
	for _, s := range all {
		if s.Secret != secret {
			continue
		}
		c.texts++
		if len(s.kinds) > 0 {
			c.found++
		} else {
			c.missed[s.Rule]++
		}
		if slices.Contains(s.kinds, s.Rule) {
			c.same++
		}
	}
	return c
}

// The test fails for a text in which gitleaks finds a credential of its rule and the scan does
// not, and the other way round. docs/credential-scan.md has the numbers.
func TestGitleaksSamplesAreJudgedAsByGitleaks(t *testing.T) {
	for _, s := range samples() {
		same := slices.Contains(s.kinds, s.Rule)
		switch {
		case s.Secret && slices.Contains(s.Found, s.Rule) && !same && !differs[s.Rule]:
			t.Errorf("%s is not found in %q, but %q", s.Rule, s.Text, s.kinds)
		case !s.Secret && same:
			t.Errorf("%s is found in %q, which has none", s.Rule, s.Text)
		}
	}
}

// differs are the rules in which the scan differs on purpose: a JSON Web Token begins with a JSON
// object, and one sample of gitleaks does not.
var differs = map[string]bool{"jwt": true}

// The texts around the credentials are longer than the windows in which rules search.
func TestCredentialsAreFoundWhateverIsAroundThem(t *testing.T) {
	around := strings.Repeat(prose, 4)
	for i, s := range samples() {
		if !s.Secret || i%31 != 0 {
			continue
		}
		kinds := kindsIn(Text{Value: around + "\n" + s.Text + "\n" + around, File: s.File})
		if slices.Contains(s.kinds, s.Rule) && !slices.Contains(kinds, s.Rule) {
			t.Errorf("%s is found in %q alone only", s.Rule, s.Text)
		}
	}
}
