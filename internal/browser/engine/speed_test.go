package engine_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func BenchmarkVerbs(b *testing.B) {
	for name, call := range map[string]struct {
		verb string
		args any
	}{
		"click":    {"page.click", &action.Click{Locator: selector("#b")}},
		"type":     {"page.type", &action.Type{Locator: selector("#i"), Input: "hello", Clear: true}},
		"snapshot": {"page.snapshot", &action.TakeSnapshot{}},
		"extract":  {"page.extract", &action.Extract{}},
	} {
		b.Run(name, func(b *testing.B) {
			tr := start(b)
			tr.visit(target)
			for b.Loop() {
				tr.must(call.verb, call.args)
			}
		})
	}
}
