package engine

import (
	"context"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	foundLimit = 20  // matches, if a call names no limit
	foundWords = 60  // characters on each side of a match
	mostSteps  = 300 // instructions of a compiled expression: each may cost a step for each character of the page
)

// find searches for text and roles in what a snapshot would show, and returns
// references. Faults: invalid_request, invalid_selector, not_found for a selector
// that matches nothing.
func (ct *contents) find(ctx context.Context, t *tab, a *action.Find, _ action.Pin) (any, error) {
	q, err := queryOf(a)
	if err != nil {
		return nil, err
	}
	if d := ct.fileOf(t); d != nil {
		return d.find(ctx, q), ctx.Err()
	}
	top, walk, err := ct.reader.start(ctx, t)
	if err != nil {
		return nil, err
	}
	walk.NoURLs = true
	if a.Selector != "" {
		h, err := ct.elements.locate(ctx, t, action.Locator{Selector: a.Selector}, action.Timing{Timeout: 1})
		if err != nil {
			return nil, err
		}
		top, walk.Root = h.place, h.node
	}
	merged, err := ct.reader.readPage(ctx, t, top, walk)
	if err != nil {
		return nil, err
	}
	if merged.Cut {
		ct.notes.add("the page is too large to be looked through whole: give a selector for a part of it")
	}
	here := ct.facts(t)
	out := &action.Matches{URL: here.URL, Title: here.Title, Hidden: merged.Hidden}
	out.Matches, out.Total = merged.Find(ctx, q)
	return out, ctx.Err()
}

// tooHeavy reports whether an expression would take much of the gateway's time: RE2
// never backtracks, but it expands repetitions.
func tooHeavy(expression string) bool {
	tree, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return true
	}
	program, err := syntax.Compile(tree.Simplify())
	return err != nil || len(program.Inst) > mostSteps
}

func queryOf(a *action.Find) (snapshot.Query, error) {
	q := snapshot.Query{Role: strings.ToLower(strings.TrimSpace(a.Role)), Name: a.Name, Text: a.Text, Limit: a.Limit, Context: a.Context}
	if q.Limit <= 0 {
		q.Limit = foundLimit
	}
	if q.Context <= 0 {
		q.Context = foundWords
	}
	if a.Regex == "" {
		return q, nil
	}
	pattern, err := regexp.Compile(a.Regex)
	if err != nil {
		return q, fault.New(fault.InvalidRequest, "regex is no regular expression").
			Hinted("it takes the syntax of RE2: no look-around, no back-references").With("field", "regex")
	}
	if tooHeavy(a.Regex) {
		return q, fault.New(fault.InvalidRequest, "regex repeats too much").
			Hinted("write smaller repetitions than {100}, or * and +").With("field", "regex")
	}
	q.Pattern = pattern
	return q, nil
}
