package snapshot

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/tokens"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// Prose returns the part of a text from a byte offset that fits into the budget.
// It ends at the end of a line if possible. title and url are the page's.
func Prose(text, title, url string, o Options) Part {
	page := Page{Title: title, URL: url}
	from := min(o.Offset, len(text))
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	rest := text[from:]
	part := Part{Text: rest}
	if o.MaxTokens > 0 {
		head := tokens.Of(page.title(o.MaxTokens))
		part.Text = lines(tokens.Head(rest, max(o.MaxTokens-outside-footing-head, least)), rest)
	}
	if to := from + len(part.Text); to < len(text) {
		part.Next, part.More = to, tokens.Of(text[to:])
		part.Text = fmt.Sprintf("%s\n… %d more tokens; offset=%d\n", strings.TrimRight(part.Text, "\n"), part.More, to)
	}
	part.Tokens = tokens.Of(part.Text)
	return part
}

// lines cuts the head of a text at the end of a line, unless that is far away.
func lines(head, text string) string {
	if len(head) == len(text) {
		return head
	}
	if at := strings.LastIndexByte(head, '\n'); at > len(head)/3 {
		return head[:at+1]
	}
	return head
}

// Document returns the part of the text of a document that is not HTML that fits
// into the budget, below the line of the page and one about the document. Each of
// its lines has a bar before it, so that it cannot imitate our lines.
func Document(about, text, title, url string, o Options) Part {
	page := Page{Title: title, URL: url}
	head := page.title(o.MaxTokens) + "\n " + about + "\n"
	part := Prose(barred(text), title, url, o)
	if o.Offset > 0 && !strings.HasPrefix(part.Text, bar) {
		head += bar + "…"
	}
	part.Text = head + part.Text
	part.Tokens = tokens.Of(part.Text)
	return part
}

const bar = " | "

// barred adds a bar before each line of a text.
func barred(text string) string {
	if text == "" {
		return ""
	}
	return bar + strings.Join(untrusted.SnapshotLines(text), "\n"+bar) + "\n"
}
