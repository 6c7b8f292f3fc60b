package e2e

import (
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/testcache"
)

const (
	suite      = "node_modules/@modelcontextprotocol/conformance/dist/index.js"
	suiteLimit = 2 * time.Minute // of one scenario
)

// conformance runs a scenario of the protocol's own conformance suite against
// /mcp. The suite sends no token: what stands between adds one, and passes on
// all else as it came, Host and Origin too.
func conformance(t *testing.T, g *gateway, scenario string) string {
	t.Helper()
	project := testcache.Project(t, "conformance")
	node := testcache.Node(project)
	gatewayURL, err := url.Parse("http://" + g.address)
	if err != nil {
		t.Fatal(err)
	}
	token := g.token("agent")
	between := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(gatewayURL)
		r.Out.Host = r.In.Host
		r.Out.Header.Set("Authorization", "Bearer "+token)
	}})
	t.Cleanup(between.Close)
	return runs(t, suiteLimit, project, node, suite, "server", "--url", between.URL+"/mcp", "--scenario", scenario)
}

// dnsRebinding has the conformance suite call as a web page would whose name
// was made to lead here.
func dnsRebinding(t *testing.T, g *gateway) {
	out := conformance(t, g, "dns-rebinding-protection")
	if !strings.Contains(out, "Passed: 2/2, 0 failed, 0 warnings") {
		t.Errorf("the suite says\n%s", out)
	}
}
