package mcp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

type crawlIn struct {
	URL      string   `json:"url" minLength:"1" maxLength:"8192"`
	MaxPages int      `json:"maxPages,omitempty" minimum:"0" maximum:"100" doc:"Default 10"`
	MaxDepth *int     `json:"maxDepth,omitempty" minimum:"0" maximum:"20" doc:"Default 2"`
	Domains  []string `json:"allowedDomains,omitempty" maxItems:"50" doc:"Default: the URL's host"`
	Extract  string   `json:"extract,omitempty" enum:"markdown,text,links"`
	Sitemap  bool     `json:"sitemap,omitempty"`
	Effects  string   `json:"effects,omitempty" enum:"none"`
	in
}

const leastShare = 400 // bytes of each page's content in an answer, while space remains

func crawl(ctx context.Context, t *turn, in *crawlIn) error {
	t.watch = &action.CrawlWatch{Progress: func(p action.CrawlProgress) {
		if t.tell != nil {
			t.tell(fmt.Sprintf("%d pages read, %d more known: %s", p.Pages, p.Waiting, untrusted.ToolLine(p.URL, 200)))
		}
	}}
	result, err := t.call(ctx, action.VerbPageCrawl.Name, &action.Crawl{
		URL: in.URL, MaxPages: in.MaxPages, MaxDepth: in.MaxDepth, AllowedDomains: in.Domains, Extract: in.Extract, Sitemap: in.Sitemap, Effects: in.Effects,
	})
	if err != nil {
		return err
	}
	crawled, ok := result.Data.(*action.Crawled)
	if !ok {
		return nil
	}
	did := fmt.Sprintf("Read %d pages (%s).", crawled.TotalPages, untrusted.ToolLine(crawled.Stopped, 40))
	for _, reason := range slices.Sorted(maps.Keys(crawled.Skipped)) {
		did += fmt.Sprintf(" %s: %d.", untrusted.ToolLine(reason, 40), crawled.Skipped[reason])
	}
	t.reply.did = append(t.reply.did, did)
	t.reply.page = nil // the crawl did not change the session's page
	t.reply.heading, t.reply.text = "Pages", marked(compact(crawled.Pages, actSnapshot-1000), in.URL, actSnapshot)
	return nil
}

// compact lists pages within a number of bytes: the address of each, and as much
// of each content as its share of the space allows.
func compact(pages []action.CrawledPage, room int) string {
	heads, wanted := make([]string, len(pages)), 0
	for i, p := range pages {
		heads[i] = fmt.Sprintf("[%d] %s %s", i+1, untrusted.ToolLine(p.URL, 300), untrusted.ToolQuoted(p.Title))
		if p.Error != "" {
			heads[i] += " failed: " + untrusted.ToolLine(p.Error, 200)
		}
		if p.MediaType != "" {
			heads[i] += " is " + untrusted.ToolLine(p.MediaType, 60)
		}
		room -= len(heads[i]) + 2
		wanted += len(p.Content)
	}
	var b strings.Builder
	for i, p := range pages {
		b.WriteString(heads[i] + "\n")
		share := len(p.Content)
		if wanted > room {
			share = min(share, max(leastShare, room/(len(pages)-i)))
		}
		share = max(0, min(share, room))
		room -= share
		wanted -= len(p.Content)
		if share > 0 {
			b.WriteString(strings.ToValidUTF8(p.Content[:share], "") + "\n")
		}
		if share < len(p.Content) {
			fmt.Fprintf(&b, "(%d of %d bytes; browser_navigate there for the rest)\n", share, len(p.Content))
		}
	}
	return b.String()
}
