package tokens_test

import (
	"bytes"
	"encoding/base64"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tiktoken-go/tokenizer"
	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"github.com/gloveboxhq/glovebox/internal/browser/corpus"
	"github.com/gloveboxhq/glovebox/internal/tokens"
)

var update = flag.Bool("update", false, "count the tables of the vocabulary again")

var o200k = sync.OnceValues(func() (tokenizer.Codec, error) { return tokenizer.Get(tokenizer.O200kBase) })

func vocabulary(t testing.TB) tokenizer.Codec {
	t.Helper()
	codec, err := o200k()
	if err != nil {
		t.Fatal(err)
	}
	return codec
}

func count(t testing.TB, codec tokenizer.Codec, text string) int {
	t.Helper()
	n, err := codec.Count(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// lines returns the text of a page in lines, as in a snapshot.
func lines(page []byte) string {
	var b strings.Builder
	z, inside, number := html.NewTokenizer(bytes.NewReader(page)), "", 0
	for {
		switch z.Next() {
		case html.ErrorToken:
			return b.String()
		case html.StartTagToken:
			name, _ := z.TagName()
			inside = string(name)
		case html.TextToken:
			words := strings.Join(strings.Fields(string(z.Text())), " ")
			switch {
			case words == "" || inside == "script" || inside == "style":
			case inside == "a":
				number++
				fmt.Fprintf(&b, "%*slink %q [e%d]\n", 1+number%5, "", words, number)
			default:
				fmt.Fprintf(&b, "%*stext %q\n", 1+number%5, "", words)
			}
		}
	}
}

func pages(t testing.TB) []corpus.Page {
	t.Helper()
	all, err := corpus.All()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestEstimatesOnRealPages uses every second page, because the tables were
// counted on the others.
func TestEstimatesOnRealPages(t *testing.T) {
	codec, waste := vocabulary(t), []float64{}
	for i, page := range pages(t) {
		text := lines(page.HTML)
		text = text[:min(len(text), 30_000)]
		n := count(t, codec, text)
		w := tokens.Of(text)
		if w < n {
			t.Errorf("%s: %d tokens, estimated %d", page.Name, n, w)
		}
		if i%2 == 1 {
			waste = append(waste, float64(w-n)/float64(n))
		}
	}
	slices.Sort(waste)
	middle, most := waste[len(waste)/2], waste[len(waste)*9/10]
	t.Logf("too high by %.1f %% in the middle, %.1f %% for nine in ten", middle*100, most*100)
	if middle > 0.15 || most > 0.30 {
		t.Errorf("too high by %.1f %% in the middle, %.1f %% for nine in ten", middle*100, most*100)
	}
}

// sources are kinds of text that are unlike web pages.
var sources = map[string]func(r *rand.Rand) string{
	"bytes as base64": func(r *rand.Rand) string { return base64.StdEncoding.EncodeToString([]byte(runs(r, 3000, 0, 255))) },
	"lower letters":   func(r *rand.Rand) string { return runs(r, 3000, 'a', 'z') },
	"upper letters":   func(r *rand.Rand) string { return runs(r, 3000, 'A', 'Z') },
	"short words":     func(r *rand.Rand) string { return spaced(runs(r, 3000, 'a', 'z'), 3) },
	"words":           func(r *rand.Rand) string { return spaced(runs(r, 3000, 'a', 'z'), 7) },
	"digits":          func(r *rand.Rand) string { return runs(r, 3000, '0', '9') },
	"ASCII":           func(r *rand.Rand) string { return runs(r, 3000, ' ', '~') },
	"controls":        func(r *rand.Rand) string { return runs(r, 3000, 0, 31) },
	"signs":           func(r *rand.Rand) string { return runs(r, 3000, '!', '/') },
	"spaces":          func(r *rand.Rand) string { return strings.Repeat(" ", 1+r.IntN(3000)) },
	"Latin":           func(r *rand.Rand) string { return runs(r, 3000, 0xc0, 0x24f) },
	"Greek":           func(r *rand.Rand) string { return runs(r, 3000, 0x391, 0x3c9) },
	"Cyrillic":        func(r *rand.Rand) string { return runs(r, 3000, 0x410, 0x44f) },
	"Hebrew":          func(r *rand.Rand) string { return runs(r, 3000, 0x5d0, 0x5ea) },
	"Arabic":          func(r *rand.Rand) string { return runs(r, 3000, 0x621, 0x64a) },
	"Devanagari":      func(r *rand.Rand) string { return runs(r, 3000, 0x905, 0x94d) },
	"Thai":            func(r *rand.Rand) string { return runs(r, 3000, 0xe01, 0xe4d) },
	"kana":            func(r *rand.Rand) string { return runs(r, 3000, 0x3041, 0x30ff) },
	"Han":             func(r *rand.Rand) string { return runs(r, 3000, 0x4e00, 0x9fff) },
	"Hangul":          func(r *rand.Rand) string { return runs(r, 3000, 0xac00, 0xd7a3) },
	"symbols":         func(r *rand.Rand) string { return runs(r, 3000, 0x2000, 0x2bff) },
	"emoji":           func(r *rand.Rand) string { return runs(r, 3000, 0x1f300, 0x1faff) },
	"any plane":       func(r *rand.Rand) string { return runs(r, 3000, 0x20, 0x10ffff) },
}

func runs(r *rand.Rand, n int, from, to rune) string {
	var b strings.Builder
	for range n {
		b.WriteRune(from + rune(r.IntN(int(to-from)+1)))
	}
	return b.String()
}

func spaced(text string, every int) string {
	var b strings.Builder
	for i, r := range text {
		if i%every == every-1 {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func TestEstimatesAreNeverTooLowForUnusualText(t *testing.T) {
	codec := vocabulary(t)
	for name, source := range sources {
		for seed := range uint64(2) {
			text := source(rand.New(rand.NewPCG(seed, 1)))
			if n, w := count(t, codec, text), tokens.Of(text); w < n {
				t.Errorf("%s: %d tokens, estimated %d", name, n, w)
			}
		}
	}
}

func TestEstimatesAreNeverTooLowForCode(t *testing.T) {
	codec := vocabulary(t)
	for _, text := range code(t, "encoding") {
		if n, w := count(t, codec, text), tokens.Of(text); w < n {
			t.Errorf("%d tokens, estimated %d: %.80q", n, w, text)
		}
	}
}

func TestHeadIsTheBeginningThatFits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text, most := rapid.String().Draw(rt, "text"), rapid.IntRange(10, 200).Draw(rt, "most")
		head := tokens.Head(text, most)
		if !strings.HasPrefix(text, head) || tokens.Of(head) > most {
			rt.Errorf("the head of %q within %d is %q of %d", text, most, head, tokens.Of(head))
		}
	})
}

// code returns some source files of the standard library.
func code(t testing.TB, below string) (all []string) {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(filepath.Join(strings.TrimSpace(string(root)), "src", below), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || len(all) > 60 {
			return err
		}
		text, err := os.ReadFile(path)
		all = append(all, string(text))
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("no code below %s: %v", below, err)
	}
	return all
}
