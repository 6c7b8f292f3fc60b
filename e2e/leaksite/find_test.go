package leaksite_test

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/e2e/leaksite"
)

// each formats every character of a text on its own.
func each(format string) func(string) string {
	return func(text string) string {
		var b strings.Builder
		for _, c := range []byte(text) {
			fmt.Fprintf(&b, format, c)
		}
		return b.String()
	}
}

func joined(by string) func(string) string {
	return func(text string) string { return strings.Join(strings.Split(text, ""), by) }
}

var notations = map[string]func(string) string{
	"raw":             func(s string) string { return s },
	"address":         url.QueryEscape,
	"path":            url.PathEscape,
	"percent":         each("%%%02x"),
	"HTML":            html.EscapeString,
	"character codes": each("&#%d;"),
	"hex codes":       each("&#x%X;"),
	"JSON":            func(s string) string { b, _ := json.Marshal(s); return string(b) },
	"JSON in JSON":    func(s string) string { b, _ := json.Marshal(s); b, _ = json.Marshal(string(b)); return string(b) },
	"script":          each(`\x%02x`),
	"unicode":         each(`\u%04x`),
	"hex":             each("%02x"),
	"HEX":             each("%02X"),
	"hex, colons":     each("%02x:"),
	"hex, commas":     each("0x%02x, "),
	"base32":          func(s string) string { return base32.StdEncoding.EncodeToString([]byte(s)) },
	"reversed":        func(s string) string { r := []rune(s); slices.Reverse(r); return string(r) },
	"zero width":      joined("\u200b"),
	"spaces":          joined(" "),
	"elements":        joined("</b><b>"),
	"lines":           joined("\n  text "),
	"fields":          joined(`"}, {"role": "text", "name": "`),
	"halves":          func(s string) string { return fmt.Sprintf("a=%q b=%q", s[:len(s)/2], s[len(s)/2:]) },
	"address of base64": func(s string) string {
		return url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(s)))
	},
	"base64, lines": func(s string) string {
		return joined("\r\n")(base64.StdEncoding.EncodeToString([]byte(s)))
	},
	"half of it": func(s string) string { return s[:len(s)/2] + "…" },
}

func TestEveryFormIsFound(t *testing.T) {
	for offset := range 3 {
		notations[fmt.Sprintf("base64 %d", offset)] = func(s string) string {
			return base64.StdEncoding.EncodeToString([]byte(strings.Repeat("~", offset) + s + "tail"))
		}
		notations[fmt.Sprintf("base64url %d", offset)] = func(s string) string {
			return base64.RawURLEncoding.EncodeToString([]byte(strings.Repeat("~", offset) + s))
		}
		notations[fmt.Sprintf("base32 %d", offset)] = func(s string) string {
			return base32.StdEncoding.EncodeToString([]byte(strings.Repeat("~", offset) + s + "tail"))
		}
	}
	for _, canary := range leaksite.New().List() {
		finder := leaksite.Find(canary)
		for name, write := range notations {
			text := `{"page": "Some text before: ` + write(canary.Value) + ` and after."}`
			if len(finder.In([]byte(text))) == 0 {
				t.Errorf("the %s is not found as %s: %s", canary.Kind, name, text)
			}
		}
	}
}

func TestOtherTextsAreNotFound(t *testing.T) {
	finder := leaksite.Find(leaksite.New().List()...)
	files, err := filepath.Glob("../../docs/reference/*")
	if err != nil || len(files) == 0 {
		t.Fatal("no texts to look through", err)
	}
	for _, file := range append(files, "../../go.sum") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text = text[:min(len(text), 100<<10)]
		noise := hex.EncodeToString(text) + base64.StdEncoding.EncodeToString(text)
		if found := finder.In(append(text, noise...)); len(found) > 0 {
			t.Errorf("%s has %q", file, found)
		}
	}
}
