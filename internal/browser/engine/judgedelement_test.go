package engine_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// What is judged is what is done: a call on one element must not act on
// another that was not judged.

func TestAClickDoesNotReachAControlInsideTheElement(t *testing.T) {
	const deletes = `onclick="document.title='deleted'"`
	for name, html := range map[string]string{
		"button in a link":        `<a id=x href="#" style="display:block;width:99px"><span role=button style="display:block;height:40px" ` + deletes + `>Delete</span></a>`,
		"closed root":             `<div id=x style="width:99px"></div><script>x.attachShadow({mode:'closed'}).innerHTML='<button style="width:99px;height:40px">Delete</button>'; x.onclick=()=>document.title='deleted'</script>`,
		"closed root of a custom": `<my-bin id=x style="display:block;width:99px"></my-bin><script>x.attachShadow({mode:'closed'}).innerHTML='<button style="width:99px;height:40px">Delete</button>'; x.onclick=()=>document.title='deleted'</script>`,
		"frame":                   `<iframe id=x style="border:0;width:99px;height:40px" srcdoc="<body style='margin:0'><button style='width:99px;height:40px' onclick='parent.document.title=&quot;deleted&quot;'>Delete</button>"></iframe>`,
		"box around a frame":      `<div id=x style="width:99px;height:40px"><iframe style="border:0;width:99px;height:40px" srcdoc="<body style='margin:0'><button style='width:99px;height:40px' onclick='parent.document.title=&quot;deleted&quot;'>Delete</button>"></iframe></div>`,
	} {
		if !testenv.Tried(name, 2) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			tr := start(t)
			tr.visit(`<title>kept</title>` + html)
			args := &action.Click{Locator: selector("#x")}
			args.Timeout = 300
			tr.refuse(fault.NotActionable, "page.click", args)
			tr.wantTitle("kept")
		})
	}
}

func TestAKeyIsJudgedByTheElementThatGetsIt(t *testing.T) {
	for name, c := range map[string]struct{ html, focus string }{
		"open root":                  {`<div id=x></div><script>x.attachShadow({mode:'open'}).innerHTML='<button>Delete</button>';x.shadowRoot.firstChild.focus()</script>`, "button"},
		"open root that delegates":   {`<div id=x></div><script>x.attachShadow({mode:'open',delegatesFocus:true}).innerHTML='<button>Delete</button>';x.focus()</script>`, "button"},
		"closed root":                {`<div id=x></div><script>const r=x.attachShadow({mode:'closed'});r.innerHTML='<button>Delete</button>';r.firstChild.focus()</script>`, "button"},
		"closed root with some text": {`<div id=x>text</div><script>const r=x.attachShadow({mode:'closed'});r.innerHTML='<slot></slot><button>Delete</button>';r.lastChild.focus()</script>`, "button"},
		"closed root that delegates": {`<my-bin id=x></my-bin><script>x.attachShadow({mode:'closed',delegatesFocus:true}).innerHTML='<button>Delete</button>';x.focus()</script>`, "button"},
		"password in a closed root":  {`<div id=x></div><script>const r=x.attachShadow({mode:'closed'});r.innerHTML='<input type=password>';r.firstChild.focus()</script>`, "input"},
		"nothing in particular":      {`<p>text</p>`, "html"},
	} {
		if !testenv.Tried(name, 3) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			tr := start(t)
			tr.visit(c.html)
			facts, _, err := tr.Look(tr.ctx, "page.press", &action.Press{Key: "Enter"})
			must(t, err)
			if facts.Element == nil || facts.Element.Tag != c.focus {
				t.Errorf("judged by %+v, want %s", facts.Element, c.focus)
			}
		})
	}
}

func TestAKeyOnAnElementDoesNotReachAnother(t *testing.T) {
	const watch = `<script>addEventListener('keydown',e=>document.title='pressed '+e.composedPath()[0].localName);addEventListener('click',e=>document.title='clicked')</script>`
	for name, html := range map[string]string{
		"a root that delegates":        `<div id=x></div><script>x.attachShadow({mode:'open',delegatesFocus:true}).innerHTML='<button>Delete</button>'</script>`,
		"a closed root that delegates": `<div id=x>_</div><script>x.attachShadow({mode:'closed',delegatesFocus:true}).innerHTML='<slot></slot><button>Delete</button>'</script>`,
		"a frame":                      `<iframe id=x srcdoc="<button autofocus>Delete</button>"></iframe>`,
		"what takes no focus":          `<p id=x>text</p>`,
	} {
		t.Run(name, func(t *testing.T) {
			tr := start(t)
			tr.visit(`<title>kept</title>` + watch + html)
			args := &action.Press{Locator: selector("#x"), Key: "Enter"}
			args.Timeout = 300
			tr.refuse(fault.NotActionable, "page.press", args)
			tr.wantTitle("kept")
		})
	}
}

func TestAFieldThatBecomesSecretIsNotTypedInto(t *testing.T) {
	tr := start(t)
	tr.visit(`<title>kept</title><input id=x aria-label=Nick onfocus="this.type='password'" oninput="document.title='typed'">`)
	tr.refuse(fault.PageChanged, "page.type", &action.Type{Locator: selector("#x"), Input: "abc"})
	tr.wantTitle("kept")
	facts, _, err := tr.Look(tr.ctx, "page.type", &action.Type{Locator: selector("#x"), Input: "abc"})
	must(t, err)
	if !facts.Element.Protected {
		t.Error("the field is not protected when it is looked at again")
	}
}

func TestDialogsAreJudgedAndPinned(t *testing.T) {
	tr := start(t)
	tr.visit(`<button id=a onclick="confirm('Keep it?')">a</button><button id=b onclick="document.title=confirm('Delete it?')">b</button>`)
	tr.must("page.click", &action.Click{Locator: selector("#a")})
	accept := &action.AnswerDialog{Accept: true}
	facts, old, err := tr.Look(tr.ctx, "page.dialog", accept)
	must(t, err)
	if facts.Dialog == nil || facts.Dialog.Kind != "confirm" || facts.Dialog.Message != "Keep it?" {
		t.Errorf("the dialog's facts are %+v", facts.Dialog)
	}
	tr.must("page.dialog", &action.AnswerDialog{})
	tr.must("page.click", &action.Click{Locator: selector("#b")})
	_, err = tr.Do(tr.ctx, "page.dialog", accept, old)
	expect(t, fault.PageChanged, err)
	tr.must("page.dialog", &action.AnswerDialog{})
	tr.wantTitle("false")
}

func TestAPageThatAsksWithoutEndCanBeLeft(t *testing.T) {
	tr := start(t)
	s := site(t, map[string]string{"/": `<title>asks</title><script>for(;;)alert('again')</script>`, "/ok": `<title>ok</title>`})
	tr.must("page.goto", &action.Goto{URL: s.URL})
	tr.refuse(fault.DialogOpen, "page.goto", &action.Goto{URL: s.URL + "/ok"})
	for range 3 {
		tr.must("page.dialog", &action.AnswerDialog{Accept: true})
	}
	tr.must("page.goto", &action.Goto{URL: s.URL + "/ok"})
	tr.wantTitle("ok")
}

func TestWhatIsChosenIsToldByLabel(t *testing.T) {
	tr := start(t)
	tr.visit(`<select id=x><option value=1>Keep</option><option value=2>Delete all</option><option value=3 disabled>Pay</option></select>`)
	for _, c := range []struct {
		verb string
		args any
		want string
	}{
		{"page.select", &action.Select{Locator: selector("#x"), Values: []string{"2"}}, "Delete all"},
		{"page.select", &action.Select{Locator: selector("#x"), Values: []string{"Keep"}}, "Keep"},
		{"page.press", &action.Press{Locator: selector("#x"), Key: "d"}, "Keep,Delete all"},
		{"page.click", &action.Click{Locator: selector("#x")}, ""},
	} {
		facts, _, err := tr.Look(tr.ctx, c.verb, c.args)
		must(t, err)
		if got := strings.Join(facts.Options, ","); got != c.want {
			t.Errorf("%s: options %q, want %q", c.verb, got, c.want)
		}
	}
}

func TestAReloadThatPostsAgainIsTold(t *testing.T) {
	posts := 0
	mux := http.NewServeMux()
	mux.HandleFunc("POST /", func(w http.ResponseWriter, _ *http.Request) {
		posts++
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<title>posted</title>`))
	})
	mux.HandleFunc("POST /away", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusSeeOther) })
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<title>form</title><form method=post><button id=x>Pay</button><button id=y formaction=/away>Go</button></form>`))
	})
	s := listen(t, mux)
	tr := start(t)
	resubmits := func(step string, want bool) {
		t.Helper()
		facts, _, err := tr.Look(tr.ctx, "page.reload", &action.Reload{})
		must(t, err)
		if facts.Resubmits != want {
			t.Errorf("%s: resubmits %v, want %v", step, facts.Resubmits, want)
		}
	}
	tr.must("page.goto", &action.Goto{URL: s.URL})
	resubmits("a page", false)
	tr.must("page.click", &action.Click{Locator: selector("#y")})
	resubmits("posted and sent on", false)
	tr.must("page.click", &action.Click{Locator: selector("#x")})
	resubmits("posted", true)
	tr.must("page.goto", &action.Goto{URL: s.URL + "/other"})
	resubmits("elsewhere", false)
	tr.must("page.back", &action.None{})
	if posts != 1 {
		t.Errorf("going back posted again: %d", posts)
	}
	resubmits("gone back to", true)
	_, pin, err := tr.Look(tr.ctx, "page.reload", &action.Reload{})
	must(t, err)
	tr.must("page.goto", &action.Goto{URL: s.URL + "/other"})
	_, err = tr.Do(tr.ctx, "page.reload", &action.Reload{}, pin)
	expect(t, fault.PageChanged, err)
}
