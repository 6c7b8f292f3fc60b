package mcp

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
)

type dragIn struct {
	StartElement string   `json:"startElement,omitempty" maxLength:"1024" doc:"For people"`
	StartTarget  string   `json:"startTarget,omitempty" maxLength:"4096" doc:"Ref or selector to drag"`
	StartRef     string   `json:"startRef,omitempty" maxLength:"32" listed:"no"`
	EndElement   string   `json:"endElement,omitempty" maxLength:"1024"`
	EndTarget    string   `json:"endTarget,omitempty" maxLength:"4096" doc:"Ref or selector to drop on"`
	EndRef       string   `json:"endRef,omitempty" maxLength:"32" listed:"no"`
	StartX       *float64 `json:"startX,omitempty" minimum:"0" maximum:"16384" doc:"From this viewport point, as on a canvas"`
	StartY       *float64 `json:"startY,omitempty" minimum:"0" maximum:"16384"`
	EndX         *float64 `json:"endX,omitempty" minimum:"0" maximum:"16384"`
	EndY         *float64 `json:"endY,omitempty" minimum:"0" maximum:"16384"`
	in
}

func (in *dragIn) args() *action.Drag {
	return &action.Drag{
		From: point{X: in.StartX, Y: in.StartY}.of(element{Target: in.StartTarget, Ref: in.StartRef}.locator()),
		To:   point{X: in.EndX, Y: in.EndY}.of(element{Target: in.EndTarget, Ref: in.EndRef}.locator()),
	}
}

func drag(ctx context.Context, t *turn, in *dragIn) error {
	result, err := t.act(ctx, "page.drag", in.args())
	t.did("Dragged", result, err)
	return err
}
