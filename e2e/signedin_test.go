package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/e2e/leaksite"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// document returns the owner's credentials for the vault: what the dashboard
// itself writes into localStorage.
func (p *pocketbase) document(t *testing.T) string {
	t.Helper()
	return toJSON(t, object{
		"domain": recordsHost, "origin": p.by(recordsHost),
		"localStorage": object{"__pb_superuser_auth__": fmt.Sprintf(`{"token":%q,"record":%s}`, p.token, p.record)},
	})
}

func toJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// secrets returns what no agent may get: each token, and each significant part of
// it.
func (a *apps) secrets() *leaksite.Finder {
	var secrets []leaksite.Canary
	for _, cookie := range a.django.cookies {
		secrets = append(secrets, leaksite.Canary{Kind: "Django's cookie", Value: cookie})
	}
	for i, part := range strings.Split(a.pocketbase.token, ".")[1:] { // the first says only that it is a token
		secrets = append(secrets, leaksite.Canary{Kind: fmt.Sprintf("part %d of PocketBase's token", i+1), Value: part})
	}
	return leaksite.Find(secrets...)
}

// keep lets the operator store the owner's credentials in each possible way: a
// cookie's value, a header's value, and a whole document.
func (a *apps) keep(t *testing.T, g *gateway) {
	t.Helper()
	a.sets(t, g, a.pocketbase.token+"\n", interfaceHost, "--header", "Authorization", "--origin", a.pocketbase.by(interfaceHost))
	a.sets(t, g, a.pocketbase.document(t), recordsHost)
	a.keepCookie(t, g)
}

func (a *apps) keepCookie(t *testing.T, g *gateway) {
	t.Helper()
	a.sets(t, g, a.django.cookie()+"\n", adminHost, "--cookie", "sessionid", "--origin", a.django.origin)
}

func (a *apps) sets(t *testing.T, g *gateway, stdin string, args ...string) {
	t.Helper()
	out, complaint, status := g.piped(t, stdin, append([]string{"vault", "set"}, args...)...)
	if found := a.secrets().In([]byte(out + complaint)); status != 0 || len(found) > 0 {
		t.Fatalf("vault set %v: status %d, and it told %v", args, status, found)
	}
}

// signedIn lets an agent work in three accounts in one session.
func (a *apps) signedIn(t *testing.T) {
	g := a.gateway(t)
	a.keep(t, g)
	agent, heard := g.overheard(t)
	person := g.approving(t)
	a.makesAGroup(t, agent)
	a.makesANote(t, agent)
	agent.must("browser_navigate", object{"url": a.listing()}, "Call Grace back")
	a.exchanged(t, g, agent)
	a.removesTheGroup(t, agent, person)
	for _, tool := range []string{"browser_network_requests", "browser_console_messages", "browser_markdown", "browser_snapshot"} {
		agent.must(tool, object{}, "")
	}
	_, picture := agent.use("browser_take_screenshot", object{})
	session := picture.Meta["glovebox/result"].(object)["session"].(string)
	agent.must("browser_session", object{"action": "archive"}, "archived")
	if found := a.secrets().In([]byte(heard.String())); len(found) > 0 {
		t.Errorf("the agent got %v", found)
	}
	a.recorded(t, g, session)
}

func (a *apps) makesAGroup(t *testing.T, agent agent) {
	t.Helper()
	agent.must("browser_navigate", object{"url": a.groups()}, "Welcome, ann.")
	agent.must("browser_click", object{"role": "link", "name": "Add group"}, `heading "Add group"`)
	agent.must("browser_type", object{"role": "textbox", "name": "Name:", "text": "Auditors"}, "Auditors")
	agent.must("browser_click", object{"role": "button", "name": "Save"}, "was added successfully")
	if got := a.django.groups(t); !slices.Equal(got, []string{"Auditors"}) {
		t.Errorf("Django has the groups %v", got)
	}
}

func (a *apps) removesTheGroup(t *testing.T, agent agent, person *person) {
	t.Helper()
	agent.must("browser_navigate", object{"url": a.groups()}, `link "Auditors"`)
	agent.must("browser_click", object{"role": "link", "name": "Auditors"}, `heading "Change group"`)
	agent.must("browser_click", object{"role": "link", "name": "Delete"}, "Are you sure")
	agent.must("browser_click", object{"role": "button", "name": "Yes, I’m sure"}, "was deleted successfully")
	if got := a.django.groups(t); len(got) > 0 {
		t.Errorf("Django has the groups %v", got)
	}
	if asked := person.was(); !slices.Contains(asked, "page.request Delete") {
		t.Errorf("nobody was asked about the end of the group, but of %q", asked)
	}
}

func (a *apps) makesANote(t *testing.T, agent agent) {
	t.Helper()
	agent.must("browser_navigate", object{"url": a.notes()}, "")
	agent.comes("New record", `link "notes"`)
	agent.must("browser_click", object{"role": "button", "name": "New record", "index": 0}, "")
	agent.comes("New notes record", `textbox "title"`)
	agent.must("browser_type", object{"role": "textbox", "name": "title", "text": "Call Grace back"}, "Call Grace back")
	agent.must("browser_click", object{"role": "button", "name": "Create"}, "")
	testwait.For(t, "the note", func() bool { return slices.Equal(a.pocketbase.titles(t), []string{"Call Grace back"}) })
}

// exchanged signs the owner out everywhere and in again: the session gets the new
// cookie only after the operator stored it.
func (a *apps) exchanged(t *testing.T, g *gateway, agent agent) {
	t.Helper()
	a.django.signOut(t)
	agent.must("browser_navigate", object{"url": a.groups()}, `textbox "Username:"`)
	a.django.signIn(t)
	a.keepCookie(t, g)
	testwait.For(t, "the new cookie to be put in", func() bool {
		return strings.Contains(agent.must("browser_navigate", object{"url": a.groups()}, "Django"), "Welcome, ann.")
	})
}

// recorded checks what the session left: the trail says what was injected, and
// contains none of it.
func (a *apps) recorded(t *testing.T, g *gateway, session string) {
	t.Helper()
	injected := map[string]string{}
	for _, r := range g.trail(t) {
		if r.EventType == "injection" && r.SessionID == session && r.Domain != "" {
			injected[r.Domain] = r.Result
		}
	}
	if want := map[string]string{recordsHost: "ok", adminHost: "ok", interfaceHost: "ok"}; !maps.Equal(injected, want) {
		t.Errorf("the trail says that there was put in %v", injected)
	}
	g.settled(t)
	for _, secret := range append(strings.Split(a.pocketbase.token, ".")[1:], a.django.cookies...) {
		g.keepsNothingOf(t, secret)
	}
}
