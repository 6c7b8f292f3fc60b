package cli_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestListedCookiesCanBeReadAgain(t *testing.T) {
	listed := action.CookieListing{Cookies: []action.Cookie{{Name: "a", Value: "\u202eb", Domain: ".a.example", Path: "/", Expires: -1, Secure: true, SameSite: "None"}}}
	want := &action.CookieSet{Cookies: []action.NewCookie{{Name: "a", Value: ptr("\u202eb"), Domain: ".a.example", Path: "/", Expires: ptr(-1.0), Secure: true, SameSite: "None"}}}
	d := &fakeGate{answer: func(c action.Call) (action.Result, error) {
		if c.Verb == "cookie.list" {
			return action.Result{Data: &listed, Notes: []string{"n"}}, nil
		}
		return action.Result{Data: &action.CookiesSet{OK: true}}, nil
	}}
	r := newRig(t, d)
	r.in, _, _ = r.run("cookies", "list", "--json")
	out, complaint, status := r.run("cookies", "set", "--file", "-")
	if status != 0 || out != "ok 1 cookie set\n" {
		t.Errorf("%d %s%s", status, out, complaint)
	}
	if calls := d.taken(); !reflect.DeepEqual(calls[len(calls)-1].Args, want) {
		t.Errorf("became %+v, want %+v", calls[len(calls)-1].Args, want)
	}
	for _, text := range []string{"", "hunter2", `{"cookies":[{"name":"a","hunter2":1}]}`, `{"data":{"pages":[]}}`} {
		r.in = text
		out, complaint, status := r.run("cookies", "set", "--file", "-")
		if status != 2 || out != "" || strings.Contains(complaint, `: "hunter2"`) {
			t.Errorf("%q: %d %s%s", text, status, out, complaint)
		}
	}
	if calls := d.taken(); len(calls) != 0 {
		t.Errorf("called %+v", calls)
	}
}

func TestCookiesWithAnExpiry(t *testing.T) {
	d := &fakeGate{answer: func(action.Call) (action.Result, error) {
		return action.Result{Data: &action.CookiesSet{OK: true}}, nil
	}}
	before := float64(time.Now().Add(time.Hour).Unix())
	if _, complaint, status := newRig(t, d).run("cookies", "set", "a=b", "--expires", "1h"); status != 0 {
		t.Fatal(status, complaint)
	}
	expires := d.taken()[0].Args.(*action.CookieSet).Cookies[0].Expires
	if expires == nil || *expires < before || *expires > float64(time.Now().Add(time.Hour).Unix()) {
		t.Errorf("expires %v", expires)
	}
}
