//go:build ignore

// Package utils replaces the package of that name in a copy of gitleaks. The original
// tests each rule with its samples; this one records the samples.
package utils

import (
	"compress/gzip"
	"encoding/json"
	"maps"
	"os"
	"slices"

	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/regexp"
)

// sample is a text that its rule must match or must not match.
type sample struct {
	Rule   string   `json:"rule"`
	Text   string   `json:"text"`
	File   string   `json:"file,omitempty"`
	Secret bool     `json:"secret"`
	Found  []string `json:"found,omitempty"` // rules of gitleaks that match it
}

type rule struct {
	ID       string      `json:"id"`
	Regex    string      `json:"regex,omitempty"`
	Group    int         `json:"group,omitempty"`
	Entropy  float64     `json:"entropy,omitempty"`
	Keywords []string    `json:"keywords,omitempty"`
	File     string      `json:"file,omitempty"`
	Except   []exception `json:"except,omitempty"`
}

type exception struct {
	All     bool     `json:"all,omitempty"`
	Target  string   `json:"target,omitempty"`
	Files   []string `json:"files,omitempty"`
	Regexes []string `json:"regexes,omitempty"`
	Words   []string `json:"words,omitempty"`
}

var samples []sample

// Validate records the samples of a rule.
func Validate(r config.Rule, found, passed []string) *config.Rule {
	for _, text := range found {
		samples = append(samples, sample{Rule: r.RuleID, Text: text, Secret: true})
	}
	for _, text := range passed {
		samples = append(samples, sample{Rule: r.RuleID, Text: text})
	}
	return &r
}

// ValidateWithPaths records the samples of a rule that applies to certain files.
func ValidateWithPaths(r config.Rule, found, passed map[string]string) *config.Rule {
	for _, file := range slices.Sorted(maps.Keys(found)) {
		samples = append(samples, sample{Rule: r.RuleID, Text: found[file], File: file, Secret: true})
	}
	for _, file := range slices.Sorted(maps.Keys(passed)) {
		samples = append(samples, sample{Rule: r.RuleID, Text: passed[file], File: file})
	}
	return &r
}

// Write writes the rules and the samples to the files named by the arguments.
func Write() {
	detector, err := detect.NewDetectorDefaultConfig()
	must(err)
	for i, s := range samples {
		for _, f := range detector.Detect(detect.Fragment{Raw: s.Text, FilePath: s.File}) {
			samples[i].Found = append(samples[i].Found, f.RuleID)
		}
		slices.Sort(samples[i].Found)
		samples[i].Found = slices.Compact(samples[i].Found)
	}
	writeRules(os.Args[1], detector.Config)
	writeSamples(os.Args[2])
}

func writeRules(path string, c config.Config) {
	all := struct {
		Rules  []rule      `json:"rules"`
		Except []exception `json:"except"`
	}{Except: exceptions(c.Allowlists)}
	for _, id := range slices.Sorted(maps.Keys(c.Rules)) {
		r := c.Rules[id]
		keywords := slices.Clone(r.Keywords)
		slices.Sort(keywords)
		all.Rules = append(all.Rules, rule{
			ID: id, Regex: text(r.Regex), Group: r.SecretGroup, Entropy: r.Entropy,
			Keywords: keywords, File: text(r.Path), Except: exceptions(r.Allowlists),
		})
	}
	f, err := os.Create(path)
	must(err)
	encoder := json.NewEncoder(f)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	must(encoder.Encode(all))
	must(f.Close())
}

func exceptions(lists []*config.Allowlist) []exception {
	var all []exception
	for _, l := range lists {
		words := slices.Clone(l.StopWords)
		slices.Sort(words)
		all = append(all, exception{
			All: l.MatchCondition == config.AllowlistMatchAnd, Target: l.RegexTarget,
			Files: texts(l.Paths), Regexes: texts(l.Regexes), Words: words,
		})
	}
	return all
}

// writeSamples writes the samples compressed, because plain ones trigger the secret
// scanners of those who host the repository.
func writeSamples(path string) {
	f, err := os.Create(path)
	must(err)
	packed := gzip.NewWriter(f)
	encoder := json.NewEncoder(packed)
	for _, s := range samples {
		must(encoder.Encode(s))
	}
	must(packed.Close())
	must(f.Close())
}

func texts(all []*regexp.Regexp) []string {
	var out []string
	for _, r := range all {
		out = append(out, r.String())
	}
	return out
}

func text(r *regexp.Regexp) string {
	if r == nil {
		return ""
	}
	return r.String()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
