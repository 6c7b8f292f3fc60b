package cli_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestCDPURLPrintsTheAddressForClients(t *testing.T) {
	r := newRig(t, &fakeGate{})
	out, complaint, status := r.run("cdp", "url", "-s", "work")
	if status != 0 || !strings.HasPrefix(out, "ws://") || !strings.Contains(out, "/v1/sessions/work/browser/cdp\n") || !strings.Contains(out, "operator.token") {
		t.Errorf("status %d: %s%s", status, out, complaint)
	}
	out, _, _ = r.run("cdp", "url", "--json")
	if !strings.Contains(out, `"ws://`) || !strings.Contains(out, `/v1/browser/cdp"`) {
		t.Errorf("as JSON: %s", out)
	}
}

func TestCDPURLWithATicket(t *testing.T) {
	const id = "s0123456789abcdef"
	d := answers(map[string]any{
		"session.show": &action.Session{ID: id, Name: "work"}, "token.create": &action.TokenMade{Secret: "gbx_op_made", Token: action.Token{ID: "tok_1"}},
	})
	r := newRig(t, d)
	out, complaint, status := r.run("cdp", "url", "-s", "work", "--for", "10m")
	at, rest, _ := strings.Cut(out, "\n")
	if status != 0 || !strings.HasPrefix(at, "ws://") || !strings.HasSuffix(at, "/v1/sessions/"+id+"/browser/cdp?access_token=gbx_op_made") || !strings.Contains(rest, "revoke tok_1") {
		t.Errorf("status %d: %s%s", status, out, complaint)
	}
	calls := d.taken()
	asked, ok := calls[len(calls)-1].Args.(*action.TokenCreate)
	if !ok || asked.Session != id || asked.ExpiresIn != 600 || asked.Role != action.Operator || strings.Contains(out, "a-token") {
		t.Errorf("asked for %+v", calls)
	}
	if _, _, status := r.run("cdp", "url", "--for", "2h"); status != 2 {
		t.Errorf("status %d", status)
	}
}
