package extract_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/extract"
)

const most = 1 << 20

// pdf is a document with a line of text on each page.
func pdf(lines ...string) []byte {
	objects := []string{"<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"}
	var kids strings.Builder
	for _, line := range lines {
		content := "BT /F1 12 Tf 72 720 Td (" + line + ") Tj ET"
		objects = append(objects, fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content))
		objects = append(objects, fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << /Font << /F1 3 0 R >> >> >>", len(objects)))
		fmt.Fprintf(&kids, "%d 0 R ", len(objects))
	}
	objects[1] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids.String(), len(lines))
	var out, table strings.Builder
	out.WriteString("%PDF-1.4\n")
	for i, object := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n%strailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table.String(), len(objects)+1, start)
	return []byte(out.String())
}

func TestDocumentReadsPDFPageByPage(t *testing.T) {
	text, pages, cut, err := extract.Document(t.Context(), pdf("Invoice 2041", "Total: 99.50 EUR"), most)
	if want := "--- page 1 of 2 ---\nInvoice 2041\n--- page 2 of 2 ---\nTotal: 99.50 EUR\n"; err != nil || text != want || pages != 2 || cut {
		t.Errorf("%q with %d pages, cut %v: %v", text, pages, cut, err)
	}
	text, _, cut, err = extract.Document(t.Context(), pdf("Invoice 2041", "Total: 99.50 EUR"), 30)
	if err != nil || len(text) > 30 || !cut {
		t.Errorf("%q, cut %v: %v", text, cut, err)
	}
}

func TestDocumentReadsText(t *testing.T) {
	for name, c := range map[string]struct{ content, want string }{
		"UTF-8":        {"a;b\r\nä;1\n", "a;b\nä;1\n"},
		"with a mark":  {"\ufeffa;b", "a;b"},
		"Windows-1252": {"Name;Stra\xdfe\nJ\xfcrgen;1\n", "Name;Straße\nJürgen;1\n"},
		"UTF-16":       {"\xff\xfea\x00\xe4\x00", "aä"},
		"JSON":         {`{"a": 1}`, `{"a": 1}`},
	} {
		if got, _, _, err := extract.Document(t.Context(), []byte(c.content), most); err != nil || got != c.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestDocumentRefusesWhatHoldsNoText(t *testing.T) {
	for name, content := range map[string]string{"a picture": "\x89PNG\r\n\x1a\n\x00\x00", "an archive": "PK\x03\x04\x14\x00\x00\x00", "bytes": "\x00\x01\x02\xff"} {
		if _, _, _, err := extract.Document(t.Context(), []byte(content), most); !errors.Is(err, extract.ErrNoText) {
			t.Errorf("%s: %v", name, err)
		}
	}
	whole := pdf("Invoice 2041")
	for name, content := range map[string][]byte{"a broken document": append([]byte("%PDF-1.7\n"), strings.Repeat("obj << ", 999)...), "half a document": whole[:len(whole)/3]} {
		if text, _, _, err := extract.Document(t.Context(), content, most); err == nil && strings.Contains(text, "2041") {
			t.Errorf("%s: %q", name, text)
		}
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if _, _, _, err := extract.Document(ended, whole, most); err == nil {
		t.Error("a document was read after its time was over")
	}
}
