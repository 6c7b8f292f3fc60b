package action_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func part() *action.Replay {
	return &action.Replay{
		Session: action.Session{ID: "s1", Name: "a <b> & \u2028 c"}, Trail: &action.ReplayTrail{Count: 2, Events: map[string]int64{"b": 1, "a": 2}}, Next: "1-2",
		Records: []action.ReplayRecord{
			{Record: action.Record{Seq: 1, Detail: "shown in its line", Hash: "h1"}, Line: `{"seq":1}`, Previous: "p1"},
			{Record: action.Record{Seq: 2, Detail: "redacted \xff", Hash: "h2"}},
		},
		Seen: []action.Sight{{CorrelationID: "c1", Text: "no UTF-8: \xff\xfe"}}, Pictures: []action.ReplayPicture{{Seq: 1, Artifact: "a", SHA256: "s"}},
	}
}

// TestTheFieldsOfAReplayAreAllButItsSeal holds for fields that are added later.
func TestTheFieldsOfAReplayAreAllButItsSeal(t *testing.T) {
	p := part()
	p.Seal = &action.ReplaySeal{Statement: "{}"}
	fields, err := p.Fields()
	if err != nil {
		t.Fatal(err)
	}
	for i := range reflect.TypeFor[action.Replay]().NumField() {
		name, _, _ := strings.Cut(reflect.TypeFor[action.Replay]().Field(i).Tag.Get("json"), ",")
		if _, is := fields[name]; is == (name == "seal") {
			t.Errorf("is %s a field that is signed: %v", name, is)
		}
	}
	if want := `[{"line":"{\"seq\":1}","hash":"h1","previous":"p1"},{"record":{`; !strings.HasPrefix(fields["records"], want) || !strings.Contains(fields["records"], "redacted") || strings.Contains(fields["records"], "shown in") {
		t.Errorf("the records are %s", fields["records"])
	}
	for name, text := range fields {
		if strings.ContainsAny(text, "<>&\u2028") {
			t.Errorf("%s can end its element: %s", name, text)
		}
	}
}

func TestTheFieldsOfAReplayAreTheSameAfterItWasSent(t *testing.T) {
	before, err := part().Fields()
	if err != nil {
		t.Fatal(err)
	}
	sent, err := json.Marshal(part())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		var received action.Replay
		if err := json.Unmarshal(sent, &received); err != nil {
			t.Fatal(err)
		}
		after, err := received.Fields()
		if err != nil || !maps.Equal(before, after) {
			t.Errorf("%v became %v: %v", before, after, err)
		}
		if sent, err = json.Marshal(received); err != nil {
			t.Fatal(err)
		}
	}
}
