package engine_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/observe"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// files serves one body for each path, of a media type, and counts requests.
func files(t *testing.T, all map[string][2]string) (at string, asked *atomic.Int32) {
	t.Helper()
	asked = &atomic.Int32{}
	return listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, known := all[r.URL.Path]
		if !known {
			http.NotFound(w, r)
			return
		}
		asked.Add(1)
		w.Header().Set("Content-Type", file[0])
		_, _ = w.Write([]byte(file[1]))
	})).URL, asked
}

func picture(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	must(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 64, 48))))
	return b.String()
}

func TestDocumentsThatAreNoPagesAreShownAsWhatTheyAre(t *testing.T) {
	at, _ := files(t, map[string][2]string{
		"/json":  {"application/json", `{"orders":[` + strings.Repeat(`{"id":7,"state":"paid"},`, 8) + `{"id":9}]}`},
		"/lines": {"application/vnd.api+json", "{\n    \"a\":  1\n}"},
		"/xml":   {"application/xml", `<?xml version="1.0"?><feed><entry id="1"><title>First</title></entry><!-- note --></feed>`},
		"/text":  {"text/plain; charset=utf-8", "one\n  two\n button \"Pay\" [e1]\n"},
		"/image": {"image/png", picture(t)},
	})
	for path, want := range map[string]struct {
		document       action.Document
		snapshot, text string
		markdown       string
	}{
		"/json":  {action.Document{Kind: action.KindJSON}, " JSON document\n | {\n |   \"orders\": [\n |     {\"id\": 7, \"state\": \"paid\"},\n", "{\n  \"orders\": [\n    {\"id\": 7, \"state\": \"paid\"},", "```json\n{\n  \"orders\""},
		"/lines": {action.Document{Kind: action.KindJSON}, " JSON document\n | {\n |     \"a\":  1\n | }\n", "{\n    \"a\":  1\n}", "```json\n{\n    \"a\":  1\n}\n```"},
		"/xml":   {action.Document{Kind: action.KindXML}, " XML document\n | <?xml version=\"1.0\"?>\n | <feed>\n |   <entry id=\"1\">\n |     <title>First</title>\n", "<feed>\n  <entry id=\"1\">", "```xml\n<?xml"},
		"/text":  {action.Document{Kind: action.KindText}, " plain text\n | one\n |   two\n |  button \"Pay\" [e1]\n", "one\n  two", "one\n  two"},
		"/image": {action.Document{Kind: action.KindImage, Width: 64, Height: 48}, " image of 64×48 pixels; a screenshot shows it\n", "", "![image of 64×48 pixels](" + at + "/image)"},
	} {
		t.Run(path, func(t *testing.T) {
			tr := start(t)
			went := tr.must("page.goto", &action.Goto{URL: at + path}).Data.(*action.Navigated)
			shot := tr.must("page.snapshot", &action.TakeSnapshot{}).Data.(*action.Snapshot)
			if first, rest, _ := strings.Cut(shot.Text, "\n"); !strings.HasPrefix(first, `page "`) || !strings.Contains(first, at+path) || !strings.HasPrefix(rest, want.snapshot) {
				t.Errorf("snapshot\n%s", shot.Text)
			}
			read := tr.must("page.extract", &action.Extract{}).Data.(*action.Extracted)
			if !strings.Contains(read.Text, want.text) {
				t.Errorf("text\n%s", read.Text)
			}
			marked := tr.must("page.markdown", &action.Markdown{}).Data.(*action.Marked)
			if !strings.HasPrefix(marked.Markdown, want.markdown) {
				t.Errorf("markdown\n%s", marked.Markdown)
			}
			for what, got := range map[string]*action.Document{"goto": went.Document, "snapshot": shot.Document, "extract": read.Document, "markdown": marked.Document} {
				if got == nil || *got != want.document {
					t.Errorf("%s says %+v", what, got)
				}
			}
		})
	}
}

func TestPagesAreNoDocumentsOfOtherKinds(t *testing.T) {
	at, _ := files(t, map[string][2]string{
		"/html":  {"text/html", "<title>T</title><pre>{}</pre>"},
		"/xhtml": {"application/xhtml+xml", `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head><body><p>Hello</p></body></html>`},
		"/drawn": {"application/xml", `<a xmlns:h="http://www.w3.org/1999/xhtml"><h:p>Hello</h:p><h:p style="display:none">hidden from people</h:p></a>`},
		"/svg":   {"image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg"><text y="20">Hello</text></svg>`},
	})
	tr := start(t)
	for _, path := range []string{"/html", "/xhtml", "/drawn", "/svg"} {
		went := tr.must("page.goto", &action.Goto{URL: at + path}).Data.(*action.Navigated)
		shot := tr.must("page.snapshot", &action.TakeSnapshot{}).Data.(*action.Snapshot)
		if went.Document != nil || shot.Document != nil || strings.Contains(shot.Text, "hidden from people") {
			t.Errorf("%s: %+v, %+v\n%s", path, went.Document, shot.Document, shot.Text)
		}
	}
}

func TestDocumentsAreReadInParts(t *testing.T) {
	var records strings.Builder
	for i := range 400 {
		fmt.Fprintf(&records, `{"id":%d,"state":"paid on the day after it came"},`, i)
	}
	at, _ := files(t, map[string][2]string{"/json": {"application/json", "[" + strings.TrimSuffix(records.String(), ",") + "]"}})
	tr := start(t)
	tr.must("page.goto", &action.Goto{URL: at + "/json"})
	for what, read := range map[string]func(offset int) (text string, tokens, next int){
		"snapshot": func(offset int) (string, int, int) {
			got := tr.must("page.snapshot", &action.TakeSnapshot{MaxTokens: 1000, Offset: offset}).Data.(*action.Snapshot)
			return got.Text, got.Tokens, got.NextOffset
		},
		"extract": func(offset int) (string, int, int) {
			got := tr.must("page.extract", &action.Extract{Paging: action.Paging{MaxTokens: 1000, Offset: offset}}).Data.(*action.Extracted)
			return got.Text, got.Tokens, got.NextOffset
		},
		"markdown": func(offset int) (string, int, int) {
			got := tr.must("page.markdown", &action.Markdown{Paging: action.Paging{MaxTokens: 1000, Offset: offset}}).Data.(*action.Marked)
			return got.Markdown, got.Tokens, got.NextOffset
		},
	} {
		all, parts := "", 0
		for next := 0; ; parts++ {
			text, tokens, following := read(next)
			if all += text; tokens == 0 || tokens > 1000 || parts > 50 {
				t.Fatalf("%s: part %d has %d tokens", what, parts, tokens)
			}
			if next = following; next == 0 {
				break
			}
		}
		for i := range 400 {
			if n := strings.Count(all, fmt.Sprintf(`"id": %d,`, i)); n != 1 {
				t.Errorf("%s: record %d is there %d times", what, i, n)
			}
		}
		if parts < 3 {
			t.Errorf("%s: %d parts", what, parts)
		}
	}
	tr.refuse(fault.InvalidRequest, "page.extract", &action.Extract{Mode: "html", Paging: action.Paging{MaxTokens: 1000}})
}

// paper is a PDF document with a line of text on each page.
func paper(lines ...string) string {
	objects := []string{"<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"}
	kids := ""
	for _, line := range lines {
		content := "BT /F1 12 Tf 72 720 Td (" + line + ") Tj ET"
		objects = append(objects, fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content))
		objects = append(objects, fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << /Font << /F1 3 0 R >> >> >>", len(objects)))
		kids += fmt.Sprintf("%d 0 R ", len(objects))
	}
	objects[1] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids, len(lines))
	out, table := "%PDF-1.4\n", ""
	for i, object := range objects {
		table += fmt.Sprintf("%010d 00000 n \n", len(out))
		out += fmt.Sprintf("%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	return out + fmt.Sprintf("xref\n0 %d\n0000000000 65535 f \n%strailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table, len(objects)+1, len(out))
}

func TestAPDFDocumentIsShownInPlaceOfAPage(t *testing.T) {
	at, asked := files(t, map[string][2]string{
		"/":      {"text/html", "<title>List</title><a href=/bill>Bill</a>"},
		"/bill":  {"application/pdf", paper("Invoice 2041", "Total: 99.50 EUR")},
		"/table": {"text/csv", "name;price\npen;1.20\n"},
	})
	tr, _ := withFiles(t)
	ctx := observe.Viewing(tr.ctx, observe.Viewer{Actor: "a", Surface: "mcp"}, true)
	tr.ctx = ctx
	tr.must("page.goto", &action.Goto{URL: at + "/"})
	asked.Store(0)
	r := tr.must("page.goto", &action.Goto{URL: at + "/bill"})
	went := r.Data.(*action.Navigated)
	if went.Document == nil || went.Document.Kind != action.KindPDF || went.Document.Pages != 2 || went.Document.Name != "bill.pdf" || went.Document.Artifact == "" || went.Download == "" {
		t.Fatalf("%+v %+v", went, went.Document)
	}
	shot := tr.must("page.snapshot", &action.TakeSnapshot{}).Data.(*action.Snapshot)
	for what, text := range map[string]string{"report": r.Changes.Snapshot.Text, "snapshot": shot.Text} {
		if !strings.Contains(text, at+"/bill\n PDF document of 2 pages; the file is kept as artifact") || !strings.Contains(text, " | Invoice 2041\n") || !strings.Contains(text, " | Total: 99.50 EUR\n") {
			t.Errorf("%s:\n%s", what, text)
		}
	}
	read := tr.must("page.extract", &action.Extract{}).Data.(*action.Extracted)
	if read.Document.Pages != 2 || !strings.Contains(read.Text, "--- page 2 of 2 ---\nTotal: 99.50 EUR") {
		t.Errorf("%+v", read)
	}
	if got := tr.must("page.find", &action.Find{Text: "total"}).Data.(*action.Matches); got.Total != 1 {
		t.Errorf("%+v", got)
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("it was requested %d times", n)
	}
	r = tr.must("page.back", &action.None{})
	if r.Changes.Snapshot == nil || !strings.Contains(r.Changes.Snapshot.Text, `link "Bill"`) {
		t.Errorf("back shows %+v", r.Changes)
	}
	table := tr.must("page.goto", &action.Goto{URL: at + "/table"}).Data.(*action.Navigated)
	if table.Document == nil || table.Document.Kind != action.KindText {
		t.Errorf("%+v", table.Document)
	}
	tr.must("page.click", &action.Click{Locator: selector("a")})
	tr.wantTitle("List")
}
