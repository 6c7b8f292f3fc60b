package gate

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

// TestAnAllowedRequestIsSentAgainOnlyAfterAFailure checks that an approval covers the same
// bytes once for each failure on the network, three times at most.
func TestAnAllowedRequestIsSentAgainOnlyAfterAFailure(t *testing.T) {
	r := action.Request{Method: "DELETE", URL: "https://app.example/items/5", Sum: "5"}
	other := r
	other.Sum = "6"
	b := &causingAct{}
	b.noteFailure(r.Key())
	if b.allows(policy.EffectVerdict{}, r) {
		t.Error("a request of an act that nobody allowed is sent again")
	}
	b.judged.Approved = true
	for i := range maxRepeats + 2 {
		if b.allows(policy.EffectVerdict{}, other) {
			t.Error("other bytes are sent")
		}
		if got, want := b.allows(policy.EffectVerdict{}, r), i < maxRepeats; got != want {
			t.Errorf("after failure %d: sent again %t, want %t", i+1, got, want)
		}
		if b.allows(policy.EffectVerdict{}, r) {
			t.Errorf("after failure %d: sent again twice", i+1)
		}
		b.noteFailure(r.Key())
	}
	for why, want := range map[string]bool{
		"net::ERR_CONNECTION_RESET": true, "net::ERR_EMPTY_RESPONSE": true, "net::ERR_TIMED_OUT": true, "net::ERR_NAME_NOT_RESOLVED": true,
		"net::ERR_ABORTED": false, "net::ERR_BLOCKED_BY_CLIENT": false, "net::ERR_FAILED": false, "": false,
	} {
		if onNetwork(why) != want {
			t.Errorf("%q counts as a failure on the network: %t, want %t", why, !want, want)
		}
	}
}
