package engine_test

import (
	"image"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestPointsOfTheDisplayAreConvertedWithoutThePage(t *testing.T) {
	withWindows(t)
	tr := start(t)
	tr.visit(`<script>for (const name of ['screenX', 'screenY', 'innerHeight', 'innerWidth', 'outerHeight', 'devicePixelRatio'])
		Object.defineProperty(window, name, {get: () => 7})</script><input id=q><button id=b onclick="alert(1)">Ask</button>`)
	for _, c := range []struct {
		at     image.Point
		x, y   float64
		inside bool
	}{
		{image.Pt(110, 197), 100, 100, true}, // the window of a Chromium without a display is at 10, 10
		{image.Pt(10, 97), 0, 0, true},
		{image.Pt(9, 97), 0, 0, false},
		{image.Pt(110, 96), 0, 0, false},
		{image.Pt(9000, 187), 0, 0, false},
		{image.Pt(100, 9000), 0, 0, false},
	} {
		x, y, inside, err := tr.PagePoint(t.Context(), c.at)
		if err != nil || inside != c.inside || inside && (x != c.x || y != c.y) {
			t.Errorf("%v is at %g, %g, %v, %v", c.at, x, y, inside, err)
		}
	}
	if ref, err := tr.FocusedField(t.Context()); err != nil || ref != "" {
		t.Errorf("without a focus: %q, %v", ref, err)
	}
	tr.eval(`q.focus()`)
	ref, err := tr.FocusedField(t.Context())
	if err != nil || ref == "" {
		t.Fatalf("with a focus: %q, %v", ref, err)
	}
	tr.must("page.type", &action.Type{Locator: action.Locator{Ref: ref}, Input: "Ada"})
	if got := tr.eval(`q.value`); got != "Ada" {
		t.Errorf("the field has %q", got)
	}
	if err := tr.Painted(t.Context()); err != nil {
		t.Error(err)
	}
	tr.must("page.click", &action.Click{Locator: selector("#b")})
	if _, _, _, err = tr.PagePoint(t.Context(), image.Pt(100, 187)); fault.CodeOf(err) != fault.DialogOpen {
		t.Errorf("while a dialog is open: %v", err)
	}
}
