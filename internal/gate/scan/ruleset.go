package scan

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"
)

//go:embed gitleaks.json
var gitleaks []byte

// ruleset is all rules, and where their keywords lead.
type ruleset struct {
	rules  []*rule
	except []exception // of every rule
	words  words
	files  []int // the rules that are for names of files alone
}

// theRules reads the rules once. They are our own data: a test reads them all.
var theRules = sync.OnceValue(func() *ruleset {
	var data struct {
		Rules  []*rule     `json:"rules"`
		Except []exception `json:"except"`
	}
	if err := json.Unmarshal(gitleaks, &data); err != nil {
		panic(fmt.Sprintf("gitleaks.json: %v", err))
	}
	for _, r := range data.Rules {
		r.correct()
	}
	set := &ruleset{rules: append(data.Rules, own...), except: data.Except}
	set.words = newWords(set.rules)
	for i, r := range set.rules {
		if r.Regex == "" {
			set.files = append(set.files, i)
		}
	}
	return set
})

// search calls found for each secret in text, with the rule that says so. A
// rule says so once.
func (s *ruleset) search(text, file string, found func(kind, secret string)) {
	for _, i := range s.files {
		if r := s.rules[i]; r.isFor(file) {
			found(r.ID, file)
		}
	}
	windows := s.words.windows(text, s.rules, file)
	for _, w := range windows {
		r := s.rules[w.rule]
		for _, span := range w.spans {
			secret, matched := r.find(text, span, file, s.except)
			if matched {
				found(r.ID, secret)
			}
		}
	}
}

// correct changes what is in the rules of gitleaks for code and not for what
// is typed.
func (r *rule) correct() {
	if r.Regex != "" {
		r.Regex = widened(r.Regex)
	}
	if r.ID == "jwt" { // a header is a JSON object, and "ey" in every "they"
		r.Keywords = []string{"eyj", "eya"}
	}
}
