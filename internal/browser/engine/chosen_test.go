package engine_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	syntax "github.com/gloveboxhq/glovebox/internal/browser/selector"
)

// TestChromiumReadsSelectorsAsWeDo writes selectors by the thousand, many of
// them broken, and has Chromium read what is taken: it must be the same text to
// it, and so the same selector.
func TestChromiumReadsSelectorsAsWeDo(t *testing.T) {
	const seeds, each = 8, 1500
	tr := start(t)
	tr.visit(`<p>nothing`)
	taken := 0
	for seed := range uint64(seeds) {
		w := writer{rand.New(rand.NewPCG(seed, 7))} //nolint:gosec // not a secret
		asked := map[string]string{}
		for range each {
			text := w.broken(w.list(0))
			if ours, err := syntax.Read(text); err == nil {
				asked[text] = ours
			}
		}
		taken += len(asked)
		theirs := tr.readByChromium(asked)
		for text, ours := range asked {
			for i, what := range []string{"what was given", "what we make of it"} {
				if got := theirs[text][i]; !strings.EqualFold(got, ours) { // tags of HTML have no case
					t.Errorf("%q is %q to us, and to Chromium, of %s, %q", text, ours, what, got)
				}
			}
		}
	}
	if taken < seeds*each/10 {
		t.Errorf("only %d were taken", taken)
	}
	t.Logf("%d of %d were taken, and read by Chromium as by us", taken, seeds*each)
}

// readByChromium returns how Chromium writes each text, and what we made of it.
func (tr *trial) readByChromium(asked map[string]string) map[string][2]string {
	tr.t.Helper()
	list, err := json.Marshal(asked)
	must(tr.t, err)
	script := fmt.Sprintf(`(() => {
		const sheet = new CSSStyleSheet();
		const read = text => { try { sheet.insertRule('first, ' + text + '{}'); const rule = sheet.cssRules[0]; sheet.deleteRule(0); return rule.selectorText.replace('first, ', '') } catch { return 'refused' } };
		return Object.fromEntries(Object.entries(%s).map(([text, ours]) => [text, [read(text), read(ours)]]));
	})()`, list)
	result := tr.must("page.execute", &action.Execute{Expression: script}).Data.(*action.Executed).Result
	text, err := json.Marshal(result)
	must(tr.t, err)
	var theirs map[string][2]string
	must(tr.t, json.Unmarshal(text, &theirs))
	return theirs
}

// writer writes selectors.
type writer struct{ *rand.Rand }

func (w writer) of(all ...string) string { return all[w.IntN(len(all))] }

func (w writer) list(depth int) string {
	out := w.complex(depth)
	for w.IntN(5) == 0 {
		out += w.of(",", ", ", " ,\t") + w.complex(depth)
	}
	return out
}

func (w writer) complex(depth int) string {
	out := w.compound(depth)
	for w.IntN(3) == 0 {
		out += w.of(" ", " > ", ">", "+", " ~ ", "\n", "  ", " \\", "||") + w.compound(depth)
	}
	return out
}

func (w writer) compound(depth int) string {
	out := w.of("", "", "*", "a", "Div", "my-el", "--x", "größe", `\64iv`, "-a", `\31 a`)
	for w.IntN(2) == 0 || out == "" {
		out += w.simple(depth)
	}
	return out
}

func (w writer) simple(depth int) string {
	name := w.of("a", "b-c", "_d", `\31 2`, `md\:x`, `w-1\/2`, "--e", "-f", `\-`, "ß", `\0000e9 x`, "-1", "1", `\{`, `g\ h`)
	switch w.IntN(6) {
	case 0:
		return "#" + name
	case 1:
		return "." + name
	case 2:
		return "[" + w.of("name", "ROLE", "aria-label", "disabled", " href ", "value", `n\61me`) + w.of("", "", "=x", "='y z'", `="q"`, "= w ", "^=x", "='a' i", `='\61'`, "=1", "=-") + "]"
	case 3:
		return ":" + w.of("checked", "First-Child", "root", "hover", "visited", "before", "invalid", "nope", ":after", "link", "modal")
	case 4:
		return ":" + w.of("nth-child", "Nth-Of-Type", "nth-last-child") + "(" + w.of("odd", "EVEN", "2n+1", " -n + 3 ", "+4", "n", "-n", "+n- 1", "0n+0", "-0n-2", "2n +1", "3 n", "n+", "2 of a", "007", "- n", "--n", "n-1") + ")"
	}
	if depth > 2 {
		return ".z"
	}
	return ":" + w.of("is", "not", "where", "has") + "(" + w.of("", "", "> ", "~") + w.list(depth+1) + w.of("", " ") + ")"
}

// broken puts a letter into one text of three, or takes one out.
func (w writer) broken(text string) string {
	if text == "" || w.IntN(3) > 0 {
		return text
	}
	at := w.IntN(len(text))
	if w.IntN(2) == 0 {
		return strings.ToValidUTF8(text[:at]+text[at+1:], "")
	}
	return strings.ToValidUTF8(text[:at]+w.of(")", "(", "[", "]", `"`, "'", ":", ",", ">", "\\", "/**/", "|", "&", " ", "\n", "\f", "\r\n", "é", "#", ".", "!", "\x01", "-", "i")+text[at:], "")
}

// TestOptionsOfAClosedListAreNoTextToWaitFor waits for an option that comes
// later: nobody sees its text until the list is opened or it is chosen.
func TestOptionsOfAClosedListAreNoTextToWaitFor(t *testing.T) {
	tr := start(t)
	tr.visit(`<label>City <select><option>Any</select></label><script>setTimeout(() => document.querySelector('select').add(new Option('Basel')), 100)</script>`)
	for _, w := range []struct {
		locator action.Locator
		found   bool
	}{
		{action.Locator{Role: "option", Name: "Basel"}, true},
		{action.Locator{Text: "Basel"}, false},
	} {
		moment := 300
		args := &action.WaitFor{Locator: w.locator, State: "attached"}
		if !w.found {
			args.Timeout = &moment
		}
		if got := tr.must("page.wait_for", args).Data.(*action.Waited).Found; got != w.found {
			t.Errorf("%+v: found %t", w.locator, got)
		}
	}
}
