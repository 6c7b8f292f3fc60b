package mcp

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
)

type dragIn struct {
	StartElement string `json:"startElement,omitempty" maxLength:"1024" doc:"For people"`
	StartTarget  string `json:"startTarget,omitempty" maxLength:"4096" doc:"Ref or selector to drag"`
	StartRef     string `json:"startRef,omitempty" maxLength:"32" listed:"no"`
	EndElement   string `json:"endElement,omitempty" maxLength:"1024"`
	EndTarget    string `json:"endTarget,omitempty" maxLength:"4096" doc:"Ref or selector to drop on"`
	EndRef       string `json:"endRef,omitempty" maxLength:"32" listed:"no"`
	in
}

func (in *dragIn) args() *action.Drag {
	return &action.Drag{
		From: element{Target: in.StartTarget, Ref: in.StartRef}.locator(),
		To:   element{Target: in.EndTarget, Ref: in.EndRef}.locator(),
	}
}

func drag(ctx context.Context, t *turn, in *dragIn) error {
	result, err := t.act(ctx, "page.drag", in.args())
	t.did("Dragged", result, err)
	return err
}
