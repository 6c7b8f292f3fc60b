package policy

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// An ordinary form is not asked about on a trusted host: not before it is sent, and not when
// it is.
func TestOrdinaryFormsAreNotAskedAbout(t *testing.T) {
	p := trusting(t)
	const base = "https://app.example.com"
	for _, c := range []struct {
		name, action, orders string
		fields               []action.BodyField
		want                 Decision
	}{
		{"Save page", "/index.php?title=A&action=submit", "", bodyOf("wpSave", "Save page"), Allow},
		{"Show preview", "/index.php?title=A&action=submit", "", bodyOf("wpPreview", "Show preview"), Allow},
		{"Submit", "/posts/5", "_method=patch", bodyOf("_method", "patch", "commit", "Submit"), Allow},
		{"Submit", "/issues/1", "_method=patch", bodyOf("_method", "patch", "issue[subject]", "Cut the hedge", "commit", "Submit"), Allow},
		{"Submit", "/issues/1", "commit=Submit · _method=patch", bodyOf("_method", "patch", "commit", "Submit"), Allow},
		{"Submit", "/issues/1", "", bodyOf("text", "x"), Allow},
		{"Submit", "/orders/1", "_method=patch", bodyOf("_method", "patch", "order[note]", "by the back door", "commit", "Submit"), Allow},
		{"Submit", "/transfers/1/notes", "", bodyOf("note", "x"), Allow},
		{"Update Post", "/posts/5", "_method=patch", bodyOf("_method", "patch", "commit", "Update Post"), Allow},
		{"Beitrag aktualisieren", "/posts/5", "_method=put", bodyOf("_method", "put", "commit", "Beitrag aktualisieren"), Allow},
		{"编辑评论", "/posts/5", "_method=put", bodyOf("_method", "put"), Allow},
		{"Submit", "/profile", "", bodyOf("name", "Ada"), Allow},
		{"Close issue", "/issues/3/close", "formaction=/issues/3/close", bodyOf("text", ""), Allow},
		{"Continue", "/checkout/address", "", bodyOf("street", "Hill Road"), Allow},
		{"Sign in", "/login", "", bodyOf("name", "Ada"), Allow},
		{"Search", "/search", "", bodyOf("q", "post"), Allow},
		{"Add to cart", "/cart", "", bodyOf("sku", "7"), Allow},
		{"Subscribe", "/subscribe", "", bodyOf("email", "ada@example.com"), Allow},
		{"Save", "/billing/address/change", "", bodyOf("street", "Hill Road"), Allow},
		{"Start", "/plans/7/activate", "", bodyOf("day", "Monday"), Allow},
		{"Save", "/things/cafebabe0123", "", bodyOf("token", "4f1c6e7261746521", "text", "ZGVhciBBbm4="), Allow},

		{"Delete page", "/index.php?title=A&action=submit", "", bodyOf("wpDelete", "Delete page"), Ask},
		{"Submit", "/posts/5", "_method=delete", bodyOf("_method", "delete"), Ask},
		{"Submit", "/issues/1", "commit=Submit · op=delete", bodyOf("op", "delete", "commit", "Submit"), Ask},
		{"Submit", "/issues/1", "commit=Publish", bodyOf("commit", "Publish"), Ask},
		{"Publish post", "/posts/5", "_method=patch", bodyOf("commit", "Publish post"), Ask},
		{"Update and publish", "/posts/5", "", bodyOf("commit", "Update and publish"), Ask},
		{"Post", "/posts", "", nil, Ask},
		{"Save", "/items/3/delete", "formaction=/items/3/delete", nil, Ask},
		{"Continue", "/checkout", "", bodyOf("street", "Hill Road"), Ask},
		{"Save", "/posts/5/delete", "", nil, Ask},
		{"Save", "/index.php?title=A&action=delete", "", nil, Ask},
		{"Save", "/index.php?title=A&action=delete&x=submit", "", nil, Ask},
	} {
		e := action.Element{Role: "button", Tag: "button", Type: "submit", Name: c.name, SubmitName: c.name, Submits: true, FormMethod: "post", FormAction: base + c.action, Orders: c.orders, FrameURL: base + "/"}
		v := decide(t, p, action.Agent, "page.click", &action.Click{}, on(e))
		sent := p.Effect(Outgoing{Request: action.Request{Method: "POST", URL: base + c.action, Document: base + "/", Kind: "Document", Fields: c.fields}, Owner: action.Agent})
		if v.Decision != c.want && sent.Decision != c.want || c.want == Allow && (v.Decision != Allow || sent.Decision != Allow) {
			t.Errorf("%s, %s: the act: %s, %s by %s; its request: %s, %s by %s; want %s", c.name, c.action, v.Decision, v.Risk, v.Rule, sent.Decision, sent.Risk, sent.Rule, c.want)
		}
	}
}

// On a host that is allowed and not trusted, an ordinary form is not asked about before it is sent. What
// searches or says what somebody prefers is not asked about at all.
func TestFormsAreAskedAboutWhenTheyAreSent(t *testing.T) {
	p := mustNew(t, Config{Enabled: true, AskAt: AskAtWire, Allowed: []string{"app.example.com"}})
	const base = "https://app.example.com"
	for _, c := range []struct {
		name, path string
		want       Decision
	}{
		{"Search", "/search", Allow},
		{"Estimate shipping", "/cart/shipping-estimate", Allow},
		{"Accept all", "/cookie-consent", Allow},
		{"Dark mode", "/preferences/theme", Allow},
		{"Helpful", "/reviews/5/helpful", Allow},
		{"Compare", "/compare/add", Allow},
		{"Sign in", "/login", Ask},
		{"Save", "/profile", Ask},
	} {
		e := action.Element{Role: "button", Tag: "button", Type: "submit", Name: c.name, SubmitName: c.name, Submits: true, FormMethod: "post", FormAction: base + c.path, FrameURL: base + "/"}
		v := decide(t, p, action.Agent, "page.click", &action.Click{}, on(e))
		if v.Decision != Allow {
			t.Errorf("%s is asked about before it is sent: %s by %s", c.name, v.Risk, v.Rule)
		}
		sent := p.Effect(Outgoing{Owner: action.Agent, Request: action.Request{Method: "POST", URL: base + c.path, Document: base + "/", Kind: "Document", Top: true},
			Acts: []Act{{Risk: v.Risk, Rule: v.Rule, Deferred: v.Deferred}}})
		if sent.Decision != c.want {
			t.Errorf("%s: %s, %s by %s, want %s", c.name, sent.Decision, sent.Risk, sent.Rule, c.want)
		}
	}
}
