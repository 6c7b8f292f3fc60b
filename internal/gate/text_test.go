package gate_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestTypedSecretsAreNotRecorded(t *testing.T) {
	h := open(t)
	fill := action.Call{Verb: "page.type", Caller: agent, Args: &action.Type{Locator: action.Locator{Ref: "e1"}, Input: "hunter2"}}
	for name, e := range map[string]action.Element{
		"password":  {Role: "textbox", Tag: "input", Type: "password", Editable: true, Protected: true},
		"by name":   {Role: "textbox", Tag: "input", Name: "API key", Editable: true},
		"protected": {Role: "textbox", Tag: "input", Name: "Card number", Editable: true, Protected: true},
	} {
		for _, caller := range []action.Caller{agent, operator, viewer} {
			h.fakeSessions.element = &e
			call := fill
			call.Caller, call.Wait = caller, time.Nanosecond
			if _, err := h.Call(t.Context(), call); err == nil && caller == viewer {
				t.Errorf("%s: a viewer typed", name)
			}
		}
	}
	h.fakeSessions.lookErr = fault.New(fault.NotFound, "no such element").Hinted("look")
	if _, err := h.Call(t.Context(), fill); err == nil {
		t.Error("the call ran after a failed look")
	}
	h.last(t)
	list, err := h.Call(t.Context(), action.Call{Verb: "approval.list", Caller: operator, Args: &action.ApprovalList{State: "all"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range h.records(t) {
		if strings.Contains(fmt.Sprintf("%+v", r), "hunter2") {
			t.Errorf("the secret is in %+v", r)
		}
	}
	if strings.Contains(fmt.Sprintf("%+v", *list.Data.(*action.QuestionListing)), "hunter2") {
		t.Error("the secret is in a question")
	}
}

func TestOtherTextIsRecordedSanitizedAndShort(t *testing.T) {
	h := open(t)
	h.fakeSessions.element = &action.Element{Role: "searchbox", Tag: "input", Name: "Search", Editable: true}
	text := "find\u202e this" + strings.Repeat("x", 300)
	_, err := h.Call(t.Context(), action.Call{Verb: "page.type", Caller: agent, Args: &action.Type{Locator: action.Locator{Ref: "e1"}, Input: text}})
	if err != nil {
		t.Fatal(err)
	}
	_, outcome := h.last(t)
	if !strings.HasPrefix(outcome.InputValue, `find\u{202e} this`) || len([]rune(outcome.InputValue)) > 220 {
		t.Errorf("recorded %q", outcome.InputValue)
	}
}

func TestAddressesInRecordsHideSecrets(t *testing.T) {
	h := open(t)
	h.fakeSessions.to = nil
	for given, want := range map[string]string{
		"https://a.example/?q=x&access_token=hunter2":       "https://a.example/?q=x&access_token=masked",
		"https://u:hunter2@a.example/":                      "https://masked@a.example/",
		"https://a.example/cb#id_token=hunter2&state=1":     "https://a.example/cb#id_token=masked&state=1",
		"https://a.example/%zz?token=hunter2":               "https://a.example/%zz?[masked]",
		"https://a.example/?%61pi_key=hunter2":              "https://a.example/?%61pi_key=masked",
		"https://a.example/search?q=a%20b&page=2#section-3": "https://a.example/search?q=a%20b&page=2#section-3",
	} {
		_, _ = h.Call(t.Context(), action.Call{Verb: "page.goto", Caller: agent, Args: &action.Goto{URL: given}})
		if intent, _ := h.last(t); intent.TargetURL != want {
			t.Errorf("%s is recorded as %s, want %s", given, intent.TargetURL, want)
		}
	}
}
