package engine_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// hostileText are pieces of text that a keyboard seldom has: joined emoji,
// combining marks, right to left, beyond the basic plane, invisible ones.
var hostileText = []string{
	"a", "Z", " ", "é", "e\u0301", "ñ", "ß", "İ", "👩‍🚀", "👨‍👩‍👧‍👦", "🇨🇭", "👍🏽", "شلام", "שלום", "\u202e", "\u200f", "漢字", "かな", "한글", "𝒳", "𠮷", "🀄", "\u200b",
	"\u00a0", "\ufeff", "\u2028", "ﷺ", "नमस्ते", "ไทย", "<b>", "&amp;", `"`, "'", "\\", "`", "${x}", "\ufffd", "\U0010fffd",
}

func TestEveryStringSurvivesTyping(t *testing.T) {
	tr := start(t)
	tr.visit(`<meta charset=utf-8><textarea id=a></textarea><input id=i>`)
	piece := rapid.OneOf(rapid.SampledFrom(hostileText), rapid.Map(rapid.Rune(), func(r rune) string { return string(r) }))
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return -1
			}
			return r
		}, strings.Join(rapid.SliceOfN(piece, 1, 12).Draw(t, "pieces"), ""))
		field := rapid.SampledFrom([]string{"a", "i"}).Draw(t, "field")
		if _, err := tr.do("page.type", &action.Type{Locator: selector("#" + field), Input: text, Clear: true}); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		var got string
		if err := json.Unmarshal([]byte(tr.eval(`JSON.stringify(`+field+`.value)`)), &got); err != nil {
			t.Fatal(err)
		}
		if got != text {
			t.Fatalf("typed %q, holds %q", text, got)
		}
	})
}

// TestAMarkedFlagIsTypedInOrder checks a text after which Chromium has the caret in the
// wrong place.
func TestAMarkedFlagIsTypedInOrder(t *testing.T) {
	tr := start(t)
	tr.visit(`<meta charset=utf-8><textarea id=a onkeydown=""></textarea>`)
	const text = "x\U0001f1e8\U0001f1ed\u0300ab"
	tr.must("page.type", &action.Type{Locator: selector("#a"), Input: text, Clear: true})
	tr.wantEval(`a.value`, text)
}

func TestControlCharactersAreNotTyped(t *testing.T) {
	tr := start(t)
	tr.visit(`<input id=i value=kept>`)
	for r := rune(0); r < 0xa0; r++ {
		if !unicode.IsControl(r) || r == '\n' || r == '\t' {
			continue
		}
		for _, delay := range []int{0, 1} {
			tr.refuse(fault.InvalidRequest, "page.type", &action.Type{Locator: selector("#i"), Input: "a" + string(r) + "b", Clear: true, Delay: delay})
		}
	}
	tr.wantEval(`i.value`, "kept")
}

func TestSlowTypingSendsEveryCharacterAsAKey(t *testing.T) {
	tr := start(t)
	tr.visit(`<meta charset=utf-8><input id=i onkeydown="document.title += event.key">`)
	tr.must("page.type", &action.Type{Locator: selector("#i"), Input: "aÄ漢🚀", Delay: 1})
	tr.wantEval(`i.value`, "aÄ漢🚀")
	tr.wantTitle("aÄ漢🚀")
}

// Pages that listen for keys hear each character of the keyboard; what it does
// not have, and a long text, comes as text.
func TestTypingSendsKeys(t *testing.T) {
	tr := start(t)
	tr.visit(`<meta charset=utf-8><input id=i><button id=b disabled>Go</button><script>const heard = [];
		for (const kind of ['keydown', 'keypress', 'input', 'keyup']) i.addEventListener(kind, e => heard.push(kind + ' ' + (e.key ?? e.data)));
		i.addEventListener('keyup', () => b.disabled = i.value === '')</script>`)
	tr.must("page.type", &action.Type{Locator: selector("#i"), Input: "a B"})
	tr.wantEval(`heard.join()`, "keydown a,keypress a,input a,keyup a,keydown  ,keypress  ,input  ,keyup  ,keydown B,keypress B,input B,keyup B")
	tr.wantEval(`String(b.disabled)`, "false")
	tr.wantEval(`heard.length = 0, 'x'`, "x")
	tr.must("page.type", &action.Type{Locator: selector("#i"), Input: "1漢字2", Clear: true})
	tr.wantEval(`i.value + heard.filter(h => !h.startsWith('key')).at(-2)`, "1漢字2input 漢字")
	long := strings.Repeat("long text ", 60)
	tr.wantEval(`heard.length = 0, 'x'`, "x")
	tr.must("page.type", &action.Type{Locator: selector("#i"), Input: long, Clear: true})
	tr.wantEval(`i.value`, long)
	tr.wantEval(`String(heard.some(h => h.startsWith('key')))`, "false")
}
