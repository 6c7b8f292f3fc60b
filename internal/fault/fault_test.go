package fault_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestFromFindsTheFaultInAChain(t *testing.T) {
	f := fault.New(fault.StaleRef, "e3 is gone")
	got := fault.From(fmt.Errorf("cannot click: %w", f))
	if got != f {
		t.Fatalf("From returned %v, want the wrapped fault", got)
	}
}

func TestFromHidesTheTextOfUnknownErrors(t *testing.T) {
	got := fault.From(errors.New("password=hunter2"))
	if got.Code != fault.Internal {
		t.Errorf("code %q, want internal", got.Code)
	}
	if got.Message == "password=hunter2" {
		t.Error("the text of an unknown error is shown")
	}
	if fault.From(nil) != nil {
		t.Error("From(nil) is not nil")
	}
}

func TestCopiesDoNotChangeTheOriginal(t *testing.T) {
	f := fault.New(fault.NotFound, "no such box")
	g := f.Hinted("list them").With("id", "x").Because(io.EOF)
	if f.Hint != "" || f.Details != nil || errors.Is(f, io.EOF) {
		t.Errorf("the original changed: %+v", f)
	}
	if g.Details["id"] != "x" || !errors.Is(g, io.EOF) || !errors.Is(g, f) {
		t.Errorf("the copy lacks something: %+v", g)
	}
}

func TestEveryCodeIsShownCompletely(t *testing.T) {
	slugs := map[string]fault.Code{}
	for _, c := range fault.Codes() {
		i := c.Info()
		if i.Title == "" || i.Slug == "" || i.Status < 400 || i.RPC >= 0 || i.Exit < 1 {
			t.Errorf("%s is incomplete: %+v", c, i)
		}
		if other, taken := slugs[i.Slug]; taken {
			t.Errorf("%s and %s share the slug %s", c, other, i.Slug)
		}
		slugs[i.Slug] = c
	}
	if fault.Code("nonsense").Info().Status != 500 {
		t.Error("an unknown code is not shown as internal")
	}
}
