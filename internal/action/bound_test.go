package action_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestAnAnswerIsNotBoundToStrict(t *testing.T) {
	save := action.Locator{Role: "button", Name: "Save"}
	strict := save
	strict.Strict = true
	for name, c := range map[string]struct{ args, want any }{
		"a click":    {&action.Click{Locator: strict, Button: "left"}, &action.Click{Locator: save, Button: "left"}},
		"a drag":     {&action.Drag{From: strict, To: strict}, &action.Drag{From: save, To: save}},
		"a visit":    {&action.Goto{URL: "https://a.example/"}, &action.Goto{URL: "https://a.example/"}},
		"a list":     {[]string{"a"}, []string{"a"}},
		"no args":    {(*action.Click)(nil), (*action.Click)(nil)},
		"no pointer": {nil, nil},
	} {
		if diff := cmp.Diff(c.want, action.Bound(c.args)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	args := &action.Click{Locator: strict}
	action.Bound(args)
	if !args.Strict {
		t.Error("the call's own arguments were changed")
	}
}
