package rest_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestTheProtocolsAddressIsWhereTheCallerReachedUs(t *testing.T) {
	for _, target := range []string{"/v1/browser/status", "/v1/sessions/s1/browser/status"} {
		d := answering(action.Result{Data: &action.BrowserStatus{
			State: "active", CDPURL: "/v1/sessions/s1/browser/cdp", Missing: []string{}, Processes: []action.BrowserProcess{},
		}})
		r := request("GET", target, "")
		w := build(t, d).do(r)
		var got struct {
			CDPURL    string `json:"cdpUrl"`
			Missing   []any  `json:"missingDependencies"`
			Processes []any  `json:"processes"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.CDPURL != "ws://"+r.Host+"/v1/sessions/s1/browser/cdp" || got.Missing == nil || got.Processes == nil {
			t.Errorf("%s: %s, %v", target, w.Body, err)
		}
	}
}

func TestStartIsStrictAboutItsRanges(t *testing.T) {
	for _, body := range []string{
		`{"streamFrameRate":0}`, `{"streamFrameRate":61}`, `{"streamVideoCodec":"av1"}`, `{"streamAudioCodec":"mp3"}`,
		`{"webrtcPortRange":"1"}`, `{"webrtcPortRange":"0-5"}`, `{"recordingFps":0}`, `{"width":-1}`, `{"headless":"yes"}`, `{"x":1}`,
	} {
		d := answering(action.Result{Data: &action.BrowserStatus{}})
		wantProblem(t, build(t, d).do(request("POST", "/v1/browser/start", body)), http.StatusBadRequest, fault.InvalidRequest)
	}
}

func TestContextsHaveTheDocumentedShape(t *testing.T) {
	d := answering(action.Result{Data: &action.Profile{ID: "a", Name: "work"}})
	w := build(t, d).do(request("POST", "/v1/browser/contexts", `{"name":"work"}`))
	if want := `{"id":"a","name":"work","createdAt":"0001-01-01T00:00:00Z","sizeBytes":0}`; w.Code != http.StatusCreated || w.Body.String() != want {
		t.Errorf("got %d %s, want 201 %s", w.Code, w.Body, want)
	}
	d = answering(action.Result{Data: &action.ProfileListing{Contexts: []action.Profile{}}})
	if w := build(t, d).do(request("GET", "/v1/browser/contexts", "")); w.Body.String() != `{"contexts":[]}` {
		t.Errorf("listed %s", w.Body)
	}
	wantProblem(t, build(t, d).do(request("DELETE", "/v1/browser/contexts/..%2fx", "")), http.StatusNotFound, fault.NotFound)
}
