package rest_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestOnlyVerbsWithFilesTakeLargeBodies(t *testing.T) {
	content := base64.StdEncoding.EncodeToString(make([]byte, action.MostUpload))
	file := `{"name":"a","bytes":"` + content + `"}`
	upload := `{"ref":"e1","files":[` + file + `]}`
	d := answering(action.Result{Data: &action.Uploaded{Files: []action.SentFile{}}})
	for target, body := range map[string]string{
		"/v1/browser/upload": upload, "/v1/sessions/s1/browser/upload": upload, "/v1/sessions/s1/artifacts": file,
		"/v1/verbs/page.upload": `{"args":` + upload + `}`,
	} {
		if w := build(t, d).do(request("POST", target, body)); w.Code != http.StatusOK && w.Code != http.StatusCreated {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
	for target, body := range map[string]string{
		"/v1/browser/type": `{"text":"` + content + `"}`, "/v1/verbs/page.type": content, "/v1/sessions/s1/browser/click": content,
		"/v1/browser/upload": upload + strings.Repeat(" ", 2<<20),
	} {
		wantProblem(t, build(t, d).do(request("POST", target, body)), http.StatusRequestEntityTooLarge, fault.InvalidRequest)
	}
}
