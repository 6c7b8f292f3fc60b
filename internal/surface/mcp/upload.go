package mcp

import (
	"context"
	"fmt"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

func (in *uploadIn) args() *action.Upload {
	args := &action.Upload{Locator: in.field(in.locator()), Paths: in.Paths, Clear: len(in.Paths)+len(in.Files) == 0}
	for _, f := range in.Files {
		content := f.Bytes
		if len(content) == 0 {
			content = []byte(f.Text)
		}
		args.Files = append(args.Files, action.NewFile{Name: f.Name, Bytes: content})
	}
	return args
}

// upload gives files to the element, and without files clears it.
func upload(ctx context.Context, t *turn, in *uploadIn) error {
	result, err := t.act(ctx, action.VerbPageUpload.Name, in.args())
	if err != nil {
		return err
	}
	if got, ok := result.Data.(*action.Uploaded); ok {
		t.reply.data = got
		for _, f := range got.Files {
			t.reply.did = append(t.reply.did, fmt.Sprintf("Gave the page %s, %d bytes, as %s.", untrusted.ToolQuoted(f.Name), f.Size, untrusted.ToolLine(f.Path, 400)))
		}
	}
	return nil
}
