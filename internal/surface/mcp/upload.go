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

// example shows all arguments, since calls with wrong ones often have several.
func (in *uploadIn) example() string {
	return `{"target": "e5", "files": [{"name": "a.txt", "text": "what is in it"}]}, or "base64" in place of "text"; ` +
		`{"target": "e5", "paths": ["a1b2c3"]} gives an artifact by its id. Files of your own machine cannot be read here: send what is in them`
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
