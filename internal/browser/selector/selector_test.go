package selector_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/selector"
)

func TestStructureAndStateMayBeAskedFor(t *testing.T) {
	for in, want := range map[string]string{
		"body":                                `body`,
		" main  >  ul li:first-child ":        `main > ul li:first-child`,
		"*":                                   `*`,
		"*.a":                                 `.a`,
		"#save, .btn.primary":                 `#save, .btn.primary`,
		`input[type=email]`:                   `input[type="email"]`,
		`[ROLE = 'button' ]`:                  `[role="button"]`,
		`a[href="/invoices?page=2"]`:          `a[href="/invoices?page=2"]`,
		`button[disabled]`:                    `button[disabled]`,
		`tr:nth-child( odd ) td:Nth-Child(2)`: `tr:nth-child(2n+1) td:nth-child(2)`,
		`li:nth-last-child(-n + 3)`:           `li:nth-last-child(-n+3)`,
		`form:has(> input[name=q]):not(.old)`: `form:has(> input[name="q"]):not(.old)`,
		`:is(h1, h2):where(.a) ~ p + p`:       `:is(h1, h2):where(.a) ~ p + p`,
		`.md\:flex .w-1\/2`:                   `.md\:flex .w-1\/2`,
		`#\31 23`:                             `#\31 23`,
		"\tul\r\n> li":                        `ul > li`,
		`my-card[aria-expanded="true"]`:       `my-card[aria-expanded="true"]`,
		`.größe`:                              `.größe`,
	} {
		if got, err := selector.Read(in); err != nil || got != want {
			t.Errorf("%s is read as %s, %v; want %s", in, got, err, want)
		}
	}
}

func TestNothingIsGuessedPieceByPiece(t *testing.T) {
	for _, in := range []string{
		`[value]`, `[value=a]`, `[name^=a]`, `[name$=a]`, `[name*=a]`, `[name~=a]`, `[name|=a]`, `[name=a i]`, `[name=A s]`, `input[value^="a" i]`,
		`[content]`, `[content=x]`, `[data-token]`, `[data-token=x]`, `[srcdoc]`, `[nonce]`, `[nonce=x]`, `[src=x]`, `[action=x]`, `[style=x]`,
		`[onclick]`, `[*|name=a]`, `[svg|href=x]`, `[\6eame=a]`, `[n\61me=a]`, `[val\75 e=a]`,
		`:not([value^=a])`, `:is([value^=a], b)`, `:has([value^=a])`, `a:where(:not(:is([value^=a])))`, `:nth-child(2 of [value^=a])`,
		`:has(:has(a))`, `:lang(x)`, `:contains(x)`, `:visited`, `:scope`, `:host(x)`, `:state(x)`, `:-webkit-autofill`, `:autofill`, `:is()`, `:not()`,
		`::before`, `a::after`, `:before`, `::part(x)`, `svg|a`, `*|*`, `a /* x */ b`, `a/**/b`, `a||b`, `& a`, `a {}`, `a,`, `,a`, ``, ` `, `> a`, `a >`,
		`a > > b`, `[name="a\"]`, `[name="a`, "[name=\"a\nb\"]", `[name=`, `[name`, `[`, `#1a`, `#`, `.`, `..a`, `:`, `:is(a`, `a)`, `@media`, `a!b`,
		"a\x00b", "a\xffb", `a\`, "a\\\nb", `\0 a`, `\110000 a`, `\d800 a`, `[class=]`, `[title='say "hi"']`, `a:nth-child(n of b)`, `a:nth-child(9999999)`, `a.b*`, `.a b*c`,
		strings.Repeat("a ", 201), strings.Repeat(":not(", 10) + "a" + strings.Repeat(")", 10), strings.Repeat("a", 4097),
	} {
		if got, err := selector.Read(in); err == nil {
			t.Errorf("%q is read as %s", in, got)
		} else if err.Error() == "" {
			t.Errorf("%q is refused without a word", in)
		}
	}
}

func TestOnlyWhatAnElementIsForIsReadOfIt(t *testing.T) {
	for _, name := range []string{"value", "content", "srcdoc", "nonce", "data-token", "style", "onclick", "action", "formaction", "ping", "srcset"} {
		if selector.Harmless(name) {
			t.Errorf("%s is harmless", name)
		}
	}
	for _, name := range []string{"href", "src", "alt", "title", "aria-label", "disabled"} {
		if !selector.Harmless(name) {
			t.Errorf("%s is not harmless", name)
		}
	}
}

// FuzzRead holds that what is read once is read again as itself.
func FuzzRead(f *testing.F) {
	for _, in := range []string{`a > b`, `#\31 2`, `[name="x"]`, `:is(a, b):nth-child(2n+1)`, `.\:x`, `form:has(> a)`, `-\-`, `\-`, `--a`, `-a`} {
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		once, err := selector.Read(in)
		if err != nil {
			return
		}
		again, err := selector.Read(once)
		if err != nil || again != once {
			t.Errorf("%q is written %q, and that %q: %v", in, once, again, err)
		}
		for _, asks := range []string{"^=", "$=", "*=", "|=", "~="} {
			if outside := withoutStrings(once); strings.Contains(outside, asks) && !strings.Contains(outside, `\`) {
				t.Errorf("%q is read as %q", in, once)
			}
		}
	})
}

func withoutStrings(text string) string {
	parts := strings.Split(text, `"`)
	for i := 1; i < len(parts); i += 2 {
		parts[i] = ""
	}
	return strings.Join(parts, "")
}
