package outgoing_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/outgoing"
)

func TestBodiesAreReadByTheirType(t *testing.T) {
	multi := "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x.txt\"\r\n\r\nhello\r\n--b--\r\n"
	for name, c := range map[string]struct {
		kind, body string
		want       []action.BodyField
		unread     bool
	}{
		"form":          {"application/x-www-form-urlencoded", "a=1&b=x+y&c=%C3%A9", []action.BodyField{{Name: "a", Value: "1"}, {Name: "b", Value: "x y"}, {Name: "c", Value: "é"}}, false},
		"json":          {"application/json; charset=utf-8", `{"order":{"id":7,"ok":true,"to":null},"tags":["x"]}`, []action.BodyField{{Name: "order.id", Value: "7"}, {Name: "order.ok", Value: "true"}, {Name: "order.to", Value: "null"}, {Name: "tags.0", Value: "x"}}, false},
		"json, unnamed": {"text/plain;charset=UTF-8", `{"a":1}`, []action.BodyField{{Name: "a", Value: "1"}}, false},
		"form, unnamed": {"text/plain", "action=delete&id=5", []action.BodyField{{Name: "action", Value: "delete"}, {Name: "id", Value: "5"}}, false},
		"multipart":     {"multipart/form-data; boundary=b", multi, []action.BodyField{{Name: "a", Value: "1"}, {Name: "f", Value: "file x.txt"}}, false},
		"no boundary":   {"multipart/form-data", multi, nil, true},
		"text":          {"text/plain", "hello there", []action.BodyField{{Name: "", Value: "hello there"}}, false},
		"bytes":         {"application/octet-stream", "\xff\xfe\x00", nil, true},
		"broken json":   {"application/json", `{"a":`, []action.BodyField{{Name: "", Value: `{"a":`}}, true},
		"nothing":       {"application/json", "", nil, false},
		"deep":          {"application/json", strings.Repeat(`{"a":`, 300) + "1" + strings.Repeat("}", 300), nil, true},
	} {
		read := outgoing.Body(c.kind, []byte(c.body))
		got, unread := read.Fields, read.Unread
		slices.SortFunc(got, func(a, b action.BodyField) int { return strings.Compare(a.Name, b.Name) })
		if diff := cmp.Diff(c.want, got); diff != "" || unread != c.unread {
			t.Errorf("%s: unread %t, %s", name, unread, diff)
		}
	}
}

// Whatever a page sends, it is read within bounds.
func TestAnyBodyIsReadWithinBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]string{"", "application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", "a/b; c"}).Draw(t, "kind")
		body := rapid.SliceOf(rapid.Byte()).Draw(t, "body")
		if rapid.Bool().Draw(t, "json") {
			body, _ = json.Marshal(rapid.MapOf(rapid.String(), rapid.SliceOf(rapid.String())).Draw(t, "map"))
		}
		fields := outgoing.Body(kind, body).Fields
		for _, f := range fields {
			if len(f.Name) > 210 || len(f.Value) > 510 && f.Name != "" || len(f.Value) > 33<<10 {
				t.Fatalf("a field of %d and %d bytes", len(f.Name), len(f.Value))
			}
		}
		if len(fields) > 2000 {
			t.Fatalf("%d fields", len(fields))
		}
	})
}

// part is the part of a browser with some tabs and sites.
func part(tabs, sites string) outgoing.Reach {
	r := outgoing.NewReach("")
	for _, tab := range strings.Fields(tabs) {
		r.Tabs[tab] = true
	}
	for _, site := range strings.Fields(sites) {
		r.Sites[site] = true
	}
	return r
}

func TestActsMayCauseRequestsForTheirTime(t *testing.T) {
	var l outgoing.Ledger
	now := time.Now()
	l.Begin("a", part("a", "x"), action.Act{ID: "1", Long: time.Second})
	l.Begin("a", part("a", "x"), action.Act{ID: "2", Long: time.Minute})
	l.Begin("b", part("b", "y"), action.Act{ID: "3", Long: time.Second})
	causes := func(now time.Time, from outgoing.Reach, tabs ...string) string {
		ids, told := l.Causes(now, from, tabs...)
		return fmt.Sprint(ids, told)
	}
	for want, got := range map[string]string{
		"[2 1] []":        causes(now, part("a", "x"), "a"),
		"[3 2 1] [2 1]":   causes(now, part("a b", "x y"), "b"),
		"[3 2 1] [3 2 1]": causes(now, part("c", "x y"), "c"),
		"[] []":           causes(now, part("c", "z"), "c"),
		"[3] [3]":         causes(now, part("", "y")),
	} {
		if got != want {
			t.Errorf("causes %s, want %s", got, want)
		}
	}
	if got := l.Live(now); !slices.Equal(got, []string{"3", "2", "1"}) {
		t.Errorf("live: %v", got)
	}
	for _, id := range []string{"1", "2", "3"} {
		l.End(id, now)
	}
	later := now.Add(2 * time.Second)
	if got := causes(later, part("a", ""), "a"); got != "[2] []" {
		t.Errorf("later in a: %s", got)
	}
	l.Extend(later, part("a", "z"))
	l.Extend(later, part("b", "w"))
	if got := causes(later, part("d", "z")) + causes(later, part("d", "w")); got != "[2] [2][] []" {
		t.Errorf("after the reach of acts grew: %s", got)
	}
}

func TestReachGoesOnByWayOfOthers(t *testing.T) {
	r := part("a", "")
	r.Closure([]outgoing.Reach{part("d", "z"), part("c", "y z"), part("b", "x y"), part("a", "x"), part("e", "w"), part("", "")})
	if diff := cmp.Diff(part("a b c d", "x y z"), r); diff != "" {
		t.Error(diff)
	}
}

func TestReceiptsFollowARequestThroughRedirects(t *testing.T) {
	var l outgoing.Ledger
	sent := func(url string) action.Effect {
		return action.Effect{Method: "POST", URL: url, State: action.EffectSent, Act: "1"}
	}
	l.Note("r", "a", action.Effect{Method: "POST", URL: "/x", State: action.EffectHeld, Act: "1"})
	if !l.Waiting("a") || l.Waiting("b") || !l.WaitingFor("1", "b") || !l.WaitingFor("2", "a") || l.WaitingFor("2", "b") || !l.Holds("r") || l.Open("1") {
		t.Error("a held request is not told as one")
	}
	l.Note("r", "a", sent("/x"))
	l.Note("r", "a", sent("/y"))
	if _, open := l.Answered("r", "/x", 307); !open {
		t.Error("the first hop has no receipt")
	}
	if e, open := l.Answered("r", "", 201); !open || e.URL != "/y" || e.Status != 201 {
		t.Errorf("the last hop: %+v", e)
	}
	if _, open := l.Failed("r", "late"); open {
		t.Error("what was answered failed")
	}
	if got := l.Of("1"); len(got) != 2 || got[0].Status != 307 || got[1].Status != 201 || l.Open("1") || l.Waiting("") {
		t.Errorf("effects %+v", got)
	}
}
