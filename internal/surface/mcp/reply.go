package mcp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/randid"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// Limits of page text in one answer, in bytes; a token is about four bytes.
const (
	actSnapshot  = 24_000 // beside an act: 6,000 tokens
	fullSnapshot = 96_000 // when asked for: 24,000 tokens
)

// reply is the text that a turn will answer with. Text of the page is between
// marks, or in quotes on one line, so that a page cannot imitate our headings.
type reply struct {
	session   string
	did       []string // what was done, one line each
	page      *action.Page
	status    int
	text      string // of the page, between marks
	heading   string // of text; Snapshot when empty
	modal     *action.Dialog
	notes     []string
	effects   []action.Effect // requests that calls caused
	artifacts []action.Artifact
	pending   *action.Pending
	image     *mcp.ImageContent
	data      any  // the verb's own result, for programs
	settled   bool // changes are reported; the page is named if it moved
	moved     bool // it is at another address, or has another title
}

// note keeps the parts that every result has.
func (r *reply) note(result action.Result) {
	if result.Session != "" {
		r.session = result.Session
	}
	if result.Page != nil {
		r.page = result.Page
	}
	r.modal, r.pending = result.Modal, result.Pending
	for _, e := range result.Effects {
		r.notes = append(r.notes, untrusted.ToolLine(e.String(), 600))
	}
	r.effects = append(r.effects, result.Effects...)
	for _, note := range result.Notes {
		r.notes = append(r.notes, action.NamingTools(note))
	}
	r.artifacts = append(r.artifacts, result.Artifacts...)
}

// snapshot adds the page as text. The text is already within its budget of
// tokens.
func (r *reply) snapshot(s *action.Snapshot) {
	r.page = &action.Page{URL: s.URL, Title: s.Title}
	r.text = marked(s.Text, s.URL, len(s.Text))
	if s.Hidden > 0 {
		r.notes = append(r.notes, fmt.Sprintf("%d pieces of text that a person could not see were left out", s.Hidden))
	}
}

// introduce says what kind of document was read, if it is not an HTML page.
func (r *reply) introduce(d *action.Document) {
	if d == nil {
		return
	}
	said := "This is a " + d.String() + "."
	switch d.Kind {
	case action.KindImage:
		said = "This is an " + d.String() + "; browser_take_screenshot shows it."
	case action.KindXML:
		said = "This is an " + d.String() + "."
	case action.KindText:
		said = "This is plain text."
	}
	if d.Artifact != "" {
		said += " The file " + untrusted.ToolQuoted(d.Name) + " is kept as artifact " + untrusted.ToolLine(d.Artifact, 64) + "."
	}
	r.did = append(r.did, said)
}

// changed adds what changed on the page.
func (r *reply) changed(c *action.Changes) {
	r.settled, r.moved = true, r.moved || c.Moved
	for _, e := range c.Errors {
		r.notes = append(r.notes, "console error: "+untrusted.ToolLine(e, 300))
	}
	switch {
	case c.Snapshot != nil:
		r.heading = ""
		r.snapshot(c.Snapshot)
	case r.modal != nil:
	case c.Text == "":
		r.heading, r.text = "Changes", cmp.Or(unworded[c.Outcome], "none")
	default:
		from := ""
		if r.moved && r.page != nil {
			from = r.page.URL
		}
		r.heading, r.text = "Changes", marked(c.Text, from, actSnapshot)
	}
	if c.Earlier {
		r.notes = append(r.notes, "some of the changes came before this call, after the last answer")
	}
	switch {
	case c.Late && c.Snapshot != nil:
		r.notes = append(r.notes, "the page is still loading: browser_wait_for what you expect, or take a browser_snapshot later")
	case c.Late && c.Outcome == "":
		r.notes = append(r.notes, "the page was still changing: the next answer says how it went on")
	}
}

// unworded describes the outcomes of acts that changed no text.
var unworded = map[string]string{
	action.NothingChanged: "none: the page is as it was before",
	action.StillMoving:    "none yet: something still moves or loads; browser_wait_for what you expect, or take a browser_snapshot later",
	action.Drawn:          "none in words: a canvas or video may show something else now; browser_take_screenshot shows it",
	action.LooksChanged:   "none in words: only the look of the page changed; browser_take_screenshot shows it",
}

// marked puts page text between nonce marks, cut at the end of a line. The
// first mark names the address of the text, unless the previous answer named
// the same.
func marked(text, from string, most int) string {
	cut := ""
	if len(text) > most {
		whole := len(text)
		text = text[:most]
		if end := strings.LastIndexByte(text, '\n'); end > 0 {
			text = text[:end]
		}
		text = strings.ToValidUTF8(text, "")
		cut = fmt.Sprintf("\n(cut: %d of %d bytes shown; use browser_snapshot with ref or depth for the rest)", len(text), whole)
	}
	id := nonce()
	opening := id
	if from != "" {
		opening += " " + origin(from)
	}
	return fmt.Sprintf("<untrusted %s>\n%s\n</untrusted %s>%s", opening, strings.TrimRight(text, "\n"), id, cut)
}

// nonce returns nine random digits, 30 bits, for the marks of one answer, so
// that a page cannot imitate the mark that ends its text. They are three
// tokens.
func nonce() string { return randid.Digits(9) }

func origin(from string) string {
	u, err := url.Parse(from)
	if err != nil || u.Host == "" {
		return "none"
	}
	return u.Scheme + "://" + u.Host
}

// result returns the answer for a successful call.
func (r *reply) result() *mcp.CallToolResult {
	var b strings.Builder
	heading(&b, "Result", r.did)
	if p := r.page; p != nil && (r.moved || !r.settled || r.status != 0) {
		lines := []string{"- URL: " + untrusted.ToolLine(p.URL, 2000), "- Title: " + untrusted.ToolQuoted(p.Title)}
		if r.status != 0 {
			lines = append(lines, fmt.Sprintf("- Status: %d", r.status))
		}
		heading(&b, "Page", lines)
	}
	if m := r.modal; m != nil {
		heading(&b, "Modal state", []string{
			fmt.Sprintf("- a %s dialog is open: %s", untrusted.ToolLine(m.Kind, 20), untrusted.ToolQuoted(m.Message)),
			"Answer it with browser_handle_dialog before anything else.",
		})
	}
	var events []string
	for _, n := range r.notes {
		events = append(events, "- "+untrusted.ToolLine(n, 500))
	}
	for _, a := range r.artifacts {
		events = append(events, fmt.Sprintf("- file kept: %s, %d bytes, id %s", untrusted.ToolQuoted(a.Name), a.Size, untrusted.ToolLine(a.ID, 64)))
	}
	heading(&b, "Events", events)
	if r.text != "" {
		heading(&b, cmp.Or(r.heading, "Snapshot"), []string{r.text})
	}
	if b.Len() == 0 {
		b.WriteString("Done.\n")
	}
	content := []mcp.Content{&mcp.TextContent{Text: b.String()}}
	if r.image != nil {
		content = append(content, r.image)
	}
	result := &mcp.CallToolResult{Content: content, Meta: mcp.Meta{metaKey: r.structured()}}
	if r.text == "" && r.image == nil {
		result.StructuredContent = r.structured()
	}
	return result
}

// metaKey is the key under which an answer contains itself as data for
// programs. The same data is also structured content if it contains everything
// that the text does. Clients that find structured content give only that to
// the model, without the text and pictures of the page.
const metaKey = "glovebox/result"

func heading(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	b.WriteString("### " + title + "\n" + strings.Join(lines, "\n") + "\n")
}

// structured returns the reply as data for programs, without page text and
// pictures.
func (r *reply) structured() map[string]any {
	out := map[string]any{}
	add := func(name string, value any, there bool) {
		if there {
			out[name] = value
		}
	}
	add("session", r.session, r.session != "")
	add("page", r.page, r.page != nil)
	add("status", r.status, r.status != 0)
	add("result", r.data, r.data != nil)
	add("modal", r.modal, r.modal != nil)
	add("effects", r.effects, len(r.effects) > 0)
	add("events", r.notes, len(r.notes) > 0)
	add("artifacts", r.artifacts, len(r.artifacts) > 0)
	return out
}

// pendingResult returns the answer while a person has not answered yet.
func (r *reply) pendingResult() *mcp.CallToolResult {
	p := r.pending
	var b strings.Builder
	heading(&b, "Result", r.did)
	state := "This step was not done."
	again := "Make the same call again to pick the answer up"
	if p.Done {
		state = "The step was done, and what it would send waits in the browser."
		again = "Make the same call again to hear what became of it (it is not done twice)"
	}
	lines := []string{
		fmt.Sprintf("A person was asked and has not answered yet (risk %s, until %s). %s", p.Risk, p.Expires.UTC().Format(time.RFC3339), state),
		fmt.Sprintf("%s; browser_approval_status with id %s says how it stands.", again, untrusted.ToolLine(p.Approval, 64)),
	}
	heading(&b, "Pending", lines)
	var events []string
	for _, n := range r.notes {
		events = append(events, "- "+untrusted.ToolLine(n, 500))
	}
	heading(&b, "Events", events)
	return &mcp.CallToolResult{
		Content: []mcp.Content{&mcp.TextContent{Text: b.String()}},
		StructuredContent: map[string]any{
			"state": "pending", "approval_id": p.Approval, "expires": p.Expires, "risk": p.Risk, "session": r.session, "done": p.Done,
		},
	}
}

// failed returns the answer for a call that was refused or failed. The model
// reads it, so it says what to do next.
func failed(err error) *mcp.CallToolResult {
	f := fault.From(err)
	lines := []string{string(f.Code) + ": " + untrusted.ToolLine(f.Message, 1000)}
	hint := next(f)
	if hint != "" {
		lines = append(lines, "Next: "+untrusted.ToolLine(hint, 1000))
	}
	if f.Retryable() {
		lines = append(lines, "The same call may succeed when made again.")
	}
	var b strings.Builder
	heading(&b, "Error", lines)
	structured := map[string]any{"code": f.Code, "message": f.Message, "hint": hint, "retryable": f.Retryable()}
	if _, err := json.Marshal(f.Details); err == nil && len(f.Details) > 0 {
		structured["details"] = f.Details
	}
	return &mcp.CallToolResult{
		IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: b.String()}},
		StructuredContent: map[string]any{"error": structured},
	}
}

// Failure returns the result of a tool call that did not reach the gateway, or
// whose answer did not come back, as JSON of the protocol.
func Failure(err error) ([]byte, error) {
	text, e := json.Marshal(failed(err))
	if e != nil {
		return nil, fmt.Errorf("cannot write a result: %w", e)
	}
	return text, nil
}
