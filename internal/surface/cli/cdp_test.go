package cli_test

import (
	"strings"
	"testing"
)

func TestCDPURLSaysWhereClientsConnect(t *testing.T) {
	r := newRig(t, &door{})
	out, complaint, status := r.run("cdp", "url", "-s", "work")
	if status != 0 || !strings.HasPrefix(out, "ws://") || !strings.Contains(out, "/v1/sessions/work/browser/cdp\n") || !strings.Contains(out, "operator.token") {
		t.Errorf("status %d: %s%s", status, out, complaint)
	}
	out, _, _ = r.run("cdp", "url", "--json")
	if !strings.Contains(out, `"ws://`) || !strings.Contains(out, `/v1/browser/cdp"`) {
		t.Errorf("as JSON: %s", out)
	}
}
