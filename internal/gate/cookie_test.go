package gate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestOnlyOperatorsReadCookiesAndNoRecordHasTheirValues(t *testing.T) {
	h := open(t)
	secret, domain := "hunter2", "app.example.com"
	calls := map[string]any{
		"cookie.list":   &action.CookieList{URL: "https://app.example.com/?token=hunter2"},
		"cookie.set":    &action.CookieSet{Cookies: []action.NewCookie{{Name: "sid", Value: &secret, Domain: ".example.com"}, {Name: "theme", Value: &secret}}},
		"cookie.delete": &action.CookieDelete{Domain: &domain},
	}
	for verb, args := range calls {
		for _, caller := range []action.Caller{agent, viewer} {
			if _, err := h.Call(t.Context(), action.Call{Verb: verb, Caller: caller, Args: args}); fault.CodeOf(err) != fault.DeniedByPolicy {
				t.Errorf("%s by %s: %v", verb, caller.Role, err)
			}
		}
	}
	if h.fakeSessions.looked != 0 || h.fakeSessions.count() != 0 {
		t.Fatal("a refused call reached the sessions")
	}
	about := map[string]string{"cookie.set": "cookies sid .example.com, theme", "cookie.delete": "all cookies of app.example.com", "cookie.list": ""}
	for verb, args := range calls {
		if _, err := h.Call(t.Context(), action.Call{Verb: verb, Caller: operator, Args: args}); err != nil {
			t.Errorf("%s: %v", verb, err)
		}
		intent, outcome := h.last(t)
		if intent.Risk != "HIGH" || outcome.Result != "ok" || outcome.TargetElement != about[verb] {
			t.Errorf("%s left %+v and %+v", verb, intent, outcome)
		}
	}
	if !slices.Contains(h.fakeSessions.done, "cookie.delete") {
		t.Error("an operator's call did not arrive")
	}
	for _, r := range h.records(t) {
		if strings.Contains(fmt.Sprintf("%+v", r), secret) {
			t.Errorf("the secret is in %+v", r)
		}
	}
}
