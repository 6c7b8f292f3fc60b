package rest_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/surface/rest"
)

// faultsDescribed is the part of the description about faults.
type faultsDescribed struct {
	Paths map[string]map[string]struct {
		OperationID string
		Responses   map[string]struct {
			Ref string `json:"$ref"`
		}
	}
	Components struct {
		Schemas map[string]struct {
			Properties map[string]struct{ Enum []fault.Code }
		}
		Responses map[string]struct {
			Content map[string]struct {
				Schema struct {
					AllOf []struct {
						Properties map[string]struct{ Enum []fault.Code }
					}
				}
			}
		}
	}
}

func (d faultsDescribed) codes(ref string) []fault.Code {
	schema := d.Components.Responses[strings.TrimPrefix(ref, "#/components/responses/")].Content["application/problem+json"].Schema
	if len(schema.AllOf) != 2 {
		return nil
	}
	return schema.AllOf[1].Properties["code"].Enum
}

func TestEveryOperationListsItsFaultCodes(t *testing.T) {
	text, err := rest.Description()
	if err != nil {
		t.Fatal(err)
	}
	var doc faultsDescribed
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	all := fault.Codes()
	slices.Sort(all)
	if got := doc.Components.Schemas["Problem"].Properties["code"].Enum; !slices.Equal(got, all) {
		t.Errorf("the codes of a problem are %v", got)
	}
	for path, methods := range doc.Paths {
		for _, op := range methods {
			refused, failed := doc.codes(op.Responses["4XX"].Ref), doc.codes(op.Responses["5XX"].Ref)
			for _, code := range []fault.Code{fault.InvalidRequest, fault.Unauthenticated, fault.DeniedByPolicy, fault.SessionNotFound, fault.LimitReached} {
				if !slices.Contains(refused, code) {
					t.Errorf("%s: %s is no code of it", path, code)
				}
			}
			if !slices.Contains(failed, fault.Internal) || slices.Contains(failed, fault.NotFound) {
				t.Errorf("%s fails with %v", path, failed)
			}
			acts := slices.Contains([]string{"page-click", "page-batch", "verb", "page-snapshot-in-session"}, op.OperationID)
			if has := slices.Contains(refused, fault.StaleRef); acts && !has || strings.HasPrefix(op.OperationID, "token-") && has {
				t.Errorf("%s: stale_ref is %t", op.OperationID, has)
			}
		}
	}
}

// Generators of clients require fields that have a default. Optional fields of
// a body therefore have no default in the description.
func TestNoFieldOfABodyHasADefault(t *testing.T) {
	text, err := rest.Description()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]map[string]any }
		}
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	told := 0
	for name, schema := range doc.Components.Schemas {
		for field, property := range schema.Properties {
			if _, has := property["default"]; has && strings.HasSuffix(name, "Args") {
				t.Errorf("%s.%s has a default", name, field)
			}
			if _, has := property["x-default"]; has {
				told++
			}
		}
	}
	if told < 15 {
		t.Errorf("%d defaults are told", told)
	}
}

func TestActionsAnswerInOneShape(t *testing.T) {
	const kind = "application/vnd.glovebox.action-result+json"
	type answer struct {
		OK           bool
		Action       string
		Data         map[string]any
		ArtifactRefs []string `json:"artifact_refs"`
		SessionID    string   `json:"session_id"`
		Provider     string
		PageURL      string `json:"page_url"`
		Error        *struct{ Code, Message string }
	}
	done := answering(action.Result{Session: "s1", Data: &action.Screenshot{Bytes: []byte("x"), Format: "png", Width: 3}, Page: &action.Page{URL: "https://a.example/"}, Artifacts: []action.Artifact{{ID: "a1"}}})
	refused := &door{answer: func(action.Call) (action.Result, error) {
		return action.Result{}, fault.New(fault.SandboxRuntimeRequired, "no engine answers").Hinted("start it")
	}}
	for _, c := range []struct {
		d            *door
		method, path string
		body         string
		status       int
		want         answer
	}{
		{done, "GET", "/v1/browser/screenshot", "", 200, answer{OK: true, Action: "page.screenshot", ArtifactRefs: []string{"a1"}, SessionID: "s1", Provider: "sandbox", PageURL: "https://a.example/"}},
		{done, "POST", "/v1/verbs/page.screenshot", `{}`, 200, answer{OK: true, Action: "page.screenshot", ArtifactRefs: []string{"a1"}, SessionID: "s1", Provider: "sandbox", PageURL: "https://a.example/"}},
		{refused, "POST", "/v1/sessions", `{}`, 503, answer{Action: "session.start", ArtifactRefs: []string{}, Provider: "sandbox"}},
		{refused, "POST", "/v1/sessions/mine/browser/click", `{"wings":2}`, 400, answer{Action: "page.click", ArtifactRefs: []string{}, Provider: "sandbox"}},
	} {
		r := request(c.method, c.path, c.body)
		r.Header.Set("Accept", kind)
		w := build(t, c.d).do(r)
		status, header, body := w.Code, w.Header(), w.Body.Bytes()
		var got answer
		if err := json.Unmarshal(body, &got); err != nil || status != c.status || header.Get("Content-Type") != kind {
			t.Errorf("%s: %d %v %s", c.path, status, err, body)
			continue
		}
		failed, data := got.Error, got.Data
		got.Error, got.Data = nil, nil
		same := got.OK == c.want.OK && got.Action == c.want.Action && slices.Equal(got.ArtifactRefs, c.want.ArtifactRefs) &&
			got.SessionID == c.want.SessionID && got.Provider == c.want.Provider && got.PageURL == c.want.PageURL
		if !same || (failed == nil) != c.want.OK || c.want.OK && (data["width"] != 3.0 || data["bytes"] != nil) {
			t.Errorf("%s: %s", c.path, body)
		}
		if failed != nil && (failed.Message == "" || c.status == 503 && !strings.Contains(failed.Message, "start it")) {
			t.Errorf("%s: %+v", c.path, failed)
		}
	}
}
