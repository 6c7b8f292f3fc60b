package mcp_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// shelf answers like a gateway with two sessions, one of which has files.
func shelf() *fakeGate {
	return &fakeGate{answer: func(_ context.Context, c action.Call) (action.Result, error) {
		files := []action.Artifact{{ID: "a1", Session: "s1", Name: "page\n.png", MediaType: "image/png", Size: 6}, {ID: "a2", Session: "s1", Name: "large.bin", Size: 1 << 30}}
		switch c.Verb {
		case "session.list":
			return action.Result{Data: &action.SessionListing{Sessions: []action.Session{{ID: "s1", Name: "invoices", State: "open"}, {ID: "s2", State: "closed"}}}}, nil
		case "artifact.list":
			if c.Session == "s2" {
				files = nil
			} else if c.Session != "s1" && c.Session != "invoices" {
				return action.Result{}, fault.New(fault.SessionNotFound, "there is no such session").Hinted("list sessions")
			}
			return action.Result{Data: &action.ArtifactListing{Artifacts: files}}, nil
		case "artifact.get":
			return action.Result{Data: &action.File{Artifact: files[0], Bytes: []byte("pixels")}}, nil
		}
		return answerOf(c), nil
	}}
}

func TestSessionsPagesAndFilesAreResources(t *testing.T) {
	for _, version := range []string{"2025-06-18", "2026-07-28"} {
		d := shelf()
		c, err := dial(t, guarded(t, surface(t, d)), "agent", version)
		if err != nil {
			t.Fatal(err)
		}
		list, err := c.ListResources(t.Context(), nil)
		if err != nil {
			t.Fatalf("%s: %v", version, err)
		}
		var uris []string
		for _, r := range list.Resources {
			uris = append(uris, r.URI)
			if strings.Contains(r.Name, "\n") {
				t.Errorf("name %q", r.Name)
			}
		}
		if want := []string{"glovebox://session/s1/snapshot", "glovebox://session/s1/artifact/a1", "glovebox://session/s1/artifact/a2"}; !slices.Equal(uris, want) {
			t.Errorf("%s: %v", version, uris)
		}
		for _, call := range d.calls {
			if call.Caller != agent || call.Surface != "mcp" || !strings.HasPrefix(call.Source.Request, "resources/list") {
				t.Errorf("%s: %+v", version, call)
			}
		}
		shown, err := c.ListResourceTemplates(t.Context(), nil)
		if err != nil || len(shown.ResourceTemplates) != 2 {
			t.Errorf("%s: %v %v", version, shown, err)
		}
	}
}

func TestResourcesAreReadThroughTheDoor(t *testing.T) {
	d := shelf()
	c := connect(t, surface(t, d), nil)
	page, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "glovebox://session/invoices/snapshot"})
	if err != nil || !strings.Contains(page.Contents[0].Text, "<untrusted ") || !strings.Contains(page.Contents[0].Text, "[e1]") || d.call(t, 0).Session != "invoices" || !d.call(t, 0).Quiet {
		t.Errorf("%+v %v", page, err)
	}
	file, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "glovebox://session/s1/artifact/a1"})
	if err != nil || string(file.Contents[0].Blob) != "pixels" || file.Contents[0].MIMEType != "image/png" {
		t.Errorf("%+v %v", file, err)
	}
	for uri, want := range map[string]string{
		"glovebox://session/s1/artifact/a2":            "limit_reached",
		"glovebox://session/s1/artifact/a3":            "not_found",
		"glovebox://session/s2/artifact/a1":            "not_found", // another session's
		"glovebox://session/s3/artifact/a1":            "session_not_found",
		"glovebox://session/s1/artifact/..%2Fa1":       "not found",
		"glovebox://session/s1":                        "not found",
		"glovebox://other/s1/snapshot":                 "not found",
		"file:///etc/passwd":                           "not found",
		"glovebox://session/s1/artifact/a1/extra":      "not found",
		"glovebox://session/" + strings.Repeat("a", 5): "not found",
	} {
		if _, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err == nil || !strings.Contains(strings.ToLower(err.Error()), want) {
			t.Errorf("%s: %v", uri, err)
		}
	}
}

func TestCompletionKnowsSessionsAndFiles(t *testing.T) {
	c := connect(t, surface(t, shelf()), nil)
	ask := func(name, begins, session string) []string {
		t.Helper()
		p := &sdk.CompleteParams{
			Ref:      &sdk.CompleteReference{Type: "ref/resource", URI: "glovebox://session/{session}/artifact/{id}"},
			Argument: sdk.CompleteParamsArgument{Name: name, Value: begins}, Context: &sdk.CompleteContext{Arguments: map[string]string{"session": session}},
		}
		got, err := c.Complete(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return got.Completion.Values
	}
	for _, try := range []struct {
		name, begins, session string
		want                  []string
	}{
		{"session", "", "", []string{"invoices", "s2"}}, {"session", "inv", "", []string{"invoices"}}, {"id", "", "s1", []string{"a1", "a2"}},
		{"id", "a2", "s1", []string{"a2"}}, {"id", "", "", []string{}}, {"other", "", "s1", []string{}},
	} {
		if got := ask(try.name, try.begins, try.session); !slices.Equal(got, try.want) {
			t.Errorf("%+v: %v", try, got)
		}
	}
}

func TestADoorThatRefusesGivesNoResources(t *testing.T) {
	d := refusing()
	c := connect(t, surface(t, d), nil)
	if _, err := c.ListResources(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "denied_by_policy") || !strings.Contains(err.Error(), "Next: tell your user") {
		t.Errorf("listed: %v", err)
	}
	if _, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "glovebox://session/s1/snapshot"}); err == nil || !strings.Contains(err.Error(), "denied_by_policy") {
		t.Errorf("read: %v", err)
	}
}
