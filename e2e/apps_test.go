package e2e

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/egress/egresstest"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

const (
	recordsHost   = "records.test" // where PocketBase is
	interfaceHost = "api.test"     // where PocketBase is, too
	adminHost     = "office.test"  // where Django is
)

// apps are third-party web applications, with an account in each.
type apps struct {
	pocketbase *pocketbase
	django     *django
	names      *egresstest.Names
}

func newApps(t *testing.T) *apps {
	t.Helper()
	names, err := egresstest.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(names.Close)
	for _, host := range []string{recordsHost, interfaceHost, adminHost} {
		names.Set(host, "127.0.0.1")
	}
	return &apps{newPocketBase(t), newDjango(t, adminHost), names}
}

// gateway starts one whose sessions may reach the applications.
func (a *apps) gateway(t *testing.T) *gateway {
	t.Helper()
	const network, hosts = "GLOVEBOX_SECURITY_NETWORK_", recordsHost + "," + interfaceHost + "," + adminHost
	reached := []string{a.pocketbase.by(recordsHost), a.pocketbase.by(interfaceHost), a.django.origin}
	return start(t, settings{env: []string{
		network + "NAVIGATION=" + hosts, network + "RESOLVER=" + a.names.Address(),
		network + "ALLOW_PRIVATE=" + strings.ReplaceAll(strings.Join(reached, ","), "http://", ""),
		"GLOVEBOX_SECURITY_HITL_TRUSTED_DOMAINS=" + hosts,
	}})
}

// overheard is an agent's client that stores every byte it receives.
func (g *gateway) overheard(t *testing.T) (agent, *tape) {
	t.Helper()
	heard := &tape{}
	return connect(t, &mcp.LoggingTransport{Writer: heard, Transport: &mcp.StreamableClientTransport{
		Endpoint: "http://" + g.address + "/mcp?tools=all", HTTPClient: &http.Client{Transport: bearer(g.token("agent"))}, MaxRetries: -1,
	}}, "", nil), heard
}

// Addresses that need a login: by localStorage, a header and a cookie.
func (a *apps) notes() string {
	return a.pocketbase.by(recordsHost) + "/_/#/collections?collection=notes"
}
func (a *apps) listing() string {
	return a.pocketbase.by(interfaceHost) + "/api/collections/notes/records"
}
func (a *apps) groups() string { return a.django.origin + "/admin/auth/group/" }

// comes waits for a text that a page's scripts show, and searches for want with
// it. An earlier answer may have reported both.
func (a agent) comes(text, want string) {
	a.t.Helper()
	a.must("browser_wait_for", object{"text": text, "timeout": 50}, "It came.")
	a.must("browser_snapshot", object{}, want)
}

// TestWebApplications lets an agent work in accounts of third-party web
// applications.
func TestWebApplications(t *testing.T) {
	testenv.Heavy(t)
	t.Parallel()
	a := newApps(t)
	t.Run("WithoutCredentialsTheyAskWhoItIs", a.signedOut)
	t.Run("WithCredentialsAnAgentWorksInThem", a.signedIn)
}

// signedOut is the control experiment: without credentials the same steps reach
// the sign-in pages.
func (a *apps) signedOut(t *testing.T) {
	g := a.gateway(t)
	agent, _ := g.overheard(t)
	agent.must("browser_navigate", object{"url": a.notes()}, "")
	agent.comes("Superuser login", `button "Login"`)
	agent.must("browser_navigate", object{"url": a.listing()}, "Only superusers can perform this action")
	answered := g.answer(t, "approve", "the back office") // an address of administration
	agent.must("browser_navigate", object{"url": a.groups()}, `textbox "Username:"`)
	<-answered
	agent.must("browser_session", object{"action": "archive"}, "archived")
	if titles, groups := a.pocketbase.titles(t), a.django.groups(t); len(titles)+len(groups) > 0 {
		t.Errorf("there are notes %v and groups %v", titles, groups)
	}
}

// fetch makes a request with a form as people's browsers do, and returns the page.
func fetch(t *testing.T, client *http.Client, method, address string, form url.Values) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %d %v", method, address, response.StatusCode, err)
	}
	return string(text)
}
