package injected_test

import (
	"errors"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const findPage = `<body><button hidden>Save</button><button id=b1>Save all</button><button id=b2> sAvE </button><a href=/next id=a>Go <b>on</b></a>
<div id=host></div><p id=p>Some <i>plain</i> words</p><input type=submit value="Send it" id=send><x-open></x-open>
<script>host.attachShadow({mode:'open'}).innerHTML='<button class=deep>Deep</button><div id=h2></div>';
host.shadowRoot.getElementById('h2').attachShadow({mode:'open'}).innerHTML='<button class=deep>Deeper</button>';</script><button class=deep>After</button>`

func TestFindTakesTheFirstVisibleMatch(t *testing.T) {
	p := open(t, findPage)
	one := 1
	nine := 9
	for name, c := range map[string]struct {
		query   injected.Query
		matches int
		want    string
	}{
		"selector":              {injected.Query{Selector: "button"}, 6, "Save all"},
		"role":                  {injected.Query{Role: "button"}, 6, "Save all"},
		"role, equal name":      {injected.Query{Role: "button", Name: "save"}, 1, "sAvE"},
		"role, contained name":  {injected.Query{Role: "button", Name: "av"}, 2, "Save all"},
		"role, index":           {injected.Query{Role: "button", Index: &one}, 6, "sAvE"},
		"index out of range":    {injected.Query{Role: "button", Index: &nine}, 6, ""},
		"text across elements":  {injected.Query{Text: "go on"}, 1, "Go on"},
		"contained text":        {injected.Query{Text: "plain"}, 1, ""},
		"text of a button":      {injected.Query{Text: "Send it"}, 1, "Send it"},
		"text in a shadow root": {injected.Query{Text: "Deeper"}, 1, "Deeper"},
		"selector in a shadow":  {injected.Query{Selector: ".deep"}, 3, "Deep"},
		"none":                  {injected.Query{Role: "dialog"}, 0, ""},
		"unknown role":          {injected.Query{Role: "nonsense"}, 0, ""},
		"a role with a quote":   {injected.Query{Role: `"],*`}, 0, ""},
	} {
		f := p.find(c.query)
		if f.Matches != c.matches {
			t.Errorf("%s: %d matches, want %d", name, f.Matches, c.matches)
		}
		if got := factsName(f); got != c.want {
			t.Errorf("%s: found %q, want %q", name, got, c.want)
		}
	}
}

func factsName(f injected.Found) string {
	if f.Facts == nil {
		return ""
	}
	return f.Facts.Name
}

func TestShadowMatchesComeInDocumentOrder(t *testing.T) {
	p := open(t, findPage)
	f := p.find(injected.Query{Selector: ".deep"})
	var names []string
	for _, node := range f.Nodes {
		facts, err := p.frame.Facts(p.ctx, node)
		must(t, err)
		names = append(names, facts.Name)
	}
	if len(names) != 3 || names[0] != "Deep" || names[1] != "Deeper" || names[2] != "After" {
		t.Errorf("order %q", names)
	}
}

func TestAnInvalidSelectorIsAFault(t *testing.T) {
	p := open(t, findPage)
	for _, selector := range []string{"#[", "a >", ":nope(", "{}", "p::"} {
		if _, err := p.frame.Find(p.ctx, injected.Query{Selector: selector}); !errors.Is(err, fault.New(fault.InvalidSelector, "")) {
			t.Errorf("%s: %v", selector, err)
		}
		if _, err := p.frame.Wait(p.ctx, injected.Conditions{Query: injected.Query{Selector: selector, Wait: 1000}}); !errors.Is(err, fault.New(fault.InvalidSelector, "")) {
			t.Errorf("waiting for %s: %v", selector, err)
		}
	}
}

func TestFindWaitsForAnElement(t *testing.T) {
	p := open(t, `<p>x</p>`)
	p.page(`setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<button style="display:none">Late</button>'), 60); setTimeout(() => document.querySelector('button').style.display = '', 120); 0`)
	f := p.find(injected.Query{Role: "button", Name: "Late", Visible: true, Wait: 5000})
	if f.Visible != 1 || f.Facts.Name != "Late" {
		t.Errorf("found %+v", f)
	}
	if f := p.find(injected.Query{Selector: "#never", Wait: 50}); f.Matches != 0 || f.Node != 0 {
		t.Errorf("found %+v", f)
	}
}

func TestFactsSayWhatTheGateJudges(t *testing.T) {
	p := open(t, `<form action=/pay method=post><input id=e name=mail autocomplete=email placeholder="Your mail"><button id=b formaction=/buy>Buy <b>now</b></button><a id=l href="/out?x=1#y"><svg class="icon-trash"></svg></a></form>
<div class=CodeMirror><textarea id=c></textarea></div><input type=checkbox id=k><label id=lab for=k>Agree</label><button id=n data-testid=del-row><i class="fa fa-trash"></i></button><span id=in><button><b id=inner>Delete</b></button></span><form method=dialog><button id=d>OK</button></form><iframe id=f></iframe><button id=s title="Delete row">&times;</button><button id=w title="All of it">Save</button>`)
	for selector, check := range map[string]func(f injected.Facts) bool{
		"#e": func(f injected.Facts) bool {
			return f.Type == "text" && f.Autocomplete == "email" && f.FieldName == "mail e" && f.Placeholder == "Your mail" && f.Editable && f.Submits && f.SubmitName == "Buy now" && f.FormMethod == "post"
		},
		"#b": func(f injected.Facts) bool {
			return f.Type == "submit" && f.Submits && suffix(f.FormAction, "/buy") && f.Name == "Buy now"
		},
		"#l": func(f injected.Facts) bool {
			return f.Role == "link" && f.Name == "" && f.Label != "" && suffix(f.LinkURL, "/out?x=1#y")
		},
		"#c":     func(f injected.Facts) bool { return f.Code && f.Editable },
		"#k":     func(f injected.Facts) bool { return f.Toggle && f.Name == "Agree" && !f.Editable },
		"#lab":   func(f injected.Facts) bool { return f.Role == "checkbox" && f.Toggle },
		"#n":     func(f injected.Facts) bool { return f.Name == "" && f.Label == "fa-trash" },
		"#inner": func(f injected.Facts) bool { return f.Role == "button" && f.Name == "Delete" },
		"#d":     func(f injected.Facts) bool { return f.FormMethod == "dialog" && f.Submits },
		"#s":     func(f injected.Facts) bool { return f.Name == "×" && f.Label == "Delete row" }, // a sign says nothing
		"#w":     func(f injected.Facts) bool { return f.Name == "Save" && f.Label == "" },
		"#f":     func(f injected.Facts) bool { return f.Frame },
	} {
		found := p.find(injected.Query{Selector: selector})
		if found.Facts == nil || !check(*found.Facts) {
			t.Errorf("%s: %+v", selector, found.Facts)
		}
	}
}

func suffix(s, end string) bool { return len(s) >= len(end) && s[len(s)-len(end):] == end }
