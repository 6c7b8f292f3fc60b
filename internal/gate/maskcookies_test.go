package gate

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestCookieValuesAreForOperators(t *testing.T) {
	for _, role := range []action.Role{action.Operator, action.Agent, action.Viewer, ""} {
		listed := &action.CookieListing{Cookies: []action.Cookie{{Name: "id", Value: "hunter2", Domain: "a.example"}}}
		got := maskCookies(role, action.Result{Session: "s1", Data: listed})
		cookie := got.Data.(*action.CookieListing).Cookies[0]
		want := redacted
		if role == action.Operator {
			want = "hunter2"
		}
		if cookie.Value != want || cookie.Name != "id" || cookie.Domain != "a.example" || got.Session != "s1" {
			t.Errorf("%q reads %+v", role, cookie)
		}
	}
}
