package mcp

import (
	"context"
	"regexp"
	"strconv"

	"github.com/gloveboxhq/glovebox/internal/action"
)

type dragIn struct {
	StartElement string   `json:"startElement,omitempty" maxLength:"1024" doc:"For people"`
	StartTarget  string   `json:"startTarget,omitempty" maxLength:"4096" doc:"Ref, selector or x,y"`
	StartRef     string   `json:"startRef,omitempty" maxLength:"32" listed:"no"`
	StartX       *float64 `json:"startX,omitempty" minimum:"0" maximum:"16384" listed:"no"`
	StartY       *float64 `json:"startY,omitempty" minimum:"0" maximum:"16384" listed:"no"`
	EndElement   string   `json:"endElement,omitempty" maxLength:"1024"`
	EndTarget    string   `json:"endTarget,omitempty" maxLength:"4096" doc:"The same"`
	EndRef       string   `json:"endRef,omitempty" maxLength:"32" listed:"no"`
	EndX         *float64 `json:"endX,omitempty" minimum:"0" maximum:"16384" listed:"no"`
	EndY         *float64 `json:"endY,omitempty" minimum:"0" maximum:"16384" listed:"no"`
	in
}

func (in *dragIn) args() *action.Drag {
	return &action.Drag{
		From: end(in.StartTarget, in.StartRef, in.StartX, in.StartY),
		To:   end(in.EndTarget, in.EndRef, in.EndX, in.EndY),
	}
}

// aPoint matches a point of the viewport as a target: 100,340.
var aPoint = regexp.MustCompile(`^\s*(\d{1,5}(?:\.\d+)?)\s*,\s*(\d{1,5}(?:\.\d+)?)\s*$`)

// end returns one end of a drag: an element, or a point.
func end(target, ref string, x, y *float64) action.Locator {
	if at := aPoint.FindStringSubmatch(target); at != nil && x == nil && y == nil {
		left, errX := strconv.ParseFloat(at[1], 64)
		top, errY := strconv.ParseFloat(at[2], 64)
		if errX == nil && errY == nil {
			target, x, y = "", &left, &top
		}
	}
	return point{X: x, Y: y}.of(element{Target: target, Ref: ref}.locator())
}

func drag(ctx context.Context, t *turn, in *dragIn) error {
	result, err := t.act(ctx, action.VerbPageDrag.Name, in.args())
	t.did("Dragged", result, err)
	return err
}
