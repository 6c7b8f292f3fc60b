package e2e

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// headers checks that only operators see headers, in the list of requests and in
// the archive, and that what an agent may see is stored as a file.
func headers(t *testing.T, g *gateway) {
	agent, operator := g.curl(t, "agent"), g.curl(t, "operator")
	at := "/v1/sessions/" + agent.open("{}") + "/"
	agent.post(at+"browser/navigate", `{"url": "`+g.site+`/lab/controls"}`).object(http.StatusOK)
	agent.get(at + "browser/network?headers=true").problem(fault.DeniedByPolicy)
	agent.get(at + "browser/har?headers=true").problem(fault.DeniedByPolicy)
	if list := agent.get(at + "browser/network"); list.status != http.StatusOK || bytes.Contains(list.body, []byte(`"headers"`)) {
		t.Errorf("an agent is shown %d %s", list.status, list.body)
	}
	if got := operator.get(at + "browser/har?headers=true"); got.status != http.StatusOK || !bytes.Contains(got.body, []byte(`"user-agent"`)) {
		t.Errorf("an operator is shown %d %.200s", got.status, got.body)
	}
	got := agent.get(at + "browser/har")
	if got.status != http.StatusOK || !strings.HasPrefix(string(got.body), `{"log":{"version":"1.2"`) || bytes.Contains(got.body, []byte("user-agent")) {
		t.Errorf("an agent is shown %d %.200s", got.status, got.body)
	}
	files, _ := agent.get(at + "artifacts").object(http.StatusOK)["artifacts"].([]any)
	if len(files) != 1 || files[0].(object)["name"] != "session.har" {
		t.Errorf("kept %v", files)
	}
}
