package e2e

import (
	"fmt"
	"net/http"
	"regexp"
	"testing"

	"github.com/gloveboxhq/glovebox/e2e/leaksite"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// typed types secrets by name into a page that repeats its input everywhere, and
// searches all output for them, including one-time codes.
func (l *leak) typed(t *testing.T) {
	l.fresh(t, "/login")
	agent, operator := l.as(t, "agent"), l.as(t, "operator")
	for _, secret := range []struct{ name, field string }{{"password", "pass"}, {"totp", "code"}} {
		call := fmt.Sprintf(`{"selector": "#%s", "secret": %q}`, secret.field, secret.name)
		waits := agent.post(l.at("/fill-secret"), call, "Prefer: wait=0")
		l.clean(t, waits)
		id := waits.object(http.StatusAccepted)["approvalId"].(string)
		l.clean(t, operator.get("/v1/approvals/"+id))
		operator.post("/v1/approvals/"+id+"/answer", `{"approve": true, "reason": "log in"}`).object(http.StatusOK)
		filled := agent.post(l.at("/fill-secret"), call)
		filled.object(http.StatusOK)
		testwait.For(t, "the page to be typed the "+secret.name, func() bool { return l.site.Typed(secret.field) != "" })
		l.withoutTyped(t, filled, secret.field)
		for _, keys := range []string{"Control+a", "Control+c"} {
			l.withoutTyped(t, agent.post(l.at("/press"), fmt.Sprintf(`{"selector": "#%s", "key": %q}`, secret.field, keys)), secret.field)
		}
		l.withoutTyped(t, agent.post(l.at("/press"), `{"selector": "#search", "key": "Control+v"}`), secret.field)
		l.withoutTyped(t, agent.post(l.at("/drag"), fmt.Sprintf(`{"from": {"selector": "#%s"}, "to": {"selector": "#search"}}`, secret.field)), secret.field)
		for _, role := range []string{"agent", "viewer", "operator"} {
			for _, look := range l.looks() {
				if role != "viewer" || look.method == http.MethodGet {
					l.withoutTyped(t, l.as(t, role).do(look.method, look.path, look.body), secret.field)
				}
			}
		}
	}
	if l.site.Typed("pass") != l.canaries[leaksite.Password] || len(l.site.Typed("code")) != 6 {
		t.Errorf("the page was typed other things, codes of %d digits", len(l.site.Typed("code")))
	}
	if search := l.site.Typed("search"); search != "" {
		t.Errorf("the clipboard, or a drag, took %d letters out of a protected field", len(search))
	}
	trail := operator.get("/v1/audit?limit=1000&session=" + l.session)
	l.withoutTyped(t, trail, "code")
}

// withoutTyped expects no secret in an answer, and no typed text: a one-time code
// is too short for the finder.
func (l *leak) withoutTyped(t *testing.T, a answer, field string) {
	t.Helper()
	l.clean(t, a)
	typed := l.site.Typed(field)
	if alone := regexp.MustCompile(`(^|[^0-9a-zA-Z.])` + regexp.QuoteMeta(typed) + `([^0-9a-zA-Z]|$)`); typed != "" && alone.Match(a.body) {
		t.Errorf("%s has what was typed into %s", a.what, field)
	}
}
