package policy

import (
	"fmt"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// view is a call as rules see it. Its texts are read when a rule first needs them.
type view struct {
	call  *action.Call
	verb  *action.Verb
	facts *action.Facts
	hosts []string               // that the call concerns
	texts map[string][]textForms // by parameter
}

// textForms is a text in the forms that a condition may match.
type textForms struct {
	lower string   // in lower case; empty where it is not ASCII
	forms []string // the text itself first, then others where letters can be written in several ways
}

func (v *view) values(param string) []textForms {
	if texts, known := v.texts[param]; known {
		return texts
	}
	var raw []string
	if slot, isFact := paramIndex[param]; isFact {
		raw = Params[slot].of(v.facts)
	} else {
		raw = argument(v.call.Args, param)
	}
	texts := make([]textForms, len(raw))
	for i, text := range raw {
		texts[i] = textForms{forms: formsOf(text)}
		if isASCII(text) {
			texts[i].lower = strings.ToLower(text)
		}
	}
	if v.texts == nil {
		v.texts = map[string][]textForms{}
	}
	v.texts[param] = texts
	return texts
}

// miss is why a rule does not match a call. The zero miss means that it matches.
type miss struct {
	kind missKind
	at   int // the condition, from 0
}

type missKind int

const (
	matched missKind = iota
	wrongTool
	wrongRole
	wrongHost
	notGranted
	conditionFails
)

// explain describes why a rule does not match.
func (x *rule) explain(m miss) string {
	switch m.kind {
	case matched:
		return ""
	case wrongTool:
		return "it is for other tools"
	case wrongRole:
		return "it is for other roles"
	case wrongHost:
		if x.act == allows {
			return "a host of the call is not among its hosts"
		}
		return "none of the call's hosts is among its hosts"
	case notGranted:
		return "it does not name the verb and the role, as a grant of unmediated access must"
	}
	return fmt.Sprintf("condition %d on %s does not hold", m.at+1, x.conditions[m.at].param)
}

// match compares a call with the rule. A rule that allows must match every host and value of
// the call; a rule that asks or denies, one of them.
func (x *rule) match(v *view) miss {
	switch {
	case x.verbs != nil && !x.verbs[v.verb.Name]:
		return miss{kind: wrongTool}
	case !x.roles[v.call.Caller.Role]:
		return miss{kind: wrongRole}
	case !x.covers(v.hosts):
		return miss{kind: wrongHost}
	case v.verb.Class == action.Raw && (x.act == allows || x.act == asks) && !x.givesRaw(v.verb):
		return miss{kind: notGranted}
	}
	for i := range x.conditions {
		if !x.conditions[i].holds(v, x.act == allows) {
			return miss{kind: conditionFails, at: i}
		}
	}
	return miss{}
}

// givesRaw reports whether the rule can give a raw verb to a role: it names the verb and the
// roles, and the verb is raw by itself, not only because of its arguments.
func (x *rule) givesRaw(verb *action.Verb) bool {
	row, known := action.Lookup(verb.Name)
	return known && row.Class == action.Raw && x.grants && x.verbs[verb.Name]
}

func (x *rule) covers(hosts []string) bool {
	if len(x.source.Hosts) == 0 {
		return true
	}
	matched := 0
	for _, h := range hosts {
		if x.hosts.match(h) {
			matched++
		}
	}
	return matched > 0 && (x.act != allows || matched == len(hosts))
}

func (c *condition) holds(v *view, every bool) bool {
	values := v.values(c.param)
	for i := range values {
		if c.is(&values[i], every) != every {
			return !every
		}
	}
	return every && len(values) > 0
}

// is reports whether a text fulfils the condition. Strictly, only the text as it is written
// counts: a text that only looks alike must not be allowed.
func (c *condition) is(text *textForms, strictly bool) bool {
	forms := text.forms
	if strictly {
		forms = forms[:1]
	}
	for _, form := range forms {
		switch {
		case c.pattern != nil:
			if c.pattern.in(form, text.lower) {
				return true
			}
		case strictly:
			for _, value := range c.exact {
				if strings.EqualFold(value, form) {
					return true
				}
			}
		case c.values[fold(form)]:
			return true
		}
	}
	return false
}

// formsOf returns the forms of a text: as it is, without invisible letters and compatibility
// forms, without marks, and with look-alike letters as Latin ones.
func formsOf(text string) []string {
	forms := []string{text}
	if isASCII(text) {
		return forms
	}
	for _, form := range []string{withoutInvisible(text), fold(text), fold(latin(text))} {
		if form != forms[len(forms)-1] {
			forms = append(forms, form)
		}
	}
	return forms
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}
