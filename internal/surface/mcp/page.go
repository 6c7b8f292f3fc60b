package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

func navigate(ctx context.Context, t *turn, in *navigateIn) error {
	result, err := t.act(ctx, action.VerbPageGoto.Name, in.args())
	if went, ok := result.Data.(*action.Navigated); ok && err == nil {
		t.reply.status, t.reply.data = went.Status, went
		if went.Download == "" || went.Document == nil { // the text of a file is shown, not the page
			t.reply.page = &action.Page{URL: went.URL, Title: went.Title}
		}
	}
	return err
}

func back(ctx context.Context, t *turn, _ *noneIn) error {
	result, err := t.act(ctx, action.VerbPageBack.Name, &action.None{})
	if page, ok := result.Data.(*action.Page); ok && err == nil {
		t.reply.page = page
	}
	return err
}

func snapshot(ctx context.Context, t *turn, in *snapshotIn) error {
	ref := cmp.Or(in.Ref, in.Target)
	ref = cmp.Or(refOf(ref), ref)
	result, err := t.call(ctx, action.VerbPageSnapshot.Name, &action.TakeSnapshot{
		Format: in.Format, Ref: ref, Depth: in.Depth, URLs: in.URLs,
		MaxTokens: in.MaxTokens, Offset: in.Offset, Interactive: in.Interactive, Viewport: in.Viewport,
	})
	if err != nil {
		return err
	}
	if shot, ok := result.Data.(*action.Snapshot); ok {
		t.reply.snapshot(shot)
	}
	return nil
}

func click(ctx context.Context, t *turn, in *clickIn) error {
	result, err := t.act(ctx, action.VerbPageClick.Name, in.args())
	t.did("Clicked", result, err)
	return err
}

func typeText(ctx context.Context, t *turn, in *typeIn) error {
	result, err := t.act(ctx, action.VerbPageType.Name, in.args())
	t.did("Typed into", result, err)
	return err
}

func fillSecret(ctx context.Context, t *turn, in *fillSecretIn) error {
	result, err := t.act(ctx, action.VerbPageFillSecret.Name, in.args())
	if filled, ok := result.Data.(*action.Filled); ok && err == nil {
		t.reply.data = filled
		t.reply.did = append(t.reply.did, "Typed the "+untrusted.ToolLine(filled.Secret, 64)+" of "+untrusted.ToolLine(filled.Domain, 253)+".")
	}
	return err
}

func selectOption(ctx context.Context, t *turn, in *selectIn) error {
	result, err := t.act(ctx, action.VerbPageSelect.Name, in.args())
	t.did("Selected in", result, err)
	return err
}

func press(ctx context.Context, t *turn, in *pressIn) error {
	result, err := t.act(ctx, action.VerbPagePress.Name, in.args())
	t.did("Pressed the key on", result, err)
	return err
}

func scroll(ctx context.Context, t *turn, in *scrollIn) error {
	result, err := t.act(ctx, action.VerbPageScroll.Name, in.args())
	if err != nil {
		return err
	}
	if to, ok := result.Data.(*action.Scrolled); ok {
		t.reply.data = to
		t.reply.did = append(t.reply.did, fmt.Sprintf("Scrolled to x=%.0f y=%.0f.", to.X, to.Y))
	}
	return nil
}

func dialog(ctx context.Context, t *turn, in *dialogIn) error {
	result, err := t.act(ctx, action.VerbPageDialog.Name, in.args())
	t.did("Answered the dialog", result, err)
	return err
}

// did adds to the reply what was done to which element, described by the page.
func (t *turn) did(what string, result action.Result, err error) {
	acted, ok := result.Data.(*action.Acted)
	if err != nil || !ok {
		return
	}
	t.reply.data = acted
	text := what
	if e := acted.Element; e != nil {
		text += " " + untrusted.ToolLine(e.Role, 40) + " " + untrusted.ToolQuoted(cmp.Or(e.Name, e.Label))
	}
	if acted.Matches > 1 {
		text += fmt.Sprintf(" (the first of %d matches)", acted.Matches)
	}
	if len(acted.Labels) > 0 {
		text += ": " + untrusted.ToolQuoted(strings.Join(acted.Labels, ", "))
	}
	if acted.Value != nil {
		text += ", which holds " + untrusted.ToolQuoted(*acted.Value)
	}
	t.reply.did = append(t.reply.did, text+".")
}

func waitFor(ctx context.Context, t *turn, in *waitIn) error {
	if in.Time > 0 {
		timer := time.NewTimer(time.Duration(in.Time * float64(time.Second)))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	args := in.args()
	if args.Zero() && in.TextGone == "" && in.URL == "" {
		if in.Time <= 0 {
			return fault.New(fault.InvalidRequest, "nothing to wait for").Hinted("give text, textGone, url, an element, or time")
		}
		t.show(ctx)
		return nil
	}
	result, err := t.act(ctx, action.VerbPageWaitFor.Name, args)
	if err != nil {
		return err
	}
	if waited, ok := result.Data.(*action.Waited); ok {
		t.reply.data = waited
		text := "It came."
		if !waited.Found {
			text = "It did not come in time."
		}
		t.reply.did = append(t.reply.did, text)
	}
	return nil
}

func screenshot(ctx context.Context, t *turn, in *screenshotIn) error {
	l := in.locator()
	if l.Role != "" || l.Text != "" {
		return fault.New(fault.InvalidRequest, "a screenshot of one element wants its ref or a selector").Hinted("take a browser_snapshot for refs")
	}
	args := &action.TakeScreenshot{Format: in.Format, FullPage: in.FullPage || in.Full, Ref: l.Ref, Selector: l.Selector, Labels: in.Labels}
	result, err := t.call(ctx, action.VerbPageScreenshot.Name, args)
	if err != nil {
		return err
	}
	if shot, ok := result.Data.(*action.Screenshot); ok {
		t.reply.image = &mcp.ImageContent{Data: shot.Bytes, MIMEType: "image/" + shot.Format}
		t.reply.data = map[string]any{"format": shot.Format, "width": shot.Width, "height": shot.Height, "cut": shot.Cut}
	}
	return nil
}

type plainScreenshotIn struct {
	FullPage bool `json:"full_page,omitempty"`
	in
}

func plainScreenshot(ctx context.Context, t *turn, in *plainScreenshotIn) error {
	return screenshot(ctx, t, &screenshotIn{FullPage: in.FullPage})
}

func read(ctx context.Context, t *turn, in *readIn) error {
	switch in.Format {
	case "tree":
		return readTree(ctx, t)
	case "markdown":
		return markdown(ctx, t, &markdownIn{paging: in.paging})
	}
	args := &action.Extract{Mode: in.Format}
	if in.Format != "title" {
		args.Paging = in.args()
	}
	result, err := t.call(ctx, action.VerbPageExtract.Name, args)
	if err != nil {
		return err
	}
	if got, ok := result.Data.(*action.Extracted); ok {
		t.reply.page = &action.Page{URL: got.URL, Title: got.Title}
		t.reply.introduce(got.Document)
		t.reply.text = marked(got.Text, got.URL, room(got.Text, got.Paged))
	}
	return nil
}

// room returns how many bytes of a text an answer may contain: all of a text
// that was already cut to a budget of tokens.
func room(text string, part action.Paged) int {
	if part.Tokens > 0 {
		return len(text)
	}
	return fullSnapshot
}

func markdown(ctx context.Context, t *turn, in *markdownIn) error {
	result, err := t.call(ctx, action.VerbPageMarkdown.Name, &action.Markdown{Full: in.Full, Paging: in.args()})
	if err != nil {
		return err
	}
	if got, ok := result.Data.(*action.Marked); ok {
		t.reply.page = &action.Page{URL: got.URL, Title: got.Title}
		t.reply.introduce(got.Document)
		if got.Article {
			t.reply.did = append(t.reply.did, "This is the page's article; full shows what is around it.")
		}
		t.reply.text = marked(got.Markdown, got.URL, room(got.Markdown, got.Paged))
	}
	return nil
}

func readTree(ctx context.Context, t *turn) error {
	result, err := t.call(ctx, action.VerbPageSnapshot.Name, &action.TakeSnapshot{Format: "tree"})
	if err != nil {
		return err
	}
	if shot, ok := result.Data.(*action.Snapshot); ok {
		tree, err := json.Marshal(shot.Tree)
		if err != nil {
			return fmt.Errorf("cannot write the tree: %w", err)
		}
		t.reply.page = &action.Page{URL: shot.URL, Title: shot.Title}
		t.reply.text = marked(string(tree), shot.URL, fullSnapshot)
	}
	return nil
}
