package untrusted_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// hostile are characters that end a line, hide text, change its direction, or
// have a meaning for a terminal, a shell or a file system.
const hostile = "\x00\x1b\n\r\t\x07\x7f\u0085\u009b\u00ad\u061c\u200b\u200f\u2028\u2029\u202e\u2066\ufeff\U000e0041\"'\\/:*?<>|;&=+-@ .ü漢"

// text generates text with hostile characters and invalid UTF-8.
func text(t *rapid.T) string {
	return rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune(hostile))),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
}

// TestOutputIsSafeForItsDestination generates texts and checks that the result of
// each function contains nothing that is harmful at its destination.
func TestOutputIsSafeForItsDestination(t *testing.T) {
	control := func(keep string) func(string) bool {
		return func(s string) bool {
			return strings.ContainsFunc(s, func(r rune) bool {
				return !strings.ContainsRune(keep, r) && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r))
			})
		}
	}
	controls := func(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) }
	endsLine := func(s string) bool { return controls(s) || strings.ContainsAny(s, "\u2028\u2029") }
	for name, one := range map[string]struct {
		make    func(string) string
		refused func(string) bool
	}{
		"Terminal":       {untrusted.Terminal, control("\n\t")},
		"TerminalLine":   {func(s string) string { return untrusted.TerminalLine(s, 20) }, func(s string) bool { return control("")(s) || utf8.RuneCountInString(s) > 20 }},
		"Title":          {untrusted.Title, control("")},
		"Text":           {untrusted.Text, control("\n\t")},
		"ToolLine":       {func(s string) string { return untrusted.ToolLine(s, 20) }, func(s string) bool { return control("")(s) || endsLine(s) || utf8.RuneCountInString(s) > 21 }},
		"ToolQuoted":     {untrusted.ToolQuoted, func(s string) bool { return endsLine(s) || strings.Count(s, `"`) != 2 }},
		"SnapshotQuoted": {untrusted.SnapshotQuoted, endsLine},
		"SnapshotWord":   {untrusted.SnapshotWord, func(s string) bool { return strings.ContainsFunc(s, unicode.IsSpace) || endsLine(s) }},
		"SnapshotLines": {func(s string) string { return strings.Join(untrusted.SnapshotLines(s), "\n") },
			func(s string) bool {
				return strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && r != '\t' && endsLine(string(r)) })
			}},
		"LogLine":   {func(s string) string { return untrusted.LogLine(s, 20) }, func(s string) bool { return control("")(s) || endsLine(s) || utf8.RuneCountInString(s) > 20 }},
		"Reason":    {func(s string) string { return untrusted.Reason(s, 20) }, func(s string) bool { return control("")(s) || endsLine(s) }},
		"Quoted":    {untrusted.Quoted, func(s string) bool { return control("")(s) || endsLine(s) }},
		"Parameter": {untrusted.Parameter, func(s string) bool { return controls(s) || len(s) > 64 }},
		"Field":     {untrusted.Field, func(s string) bool { return strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) }},
		"Cell":      {untrusted.Cell, func(s string) bool { return s != "" && strings.Contains("=+-@\t\r\n", s[:1]) }},
		"FileName": {untrusted.FileName, func(s string) bool {
			return s == "" || control("")(s) || strings.ContainsAny(s, `/\:*?"<>|`) || s[0] == '.' || len(s) > 200
		}},
		"ArtifactName": {untrusted.ArtifactName, func(s string) bool {
			return s == "" || control("")(s) || strings.ContainsAny(s, `/\:*?"<>|`) || s[0] == '.' || len(s) > 120
		}},
		"HeaderFileName": {untrusted.HeaderFileName, func(s string) bool { return strings.ContainsAny(s, "\"\r\n;\\/ ") || control("")(s) }},
		"HTML":           {untrusted.HTML, func(s string) bool { return strings.ContainsAny(s, `<>"'`) }},
	} {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			from := text(t)
			if got := one.make(from); one.refused(got) {
				t.Fatalf("%q becomes %q", from, got)
			}
		}))
	}
}

func TestTerminalJSONKeepsTheMeaning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := strings.ToValidUTF8(text(t), "?")
		written, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		shown := untrusted.TerminalJSON(written)
		var got string
		if err := json.Unmarshal(shown, &got); err != nil || got != want {
			t.Fatalf("%q becomes %q, %v", want, shown, err)
		}
		if strings.ContainsFunc(string(shown), func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
			t.Fatalf("a terminal interprets %q", shown)
		}
	})
}

func TestRecordHasOnlyVisibleCharacters(t *testing.T) {
	odd := rapid.SampledFrom([]rune("\x00\x1b\n\t\x7f\u0085\u00ad\u034f\u061c\u115f\u180b\u200b\u200f\u2028\u202e\u2060\u2066\u2800\u3164\ufe0f\ufeff\ufff3\ue000\U000e0001\U000e0041\U000e01ef"))
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringOf(odd), rapid.StringOf(rapid.OneOf(odd, rapid.RuneFrom(nil, unicode.L))),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		most := rapid.IntRange(0, 50).Draw(t, "most")
		got := untrusted.Record(text, most)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is no UTF-8", got)
		}
		for _, r := range got {
			if r != ' ' && (unicode.IsControl(r) || !unicode.IsGraphic(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)) {
				if !unicode.IsGraphic(r) && !unicode.In(r, unicode.C, unicode.Zl, unicode.Zp) {
					continue // not assigned yet when this program was built
				}
				t.Fatalf("%U of %q is invisible in %q", r, text, got)
			}
		}
		if again := untrusted.Record(got, len(got)); again != got {
			t.Fatalf("%q became %q the second time", got, again)
		}
		if n := utf8.RuneCountInString(got); n > 10*most+len("… (99999 more)") {
			t.Fatalf("%d characters of at most %d", n, most)
		}
	})
}

func TestFileNamesAreHarmless(t *testing.T) {
	for suggested, want := range map[string]string{
		"a.txt": "a.txt", "": "file", "..": "file", "...hidden": "hidden", "../../etc/passwd": "_.._etc_passwd", `C:\x.exe`: "C__x.exe",
		"a\r\nb\x00c": "abc", "in\u202evoice.pdf": "invoice.pdf", "e\u0301 漢 😀.txt": "e\u0301 漢 😀.txt", "\xff\xfe": "file", " a. ": "a",
	} {
		if got := untrusted.FileName(suggested); got != want {
			t.Errorf("%q becomes %q, want %q", suggested, got, want)
		}
	}
	if got := untrusted.FileName(strings.Repeat("漢", 500) + ".pdf"); len(got) > 200 || !strings.HasSuffix(got, ".pdf") {
		t.Errorf("a long name becomes %d bytes", len(got))
	}
}
