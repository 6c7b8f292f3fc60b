package scan

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"
)

//go:embed gitleaks.json
var gitleaks []byte

// ruleset is all rules, and an index of their keywords.
type ruleset struct {
	rules  []*rule
	except []exception // of every rule
	words  keywords
	files  []int // the rules that only match names of files
}

// loadRules reads the rules once. It panics on invalid data, which a test excludes.
var loadRules = sync.OnceValue(func() *ruleset {
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
	set := &ruleset{rules: append(data.Rules, ownRules...), except: data.Except}
	set.words = newKeywords(set.rules)
	for i, r := range set.rules {
		if r.Regex == "" {
			set.files = append(set.files, i)
		}
	}
	return set
})

// search calls found for the secrets in a text, once for each rule that matches.
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

// correct adapts a rule of gitleaks, which is for code, to texts that are typed.
func (r *rule) correct() {
	if r.Regex != "" {
		r.Regex = widened(r.Regex)
	}
	if r.ID == "jwt" { // a header is a JSON object; "ey" alone is in every "they"
		r.Keywords = []string{"eyj", "eya"}
	}
}
