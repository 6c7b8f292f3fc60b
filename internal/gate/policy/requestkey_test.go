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

func TestAPollIsKnownByWhatItSays(t *testing.T) {
	const app = "https://app.example"
	fields := func(pairs ...string) action.Request {
		r := action.Request{Method: "POST", URL: app + "/rpc", Document: app + "/", Sum: "s"}
		for i := 0; i+1 < len(pairs); i += 2 {
			r.Fields = append(r.Fields, action.BodyField{Name: pairs[i], Value: pairs[i+1]})
		}
		return r
	}
	with := func(r action.Request, change func(*action.Request)) action.Request {
		change(&r)
		return r
	}
	unread := func(sum string) action.Request {
		return with(fields(), func(r *action.Request) { r.Unread, r.Sum = true, sum })
	}
	poll := fields("method", "updates", "since", "1790000000")
	for name, c := range map[string]struct {
		one, other action.Request
		same       bool
	}{
		"a later time":                {poll, fields("method", "updates", "since", "1790000999"), true},
		"another cursor":              {fields("at", "ab12-cd34-ef56"), fields("at", "xy98-zw76-qq54"), true},
		"another thing":               {fields("item.id", "5"), fields("item.id", "6"), true},
		"another method in the body":  {poll, fields("method", "erase", "since", "1790000000"), false},
		"another number of an order":  {fields("m", "3"), fields("m", "17"), false},
		"another field":               {poll, fields("method", "updates", "since", "1790000000", "x", ""), false},
		"another address":             {poll, with(poll, func(r *action.Request) { r.URL = app + "/erase" }), false},
		"another sender":              {poll, with(poll, func(r *action.Request) { r.Document = "https://other.example/" }), false},
		"the same bytes, unread":      {unread("a"), unread("a"), true},
		"other bytes, unread":         {unread("a"), unread("b"), false},
		"the start of a long message": {poll, with(poll, func(r *action.Request) { r.Cut = true }), false},
	} {
		if one, other := PollKey(c.one), PollKey(c.other); (one == other) != c.same {
			t.Errorf("%s: %q and %q, same %t", name, one, other, !c.same)
		}
	}
	if key := PollKey(unread("")); key != "" {
		t.Errorf("a body that is not known has the key %q", key)
	}
}
