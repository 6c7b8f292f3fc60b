package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestTheTextOfADownloadIsReadInParts(t *testing.T) {
	tr, _ := withFiles(t)
	var lines strings.Builder
	for i := range 500 {
		fmt.Fprintf(&lines, "order %d, paid on the day after it came\n", i)
	}
	tr.must("page.goto", &action.Goto{URL: offers(t, []byte(lines.String()))})
	tr.must("page.click", &action.Click{Locator: selector("#two")})
	list := tr.downloaded(2)
	var all strings.Builder
	for next, parts := 0, 0; ; parts++ {
		got := tr.must("download.read", &action.DownloadRead{ByID: action.ByID{ID: list[0].ID}, MaxTokens: 1000, Offset: next}).Data.(*action.DownloadText)
		if got.Tokens > 1000 || got.Artifact == "" || parts > 50 {
			t.Fatalf("part %d: %+v", parts, got)
		}
		text, _, _ := strings.Cut(got.Text, "… ")
		all.WriteString(text)
		if next = got.NextOffset; next == 0 {
			break
		}
	}
	if got := strings.TrimSpace(all.String()); got != strings.TrimSpace(lines.String()) {
		t.Errorf("read %d bytes of %d: %.200s", len(got), lines.Len(), got)
	}
	tr.refuse(fault.NotFound, "download.read", &action.DownloadRead{ByID: action.ByID{ID: "nothing"}})
}

func TestADownloadWithoutTextSaysSo(t *testing.T) {
	tr, _ := withFiles(t)
	tr.must("page.goto", &action.Goto{URL: offers(t, []byte("\x89PNG\r\n\x1a\n\x00\x00"))})
	tr.must("page.click", &action.Click{Locator: selector("#two")})
	f := tr.refuse(fault.NotActionable, "download.read", &action.DownloadRead{ByID: action.ByID{ID: tr.downloaded(2)[0].ID}})
	if f.Details["artifact"] == "" {
		t.Errorf("%+v", f)
	}
}
