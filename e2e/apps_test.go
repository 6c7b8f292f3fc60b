package e2e

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/gate/egress/egresstest"
)

const (
	recordsHost = "records.test" // where PocketBase is
	adminHost   = "office.test"  // where Django is
)

// apps are web applications that others made, with an account in each.
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
	names.Set(recordsHost, "127.0.0.1")
	names.Set(adminHost, "127.0.0.1")
	return &apps{newPocketBase(t, recordsHost), newDjango(t, adminHost), names}
}

// gateway starts one whose sessions may reach the applications.
func (a *apps) gateway(t *testing.T) *gateway {
	t.Helper()
	const network = "GLOVEBOX_SECURITY_NETWORK_"
	hosts := recordsHost + "," + adminHost
	return start(t, settings{env: []string{
		network + "NAVIGATION=" + hosts, network + "RESOLVER=" + a.names.Address(),
		network + "ALLOW_PRIVATE=" + hostOf(t, a.pocketbase.origin, true) + "," + hostOf(t, a.django.origin, true),
		"GLOVEBOX_SECURITY_HITL_TRUSTED_DOMAINS=" + hosts,
	}})
}

// overheard is an agent of which every byte it gets is kept.
func (g *gateway) overheard(t *testing.T) (agent, *tape) {
	t.Helper()
	heard := &tape{}
	return connect(t, &mcp.LoggingTransport{Writer: heard, Transport: &mcp.StreamableClientTransport{
		Endpoint: "http://" + g.address + "/mcp", HTTPClient: &http.Client{Transport: bearer(g.token("agent"))}, MaxRetries: -1,
	}}, ""), heard
}

// notes and groups are addresses that only who is signed in gets.
func (a *apps) notes() string  { return a.pocketbase.origin + "/_/#/collections?collection=notes" }
func (a *apps) groups() string { return a.django.origin + "/admin/auth/group/" }

// TestWebApplications has an agent work inside accounts of web applications
// that others made.
func TestWebApplications(t *testing.T) {
	a := newApps(t)
	t.Run("WithoutCredentialsTheyAskWhoItIs", a.signedOut)
}

// signedOut is the control: without credentials the same steps meet the pages
// where people sign in.
func (a *apps) signedOut(t *testing.T) {
	g := a.gateway(t)
	agent, _ := g.overheard(t)
	agent.must("browser_navigate", object{"url": a.notes()}, `heading "Superuser login"`)
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

// hostOf is the host of an address, with its port where asked.
func hostOf(t *testing.T, address string, withPort ...bool) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	if len(withPort) > 0 {
		return u.Host
	}
	return u.Hostname()
}
