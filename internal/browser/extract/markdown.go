// Package extract converts what was read from a page, or a file, into text for
// callers: markdown, and formatted JSON and XML. It does no input or output.
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

// Markdown converts HTML to markdown: CommonMark, with GitHub's tables and
// strikethrough. markup is HTML as injected.Frame.Markup returns it.
func Markdown(markup string) (string, error) {
	// Each call makes its own converter, because plugins keep state while they run. It
	// costs little compared to the conversion.
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

// task writes the checkbox of an item in a task list. The injected script marks
// it with its own element (x-task), which the library does not know.
func task(_ converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	box := "[ ] "
	if slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "checked" }) {
		box = "[x] "
	}
	_, _ = w.WriteString(box)
	return converter.RenderSuccess
}

// picture writes an image without its address: its alternative text in the
// brackets of an image. The injected script marks it with its own element
// (x-image).
func picture(_ converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	_, _ = w.WriteString("![" + bracketed.Replace(nodeText(n)) + "]")
	return converter.RenderSuccess
}

var bracketed = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`)

var emptyLines = regexp.MustCompile(`\n{3,}`)

// tidy removes runs of empty lines outside of code. They come from empty
// elements.
func tidy(text string) string {
	parts := strings.Split(text, "```")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = emptyLines.ReplaceAllString(parts[i], "\n\n")
	}
	return strings.TrimSpace(strings.Join(parts, "```"))
}
