package rest_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/golden"
	"github.com/gloveboxhq/glovebox/internal/surface/rest"
)

func TestDescriptionInTheReferenceIsUpToDate(t *testing.T) {
	want, err := rest.Description()
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, "../../../docs/reference/openapi.json", string(want))
}

// media is what a description gives for one type of body.
type media struct {
	Example any
	Schema  struct{ Format string }
}

// described is an operation as the description gives it.
type described struct {
	OperationID string `json:"operationId"`
	Summary     string
	Description string
	Tags        []string
	RequestBody *struct{ Content map[string]media }
	Responses   map[string]struct {
		Ref     string `json:"$ref"`
		Content map[string]media
	}
}

func TestOperationsAreCompleteWithExamples(t *testing.T) {
	text, err := rest.Description()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Tags  []struct{ Name, Description string }
		Paths map[string]map[string]described
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	for _, tag := range doc.Tags {
		if tag.Description == "" {
			t.Errorf("the group %s is not described: add it to tags", tag.Name)
		}
	}
	seen := map[string]bool{}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			what := method + " " + path
			if op.OperationID == "" || seen[op.OperationID] || op.Summary == "" || op.Description == "" || len(op.Tags) != 1 {
				t.Errorf("%s is incomplete, or shares its id %q", what, op.OperationID)
			}
			seen[op.OperationID] = true
			if op.RequestBody != nil {
				wantExamples(t, what, op.RequestBody.Content)
			}
			for status, response := range op.Responses {
				if response.Ref == "" && status != "101" { // which has no body
					wantExamples(t, what+" "+status, response.Content)
				}
			}
		}
	}
}

func wantExamples(t *testing.T, what string, content map[string]media) {
	t.Helper()
	for kind, m := range content {
		if m.Schema.Format != "binary" && m.Example == nil {
			t.Errorf("%s has no example of %s", what, kind)
		}
	}
	if len(content) == 0 {
		t.Errorf("%s has no content", what)
	}
}

func TestPageOfDocumentationShowsEveryVerbAndHasNoScript(t *testing.T) {
	page, err := rest.Documentation()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range action.Verbs {
		if v.Path == "" { // no surface offers it
			continue
		}
		for _, want := range []string{"<code>" + v.Method + " /v1" + v.Path + "</code>", `<a href="#` + strings.ReplaceAll(v.Name, ".", "-") + `">`} {
			if !strings.Contains(string(page), want) {
				t.Errorf("%s: the page lacks %s", v.Name, want)
			}
		}
	}
	for _, none := range []string{"<script", "src=", "http-equiv", "ZgotmplZ"} {
		if strings.Contains(string(page), none) {
			t.Errorf("the page has %s", none)
		}
	}
	served := build(t, refusing()).do(request("GET", "/docs", ""))
	if served.Code != http.StatusOK || !bytes.Equal(served.Body.Bytes(), page) || !strings.HasPrefix(served.Header().Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("/docs: %d %v", served.Code, served.Header())
	}
}

func TestDescriptionNeedsAToken(t *testing.T) {
	for _, path := range []string{"/openapi.json", "/docs"} {
		r := request("GET", path, "")
		r.Header.Del("Authorization")
		wantProblem(t, build(t, refusing()).do(r), http.StatusUnauthorized, "unauthenticated")
	}
	offline, err := rest.Description()
	if err != nil {
		t.Fatal(err)
	}
	if served := build(t, refusing()).do(request("GET", "/openapi.json", "")); !bytes.Equal(served.Body.Bytes(), offline) || served.Header().Get("Content-Type") != "application/openapi+json" {
		t.Errorf("/openapi.json is not what is printed offline: %v", served.Header())
	}
}
