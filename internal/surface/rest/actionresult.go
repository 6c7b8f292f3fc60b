package rest

import (
	"encoding/json"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// actionResultType is the media type with which a client asks for one shape of
// answer, for results and for faults.
const actionResultType = "application/vnd.glovebox.action-result+json"

// actionVerbs are the verbs that offer this shape.
var actionVerbs = []string{
	action.VerbSessionStart.Name, action.VerbSessionList.Name, action.VerbSessionShow.Name, action.VerbSessionClose.Name, action.VerbSessionArchive.Name,
	action.VerbPageGoto.Name, action.VerbPageExtract.Name, action.VerbPageClick.Name, action.VerbPageType.Name, action.VerbPageWaitFor.Name, action.VerbPageScreenshot.Name,
}

// actionResult is the common shape of answers.
type actionResult struct {
	OK           bool         `json:"ok"`
	Action       string       `json:"action" example:"page.goto"`
	Data         any          `json:"data" doc:"The verb's own object, without bytes of files; null for a fault"`
	ArtifactRefs []string     `json:"artifact_refs" doc:"Ids of the files that the call left: GET /v1/artifacts/{id}"`
	SessionID    string       `json:"session_id" doc:"Empty where there is none"`
	Provider     string       `json:"provider" example:"sandbox"`
	PageURL      string       `json:"page_url" doc:"Where the page is; empty where that is not known"`
	Error        *actionError `json:"error" doc:"null where it was done"`
}

type actionError struct {
	Code    fault.Code `json:"code"`
	Message string     `json:"message" doc:"What happened, and what to do"`
}

// wantsActionResult reports whether a client accepts the common shape and the
// verb offers it.
func wantsActionResult(r *http.Request, verb string) bool {
	if !slices.Contains(actionVerbs, verb) {
		return false
	}
	return slices.ContainsFunc(strings.Split(r.Header.Get("Accept"), ","), func(part string) bool {
		kind, _, err := mime.ParseMediaType(part)
		return err == nil && kind == actionResultType
	})
}

// inOneShape makes a call and answers in the common shape, with the HTTP status that the
// usual answer has. Where the arguments could not be read (err), it answers with that
// fault and makes no call.
func (s *surface) inOneShape(w http.ResponseWriter, r *http.Request, verb string, call action.Call, err error) {
	var result action.Result
	if err == nil {
		result, err = s.call(r, call)
	}
	if err != nil {
		f := fault.From(ended(r.Context(), err))
		noteFault(r, f)
		message := f.Message
		if f.Hint != "" {
			message += "; " + f.Hint
		}
		out := actionResult{Action: verb, ArtifactRefs: []string{}, SessionID: call.Session, Provider: "sandbox", Error: &actionError{f.Code, message}}
		writeActionResult(w, r, f.Code.Info().Status, out)
		return
	}
	nameHeaders(w, result)
	out := actionResult{OK: result.Pending == nil, Action: verb, Data: withoutBytes(result.Data), ArtifactRefs: []string{}, SessionID: result.Session, Provider: "sandbox"}
	if result.Page != nil {
		out.PageURL = result.Page.URL
	}
	if one, is := result.Data.(*action.Session); is && one != nil {
		out.SessionID, out.Provider = one.ID, one.Provider
		if one.Page != nil {
			out.PageURL = one.Page.URL
		}
	}
	if went, is := result.Data.(*action.Navigated); is && went != nil {
		out.PageURL = went.URL
	}
	for _, a := range result.Artifacts {
		out.ArtifactRefs = append(out.ArtifactRefs, a.ID)
	}
	if p := result.Pending; p != nil {
		out.Data = waiting{State: "pending", Approval: p.Approval, Expires: p.Expires, Risk: p.Risk, Done: p.Done}
	}
	writeActionResult(w, r, statusOf(result), out)
}

func writeActionResult(w http.ResponseWriter, r *http.Request, status int, out actionResult) {
	body, err := json.Marshal(out)
	if err != nil {
		fail(w, r, err)
		return
	}
	writeRaw(w, status, actionResultType, body)
}

// withoutBytes returns the result of a verb without the content of a file. The
// file has an id.
func withoutBytes(data any) any {
	text, err := json.Marshal(data)
	object := map[string]any{}
	if err != nil || json.Unmarshal(text, &object) != nil {
		return data
	}
	delete(object, "bytes")
	return object
}

// actionResultContent adds the common shape to the description of a verb's
// answers.
func (d *document) actionResultContent(v *action.Verb, ok *response) {
	if !slices.Contains(actionVerbs, v.Name) {
		return
	}
	schema := d.types.Type(reflect.TypeFor[actionResult]())
	d.resolve(schema)["properties"].(action.Schema)["error"] = action.Schema{
		"description": "null where it was done", "oneOf": []any{d.types.Type(reflect.TypeFor[actionError]()), action.Schema{"type": "null"}},
	}
	ok.Content[actionResultType] = &mediaType{
		Schema:  schema,
		Example: actionResult{OK: true, Action: v.Name, Data: map[string]any{}, ArtifactRefs: []string{}, SessionID: "s0123456789abcdef", Provider: "sandbox", PageURL: "https://example.com/"},
	}
}
