package engine_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func (tr *trial) found(a action.Find) *action.Matches {
	tr.t.Helper()
	return tr.must("page.find", &a).Data.(*action.Matches)
}

func TestFindLooksIntoFramesAndShadowRoots(t *testing.T) {
	tr := start(t)
	s := site(t, map[string]string{
		"/": `<title>top</title><main><h1>Shop</h1><h2>Cart</h2><p>Your needle costs 5 EUR</p><button>Buy the NEEDLE</button>
			<p style="display:none">needle hidden</p><input type=password value="needle-secret" aria-label="Pass"><div id=host></div></main>
			<script>host.attachShadow({mode: 'closed'}).innerHTML = '<a href=/x onclick="document.title = 1; return false">needle in a closed root</a>'
			document.body.append(Object.assign(document.createElement('iframe'), {title: 'far', src: location.href.replace('127.0.0.1', 'localhost') + 'inner'}))</script>`,
		"/inner": `<h2>Inner</h2><button onclick="this.textContent = 'pressed'">needle in a frame</button>`,
	})
	tr.must("page.goto", &action.Goto{URL: s.URL})
	tr.must("page.wait_for", &action.WaitFor{Locator: action.Locator{Text: "needle in a frame"}})
	got := tr.found(action.Find{Text: "Needle"})
	var all []string
	for _, m := range got.Matches {
		all = append(all, m.Role+" "+m.Text+" < "+strings.Join(m.Path, " > "))
	}
	want := []string{
		`text Your needle costs 5 EUR < main > heading "Shop" > heading "Cart"`,
		`button Buy the NEEDLE < main > heading "Shop" > heading "Cart"`,
		`link needle in a closed root < main > heading "Shop" > heading "Cart"`,
		`button needle in a frame < iframe "far" > heading "Inner"`,
	}
	if strings.Join(all, "\n") != strings.Join(want, "\n") || got.Total != 4 || got.Title != "top" || got.Hidden == 0 {
		t.Fatalf("%d found, %d hidden:\n%s\nwant\n%s", got.Total, got.Hidden, strings.Join(all, "\n"), strings.Join(want, "\n"))
	}
	tr.must("page.click", &action.Click{Locator: action.Locator{Ref: got.Matches[3].Ref}})
	if again := tr.found(action.Find{Role: "Button", Name: "PRESSED"}); again.Total != 1 || again.Matches[0].Ref != got.Matches[3].Ref {
		t.Errorf("after the click %+v", again)
	}
	if secret := tr.found(action.Find{Text: "secret"}); secret.Total != 0 {
		t.Errorf("a protected value is found: %+v", secret)
	}
}

func TestFindIsNarrowedAndBounded(t *testing.T) {
	tr := start(t)
	tr.visit(`<title>many</title><ul>` + strings.Repeat(`<li><a href=/x>item <b>7</b></a>`, 150) + `</ul><section id=s aria-label=Prices>` + strings.Repeat("long ", 100) + `12.50 EUR` + strings.Repeat(" text", 100) + `</section>`)
	if got := tr.found(action.Find{Text: "item"}); got.Total != 150 || len(got.Matches) != 20 || got.Matches[19].Ref == "" {
		t.Errorf("%d of %d", len(got.Matches), got.Total)
	}
	if got := tr.found(action.Find{Text: "item", Limit: 3}); len(got.Matches) != 3 {
		t.Errorf("%d of 3", len(got.Matches))
	}
	price := tr.found(action.Find{Regex: `\d+\.\d+ EUR`, Context: 5})
	if price.Total != 1 || price.Matches[0].Text != "…long 12.50 EUR text…" {
		t.Errorf("the price is %+v", price)
	}
	if got := tr.found(action.Find{Text: "item", Selector: "#s"}); got.Total != 0 {
		t.Errorf("%+v is outside", got)
	}
	if got := tr.found(action.Find{Text: "EUR", Selector: "#s"}); got.Total != 1 {
		t.Errorf("%+v inside", got)
	}
	tr.refuse(fault.InvalidRequest, "page.find", &action.Find{})
	tr.refuse(fault.InvalidSelector, "page.find", &action.Find{Text: "x", Selector: "!"})
	tr.refuse(fault.NotFound, "page.find", &action.Find{Text: "x", Selector: "#none"})
	if f := tr.refuse(fault.InvalidRequest, "page.find", &action.Find{Regex: "(s3cret"}); strings.Contains(f.Error(), "s3cret") {
		t.Errorf("%v repeats the pattern", f)
	}
}

func TestFindSaysWhatIsPressedInARow(t *testing.T) {
	tr := start(t)
	tr.visit(`<table>` + strings.Repeat(`<tr><td>other</td><td><a href=/x>Details</a></td></tr>`, 60) +
		`<tr id=r><td>Ada</td><td><a href=/y>Details</a><input type=checkbox aria-label=Pick></td></tr></table><p>Eve <button>Out</button></p>`)
	got := tr.found(action.Find{Text: "Ada"})
	if len(got.Matches) != 1 || len(got.Matches[0].Beside) != 2 {
		t.Fatalf("beside is %+v", got.Matches)
	}
	link := got.Matches[0].Beside[0]
	if !strings.HasPrefix(link, `link "Details" [e`) || !strings.HasPrefix(got.Matches[0].Beside[1], `checkbox "Pick" [e`) {
		t.Errorf("beside is %q", got.Matches[0].Beside)
	}
	ref := strings.TrimSuffix(link[strings.LastIndex(link, "[")+1:], "]")
	if whole := tr.must("page.snapshot", &action.TakeSnapshot{Ref: ref, URLs: true}).Data.(*action.Snapshot); !strings.Contains(whole.Text, "/y") {
		t.Errorf("%s is %s", ref, whole.Text)
	}
	if got := tr.found(action.Find{Text: "Eve"}); got.Matches[0].Beside != nil {
		t.Errorf("in no row, and beside it %q", got.Matches[0].Beside)
	}
}

func TestFindJoinsWhatInlineElementsSplit(t *testing.T) {
	tr := start(t)
	tr.visit(`<title>split</title><h1>Rules</h1><p>Please see the <a href=/terms>Terms</a> of <b>use</b>, and <a href=/more>read more</a>.</p><ul><li>see</li><li>the Terms</li></ul>`)
	got := tr.found(action.Find{Text: "see the terms of use"})
	if got.Total != 1 || got.Matches[0].Role != "text" || got.Matches[0].Text != "Please see the Terms of use, and read more." || strings.Join(got.Matches[0].Path, "") != `heading "Rules"` {
		t.Fatalf("%+v", got)
	}
	r := tr.must("page.click", &action.Click{Locator: action.Locator{Ref: got.Matches[0].Ref}})
	if e := r.Data.(*action.Acted).Element; e.Name != "Terms" {
		t.Errorf("its reference is of %+v", e)
	}
	tr.must("page.back", &action.None{})
	for words, want := range map[string]int{"see the terms": 1, "terms": 2, "read more": 1, "more.": 1, "see the": 1} {
		if got := tr.found(action.Find{Text: words}); got.Total != want {
			t.Errorf("%q is found %d times, want %d: %+v", words, got.Total, want, got.Matches)
		}
	}
	if got := tr.found(action.Find{Regex: `the \w+ of use`}); got.Total != 1 {
		t.Errorf("a pattern: %+v", got)
	}
}
