package workflow

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

const (
	maxSitemaps    = 20   // files of one crawl, indexes included
	maxSitemapURLs = 5000 // addresses read from them
)

// sitemap parses the addresses of a sitemap, or of the sitemaps in an index
// (https://www.sitemaps.org/protocol.html). It stops at the first syntax error.
func sitemap(body []byte) (pages, more []string) {
	decoder := xml.NewDecoder(bytes.NewReader(body))
	decoder.Strict = false
	inIndex := false
	for len(pages)+len(more) < maxSitemapURLs {
		token, err := decoder.Token()
		if err != nil {
			return pages, more
		}
		start, is := token.(xml.StartElement)
		switch {
		case !is:
		case start.Name.Local == "sitemapindex":
			inIndex = true
		case start.Name.Local == "loc":
			var text string
			if err := decoder.DecodeElement(&text, &start); err != nil && !errors.Is(err, io.EOF) {
				return pages, more
			}
			if text = strings.TrimSpace(text); inIndex {
				more = append(more, text)
			} else {
				pages = append(pages, text)
			}
		}
	}
	return pages, more
}

// fromSitemaps collects the pages in the sitemaps of an origin, first those that
// robots.txt names.
func (c *crawlRun) fromSitemaps(ctx context.Context, origin string) []string {
	queue := c.robots.of(ctx, origin).sitemaps
	if len(queue) == 0 {
		queue = []string{origin + "/sitemap.xml"}
	}
	var pages []string
	seen := map[string]bool{}
	for read := 0; len(queue) > 0 && read < maxSitemaps && len(pages) < maxSitemapURLs && ctx.Err() == nil; {
		next := queue[0]
		queue = queue[1:]
		if seen[next] || !c.within(host(next)) {
			continue
		}
		seen[next] = true
		read++
		status, body, err := c.file(ctx, next)
		if err != nil || status != 200 {
			continue
		}
		found, more := sitemap(body)
		pages, queue = append(pages, found...), append(queue, more...)
	}
	return pages[:min(len(pages), maxSitemapURLs)]
}
