package mcp_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestADragNamesBothEndsAndAClickAPoint(t *testing.T) {
	for _, c := range []struct {
		tool string
		args map[string]any
		want any
	}{
		{"browser_drag", map[string]any{"startTarget": "10, 20.5", "endTarget": "100,340"}, &action.Drag{From: action.Locator{X: new(10.0), Y: new(20.5)}, To: action.Locator{X: new(100.0), Y: new(340.0)}}},
		{"browser_drag", map[string]any{"startX": 1, "startY": 2, "endTarget": "e9"}, &action.Drag{From: action.Locator{X: new(1.0), Y: new(2.0)}, To: action.Locator{Ref: "e9"}}},
		{"browser_drag", map[string]any{"startTarget": "e3", "endRef": "e9"}, &action.Drag{From: action.Locator{Ref: "e3"}, To: action.Locator{Ref: "e9"}}},
		{"browser_click", map[string]any{"x": 10.5, "y": 20}, &action.Click{Locator: action.Locator{X: new(10.5), Y: new(20.0)}}},
		{"browser_hover", map[string]any{"x": 1, "y": 2}, &action.Hover{Locator: action.Locator{X: new(1.0), Y: new(2.0)}}},
	} {
		d := site()
		if result := use(t, connect(t, surface(t, d), nil), c.tool, c.args); result.IsError {
			t.Errorf("%s: %s", c.tool, text(t, result))
		}
		if diff := cmp.Diff(c.want, d.call(t, 0).Args); diff != "" {
			t.Errorf("%s calls with other arguments (-want +got):\n%s", c.tool, diff)
		}
	}
}
