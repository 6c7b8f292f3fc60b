package mcp

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestAListOfPagesKeepsToItsRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var pages []action.CrawledPage
		for i := range rapid.IntRange(0, 60).Draw(t, "pages") {
			pages = append(pages, action.CrawledPage{
				URL: fmt.Sprintf("https://a.example/%d", i), Title: "A title",
				Content: strings.Repeat("wörter ", rapid.IntRange(0, 3000).Draw(t, "words")),
			})
		}
		text := compact(pages, actSnapshot-1000)
		if most := actSnapshot + 100*len(pages); len(text) > most {
			t.Fatalf("%d pages take %d bytes", len(pages), len(text))
		}
		for i, p := range pages {
			if !strings.Contains(text, fmt.Sprintf("[%d] %s ", i+1, p.URL)) {
				t.Fatalf("page %d is not listed", i+1)
			}
		}
	})
}

func TestPagesThatFitAreShownWhole(t *testing.T) {
	text := compact([]action.CrawledPage{{URL: "https://a.example/", Title: "A", Content: "all of it"}, {URL: "https://a.example/x", Error: "HTTP 404"}}, 1000)
	if text != "[1] https://a.example/ \"A\"\nall of it\n[2] https://a.example/x \"\" failed: HTTP 404\n" {
		t.Errorf("%q", text)
	}
}
