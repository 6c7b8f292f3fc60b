package extract_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/extract"
)

func TestJSONIsWrittenInLinesThatCanBeRead(t *testing.T) {
	long := strings.Repeat("x", 90)
	for name, c := range map[string]struct{ in, want string }{
		"short":                 {`{"a":1,"b":[1,2]}`, `{"a": 1, "b": [1, 2]}`},
		"long":                  {`{"a":"` + long + `","b":[1,2,{}]}`, "{\n  \"a\": \"" + long + "\",\n  \"b\": [1, 2, {}]\n}"},
		"lines are kept":        {"{\n   \"a\":1\n}", "{\n   \"a\":1\n}"},
		"lines of records":      {"{\"a\":1}\n{\"a\":2}\n", "{\"a\":1}\n{\"a\":2}\n"},
		"numbers and names":     {`{"n":1.0e+2,"n":12345678901234567890}`, `{"n": 1.0e+2, "n": 12345678901234567890}`},
		"escapes stay":          {`{"a":"\u003cb\u003e"}`, `{"a": "\u003cb\u003e"}`},
		"not JSON":              {"{a:1}", "{a:1}"},
		"nothing":               {"", ""},
		"array of long strings": {`["` + long + `","` + long + `"]`, "[\n  \"" + long + "\",\n  \"" + long + "\"\n]"},
	} {
		if got := extract.JSON(c.in); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func TestXMLIsWrittenInLinesThatCanBeRead(t *testing.T) {
	for name, c := range map[string]struct {
		in, want string
		plain    bool
	}{
		"one line":        {`<?xml version="1.0"?><a x="1"><b>text &amp; more</b><c/><!-- note --></a>`, "<?xml version=\"1.0\"?>\n<a x=\"1\">\n  <b>text &amp; more</b>\n  <c/>\n  <!-- note -->\n</a>", true},
		"lines are kept":  {"<a>\n <b/>\n</a>\n", "<a>\n <b/>\n</a>", true},
		"another charset": {`<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>`, "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<a>é</a>", true},
		"HTML in it":      {`<a xmlns:h="http://www.w3.org/1999/xht&#109;l"><h:p>drawn</h:p></a>`, "", false},
		"a style sheet":   {`<?xml-stylesheet href="a.css"?><a/>`, "", false},
		"not well-formed": {`<a><b></a>`, "", false},
	} {
		got, plain := extract.XML(c.in)
		if got != c.want || plain != c.plain {
			t.Errorf("%s: got %v\n%s\nwant\n%s", name, plain, got, c.want)
		}
	}
}

func FuzzPretty(f *testing.F) {
	for _, seed := range []string{`{"a":[1,{"b":null}]}`, `[[[[[]]]]]`, `"x"`, `<a><b>c</b></a>`, "{\"a\":\"\xff\"}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		pretty := extract.JSON(text)
		var a, b any
		if json.Unmarshal([]byte(text), &a) == nil && (json.Unmarshal([]byte(pretty), &b) != nil || !reflect.DeepEqual(a, b)) {
			t.Errorf("%q became %q", text, pretty)
		}
		if got, plain := extract.XML(text); plain && strings.Join(strings.Fields(got), "") != strings.Join(strings.Fields(text), "") {
			t.Errorf("%q became %q", text, got)
		}
	})
}
