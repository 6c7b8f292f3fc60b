// Package extract turns what was read from a page into what is handed out. It
// is pure: text in, text out.
package extract

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
)

// Markdown makes markdown (CommonMark, with the tables and strikethrough of
// GitHub's) of HTML as inpage.Markup writes it.
func Markdown(markup string) (string, error) {
	// A converter is made for each call: it is cheap beside the conversion, and
	// its plugins keep state while they run.
	c := converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(),
		commonmark.NewCommonmarkPlugin(commonmark.WithListEndComment(false)),
		strikethrough.NewStrikethroughPlugin(),
		table.NewTablePlugin(table.WithHeaderPromotion(true), table.WithSkipEmptyRows(true), table.WithPresentationTables(true), table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal)),
	))
	c.Register.RendererFor("x-task", converter.TagTypeInline, task, converter.PriorityStandard)
	c.Register.RendererFor("x-image", converter.TagTypeInline, picture, converter.PriorityStandard)
	text, err := c.ConvertString(markup)
	if err != nil {
		return "", fmt.Errorf("cannot make markdown of the page: %w", err)
	}
	return tidy(text), nil
}

// task writes the box of a list of tasks, which the library does not know: it
// is an element of inpage's own.
func task(_ converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	box := "[ ] "
	if slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "checked" }) {
		box = "[x] "
	}
	_, _ = w.WriteString(box)
	return converter.RenderSuccess
}

// picture writes an image whose address is not told: CommonMark shows it as its
// alternative text with the sign of an image before it.
func picture(_ converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	_, _ = w.WriteString("![" + bracketed.Replace(squeezed(n)) + "]")
	return converter.RenderSuccess
}

var bracketed = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`)

var blank = regexp.MustCompile(`\n{3,}`)

// tidy takes out the runs of empty lines that emptied elements leave, outside
// of code.
func tidy(text string) string {
	parts := strings.Split(text, "```")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = blank.ReplaceAllString(parts[i], "\n\n")
	}
	return strings.TrimSpace(strings.Join(parts, "```"))
}
