package policy

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestAKnownRequestDoesTheSame(t *testing.T) {
	const app = "https://app.example"
	for _, c := range []struct {
		method, one, other string
		same               bool
	}{
		{"GET", "/items/5", "/items/6", true},
		{"GET", "/items?page=1", "/items?page=2", true},
		{"GET", "/items?id=5&page=1", "/items?page=3&id=7", true},
		{"GET", "/items?t=1790000000000", "/items?t=1790000000999", true},
		{"GET", "/items?userId=5", "/items?userId=6", true},
		{"GET", "/index.php?do=1", "/index.php?do=17&id=5", false},
		{"GET", "/index.php?do=1", "/index.php?do=17", false},
		{"GET", "/index.php?do=show&id=5", "/index.php?do=remove&id=5", false},
		{"GET", "/rpc.json?m=1", "/rpc.json?m=17", false},
		{"GET", "/index.php?q=items/list", "/index.php?q=items/delete", false},
		{"GET", "/items", "/items?delete=1", false},
		{"GET", "/items/list", "/items/delete", false},
		{"GET", "/x?a=1&b=2", "/x?b=2&a=1", true},
	} {
		one := RequestKey(action.Request{Method: c.method, URL: app + c.one})
		other := RequestKey(action.Request{Method: c.method, URL: app + c.other})
		if (one == other) != c.same {
			t.Errorf("%s and %s: %q, %q, same %t", c.one, c.other, one, other, !c.same)
		}
	}
	if RequestKey(action.Request{Method: "GET", URL: app}) == RequestKey(action.Request{Method: "POST", URL: app}) {
		t.Error("the method does not count")
	}
}
