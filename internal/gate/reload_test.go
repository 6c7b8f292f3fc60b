package gate_test

import (
	"context"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

func policyOf(t *testing.T, c policy.Config) *policy.Policy {
	t.Helper()
	p, err := policy.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestANewPolicyJudgesTheNextCall(t *testing.T) {
	h := openWith(t, policy.Config{Enabled: true, Trusted: []string{"app.example.com"}})
	h.fakeSessions.element = &action.Element{Role: "button", Tag: "button", Name: "Frobnicate"}
	if _, err := h.Call(t.Context(), click(agent)); err != nil {
		t.Fatal(err)
	}
	if err := h.SetPolicy(policyOf(t, policy.Config{})); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Call(t.Context(), click(agent)); fault.CodeOf(err) != fault.DeniedByPolicy {
		t.Errorf("under the new policy: %v", err)
	}
	if err := h.SetPolicy(nil); fault.CodeOf(err) != fault.Internal {
		t.Errorf("a gate without a policy: %v", err)
	}
	if h.fakeSessions.count() != 1 {
		t.Errorf("%d clicks were done", h.fakeSessions.count())
	}
}

// TestACallKeepsThePolicyOfItsStart replaces the policy during the look of a
// call. The call is decided by the old policy.
func TestACallKeepsThePolicyOfItsStart(t *testing.T) {
	h := openWith(t, policy.Config{Enabled: true, Trusted: []string{"app.example.com"}})
	h.fakeSessions.element = &action.Element{Role: "button", Tag: "button", Name: "Frobnicate"}
	var once sync.Once
	h.fakeSessions.look = func(context.Context) {
		once.Do(func() { _ = h.SetPolicy(policyOf(t, policy.Config{})) })
	}
	if _, err := h.Call(t.Context(), click(agent)); err != nil {
		t.Errorf("the first call: %v", err)
	}
	if _, err := h.Call(t.Context(), click(agent)); fault.CodeOf(err) != fault.DeniedByPolicy {
		t.Errorf("the second: %v", err)
	}
}

// TestPoliciesCanBeReplacedUnderLoad replaces policies during calls. Each call is
// decided by one policy only.
func TestPoliciesCanBeReplacedUnderLoad(t *testing.T) {
	h := openWith(t, policy.Config{Enabled: true, Trusted: []string{"app.example.com"}})
	h.fakeSessions.element = &action.Element{Role: "button", Tag: "button", Name: "Frobnicate"}
	open, shut := policyOf(t, policy.Config{Enabled: true, Trusted: []string{"app.example.com"}}), policyOf(t, policy.Config{})
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			for range 25 {
				if _, err := h.Call(context.Background(), click(agent)); err != nil && fault.CodeOf(err) != fault.DeniedByPolicy {
					t.Error(err)
				}
			}
		})
	}
	for i := range 500 {
		if err := h.SetPolicy(map[bool]*policy.Policy{true: open, false: shut}[i%2 == 0]); err != nil {
			t.Fatal(err)
		}
	}
	callers.Wait()
}
