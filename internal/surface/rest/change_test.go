package rest_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestWritesSayWhatChangedWhereTheyAreAsked(t *testing.T) {
	d := answering(action.Result{Data: &action.Acted{OK: true}, Changes: &action.Changes{Text: "+ text \"Saved\""}})
	h := build(t, d)
	w := h.do(request("POST", "/v1/browser/click?changes=true", `{"ref":"e4"}`))
	var got struct {
		OK      bool            `json:"ok"`
		Changes *action.Changes `json:"changes"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%d %s %v", w.Code, w.Body, err)
	}
	if !got.OK || got.Changes == nil || got.Changes.Text != "+ text \"Saved\"" || !d.last(t).Changes {
		t.Errorf("%s: %+v", w.Body, d.last(t))
	}
	h.do(request("POST", "/v1/browser/click?changes=false", `{"ref":"e4"}`))
	if d.last(t).Changes {
		t.Error("changes=false asks for changes")
	}
	h.do(request("POST", "/v1/verbs/page.click", `{"args":{"ref":"e4"},"changes":true}`))
	if !d.last(t).Changes {
		t.Error("the generic route does not ask for changes")
	}
	h.do(request("DELETE", "/v1/browser/tabs/t1?changes=true", ""))
	if c := d.last(t); c.Verb != "tab.close" || !c.Changes {
		t.Errorf("%+v", c)
	}
	for _, target := range []string{"/v1/browser/click?changes=perhaps", "/v1/browser/click?changes=true&changes=true", "/v1/browser/start?changes=true"} {
		wantProblem(t, h.do(request("POST", target, `{}`)), 400, fault.InvalidRequest)
	}
}
