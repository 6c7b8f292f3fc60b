package engine_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

const canary = "canary-Z7q!\"'); alert(1)//é"

// fillSecret does as the session room does: looks by the caller's words, and
// fills with what only the gateway knows.
func (tr *trial) fillSecret(at action.Locator, origin string, between ...func()) (action.Result, error) {
	tr.t.Helper()
	args := action.FillSecret{Locator: at, Secret: "password", Domain: "site.example"}
	_, pin, err := tr.Look(tr.ctx, "page.fill_secret", &args)
	must(tr.t, err)
	for _, f := range between {
		f()
	}
	return tr.Do(tr.ctx, "page.fill_secret", &engine.Filling{FillSecret: args, Value: credentials.Keep(canary), Origin: origin}, pin)
}

// valueIn is the value of a field, read by the page's own script.
func (tr *trial) valueIn(field string) string {
	tr.t.Helper()
	return tr.eval("document.querySelector('" + field + "').value")
}

const login = `<title>login</title><meta charset=utf-8><form action=/in method=post>
	<label>User <input id=u name=user></label><label>Password <input id=p type=password name=pw></label><button>Sign in</button></form>
	<script>heard = []; for (const e of ['beforeinput', 'input', 'change']) p.addEventListener(e, x => heard.push(x.type + ':' + x.inputType + ':' + (x.data ?? '') + ':' + p.value.length))</script>`

func TestASecretIsTypedAndCannotBeReadAgain(t *testing.T) {
	tr := start(t)
	s := tr.visit(login)
	for _, field := range []string{"#p", "#u"} {
		r, err := tr.fillSecret(selector(field), s.URL)
		must(t, err)
		filled := r.Data.(*action.Filled)
		if !filled.OK || filled.Secret != "password" || filled.Domain != "site.example" || filled.Element.Tag != "input" {
			t.Errorf("%+v", filled)
		}
		if text := fmt.Sprintf("%+v %+v", r, filled.Element); strings.Contains(text, "canary") {
			t.Errorf("the result has the value: %s", text)
		}
		if got := tr.valueIn(field); got != canary {
			t.Errorf("%s has %q", field, got)
		}
	}
	if heard := tr.eval("heard.join(' ')"); heard != fmt.Sprintf("input:insertReplacementText::%d change:undefined::%[1]d", len([]rune(canary))) {
		t.Errorf("the page heard %q", heard)
	}
	tr.eval("p.type = 'text'; 0") // a page that has a button to show it
	for verb, args := range map[string]any{
		"page.snapshot": &action.TakeSnapshot{}, "page.extract": &action.Extract{}, "page.markdown": &action.Markdown{},
		"page.find": &action.Find{Text: "canary"}, "page.links": &action.None{},
	} {
		if text := fmt.Sprintf("%+v", tr.must(verb, args).Data); strings.Contains(text, "canary") {
			t.Errorf("%s shows it: %s", verb, text)
		}
	}
	for _, scrape := range []string{"#p@value", "#u@value", "#u"} {
		r, err := tr.do("page.scrape", &action.Scrape{Selectors: map[string]string{"x": scrape}})
		if text := fmt.Sprintf("%+v %v", r.Data, err); strings.Contains(text, "canary") {
			t.Errorf("scrape %s shows it: %s", scrape, text)
		}
	}
	if got := tr.valueIn("#p"); got != "" {
		t.Errorf("a password field that was turned into another kept what it held: %q", got)
	}
}

func TestASecretGoesToItsOriginOnly(t *testing.T) {
	other := listen(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<input id=p type=password>`))
	}))
	for name, c := range map[string]struct {
		html, field string
		origin      func(own string) string
	}{
		"another origin":        {login, "#p", func(string) string { return other.URL }},
		"another port":          {login, "#p", func(own string) string { return own + "1" }},
		"another scheme":        {login, "#p", func(own string) string { return strings.Replace(own, "http:", "https:", 1) }},
		"no origin":             {login, "#p", func(string) string { return "" }},
		"the origin of a frame": {`<iframe src="` + other.URL + `">`, "#p", func(string) string { return other.URL }},
		"a frame of another":    {`<iframe src="` + other.URL + `">`, "#p", func(own string) string { return own }},
		"a sandboxed frame":     {`<iframe sandbox=allow-scripts srcdoc="<input id=p type=password>">`, "#p", func(own string) string { return own }},
		"a form to another":     {`<form action="` + other.URL + `"><input id=p type=password>`, "#p", func(own string) string { return own }},
		"a button to another": {`<form action=/><input id=p type=password><button>a</button><button formaction="` + other.URL + `">b</button>`, "#p",
			func(own string) string { return own }},
		"a button outside to another": {`<form id=f action=/><input id=p type=password></form><button form=f formaction="` + other.URL + `">b</button>`, "#p",
			func(own string) string { return own }},
		"a form named to hide it": {`<form action="` + other.URL + `"><input id=p type=password><input name=action value=/><input name=elements></form>`, "#p",
			func(own string) string { return own }},
		"a script as action": {`<form action="javascript:alert(1)"><input id=p type=password>`, "#p", func(own string) string { return own }},
		"a base elsewhere":   {`<base href="` + other.URL + `"><form action=in><input id=p type=password>`, "#p", func(own string) string { return own }},
	} {
		if !testenv.Tried(name, 2) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			tr := start(t)
			s := tr.visit(c.html)
			_, err := tr.fillSecret(selector(c.field), c.origin(s.URL))
			expect(t, fault.DeniedByPolicy, err)
			if left := tr.eval("document.querySelector('#p')?.value ?? ''"); left != "" {
				t.Errorf("something is in the field: %v", left)
			}
		})
	}
}

func TestAFrameOfTheSameOriginGetsItsSecret(t *testing.T) {
	tr := start(t)
	s := site(t, map[string]string{"/": `<title>outer</title><iframe src=/inner></iframe>`, "/inner": `<input id=p type=password>`})
	tr.must("page.goto", &action.Goto{URL: s.URL})
	_, err := tr.fillSecret(selector("#p"), s.URL)
	must(t, err)
	if got := tr.eval("frames[0].document.querySelector('#p').value"); got != canary {
		t.Errorf("the field has %q", got)
	}
}

func TestAFieldThatChangesGetsNothing(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		code   fault.Code
	}{
		"to text before":       {"p.type = 'text'", fault.PageChanged},
		"to another form":      {"p.form.action = '/other'", fault.PageChanged},
		"to a twin":            {"p.replaceWith(p.cloneNode())", fault.PageChanged},
		"to text when focused": {"p.addEventListener('focus', () => p.type = 'text')", fault.PageChanged},
		"to text when filled":  {"p.addEventListener('input', () => p.type = 'text')", fault.NotActionable},
		"gone when filled":     {"p.addEventListener('change', () => p.remove())", fault.NotActionable},
		"another has focus":    {"p.addEventListener('focus', () => u.focus())", fault.NotActionable},
	} {
		if !testenv.Tried(name, 2) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			tr := start(t)
			s := tr.visit(login)
			tr.eval("kept = p; 0")
			_, err := tr.fillSecret(selector("#p"), s.URL, func() { tr.eval(c.script + "; 0") })
			expect(t, c.code, err)
			if strings.Contains(fmt.Sprintf("%+v", err), "canary") {
				t.Errorf("the fault has it: %v", err)
			}
			if left := tr.eval("kept.value + u.value + (document.querySelector('#p')?.value ?? '')"); left != "" {
				t.Errorf("left in the page: %q", left)
			}
		})
	}
}

func TestOnlyTheGatewayFillsSecrets(t *testing.T) {
	tr := start(t)
	tr.visit(login)
	_, err := tr.do("page.fill_secret", &action.FillSecret{Locator: selector("#p"), Secret: "password"})
	expect(t, fault.InvalidRequest, err)
}

// The keys do copy: what a plain field holds comes out of the search field. That
// nobody presses them in a protected one that is no password field is the
// policy's to see to.
func TestAFilledPasswordCannotBeCopied(t *testing.T) {
	for field, copies := range map[string]bool{`<input id=p type=password>`: false, `<input id=p name=otp>`: true} {
		tr := start(t)
		s := tr.visit(`<title>t</title><meta charset=utf-8>` + field + `<input id=q type=search><p>words</p>`)
		_, err := tr.fillSecret(selector("#p"), s.URL)
		must(t, err)
		tr.must("page.type", &action.Type{Locator: selector("#q"), Input: "marker"})
		for _, field := range []string{"#q", "#p"} { // the clipboard is the browser's, and may have something of before
			for _, key := range []string{"Control+a", "Control+c"} {
				tr.must("page.press", &action.Press{Locator: selector(field), Key: key})
			}
		}
		tr.must("page.press", &action.Press{Locator: selector("#q"), Key: "Control+v"})
		if got := tr.valueIn("#q"); strings.Contains(got, "canary") != copies || got == "markermarker" == copies {
			t.Errorf("from %s: the search field has %q", field, got)
		}
		tr.must("page.press", &action.Press{Locator: selector("#p"), Key: "Control+a"})
		tr.must("page.type", &action.Type{Locator: selector("#q"), Clear: true})
		tr.must("page.drag", &action.Drag{From: selector("#p"), To: selector("#q")})
		if got := tr.valueIn("#q"); got != "" && !copies {
			t.Errorf("dragged from %s: the search field has %q", field, got)
		}
	}
}

// A page may check a password a moment after it was filled in.
func TestWhatAFilledSecretSetsOffLateIsInTheAnswer(t *testing.T) {
	tr := start(t)
	s := serve(t, `<label>Password <input id=p type=password></label><p id=out>idle</p><script>p.addEventListener('input', () => setTimeout(() => { out.textContent = 'checked' }, 50))</script>`)
	tr.told(bot, "page.goto", &action.Goto{URL: s.URL})
	tr.ctx = viewing(tr)
	r, err := tr.fillSecret(selector("#p"), s.URL)
	must(t, err)
	if r.Changes == nil || !strings.Contains(r.Changes.Text, "checked") {
		t.Errorf("%+v", r.Changes)
	}
}
