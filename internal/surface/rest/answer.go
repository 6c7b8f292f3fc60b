package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// extras are fields that are added to those of a verb's result.
type extras struct {
	Page      *action.Page      `json:"page,omitempty" doc:"Where the page is now"`
	Modal     *action.Dialog    `json:"modal,omitempty" doc:"A dialog that waits for an answer"`
	Notes     []string          `json:"notes,omitempty" doc:"What else happened"`
	Changes   *action.Changes   `json:"changes,omitempty" doc:"What changed on the page since the caller last saw it; only where the call asked for changes"`
	Effects   []action.Effect   `json:"effects,omitempty" doc:"Requests that the call caused and that may have changed something outside of the browser"`
	Artifacts []action.Artifact `json:"artifacts,omitempty" doc:"Files the call left"`
}

// cutHeader marks a picture that shows only a part of what was asked for.
const cutHeader = "Glovebox-Cut"

// waiting is the answer while a question waits. Nothing was done unless the
// answer says so.
type waiting struct {
	State    string      `json:"state" enum:"pending"`
	Approval string      `json:"approvalId"`
	Expires  time.Time   `json:"expires"`
	Risk     action.Risk `json:"risk"`
	Done     bool        `json:"done,omitempty" doc:"The act was done, and what it would send waits in the browser"`
	Notes    []string    `json:"notes,omitempty"`
}

// answer writes a result in the form that the verb's documentation states: the
// bytes of a file, or the verb's object with the extras.
func answer(w http.ResponseWriter, r *http.Request, v *action.Verb, result action.Result) {
	nameHeaders(w, result)
	if p := result.Pending; p != nil {
		writeJSON(w, r, http.StatusAccepted, waiting{State: "pending", Approval: p.Approval, Expires: p.Expires, Risk: p.Risk, Done: p.Done, Notes: result.Notes})
		return
	}
	switch data := result.Data.(type) {
	case *action.Screenshot:
		if data.Cut {
			w.Header().Set(cutHeader, "true")
		}
		writeBytes(w, "image/"+data.Format, "", data.Bytes)
	case *action.PDF:
		writeBytes(w, "application/pdf", action.VerbPagePDF.Name, data.Bytes)
	case *action.HAR:
		writeBytes(w, "application/json", "session.har", data.Bytes)
	case *action.AuditFile:
		send(w, r, data)
	case *action.File:
		writeBytes(w, data.MediaType, data.Name, data.Bytes)
	case *action.Run:
		answerRun(w, r, v, data)
	default:
		body, err := merge(result)
		if err != nil {
			fail(w, r, fmt.Errorf("cannot write the result of %s: %w", v.Name, err))
			return
		}
		writeRaw(w, successOf(v), "application/json", body)
	}
}

// send writes a file while it is read. If that fails, the connection is closed,
// so that nobody takes a part for the whole file.
func send(w http.ResponseWriter, r *http.Request, file *action.AuditFile) {
	w.Header().Set("Content-Type", file.MediaType)
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": file.Name}))
	w.WriteHeader(http.StatusOK)
	if err := file.Send(r.Context(), slowWriter{w}); err != nil {
		noteFault(r, fault.From(err))
		panic(http.ErrAbortHandler)
	}
}

// slowWriter gives each write a deadline of its own, for a client that reads slowly.
type slowWriter struct{ w http.ResponseWriter }

func (p slowWriter) Write(b []byte) (int, error) {
	_ = http.NewResponseController(p.w).SetWriteDeadline(time.Now().Add(writeLimit)) // a writer that is not a connection has no deadline
	return p.w.Write(b)
}

func successOf(v *action.Verb) int {
	if v.Status != 0 {
		return v.Status
	}
	return http.StatusOK
}

// merge writes the object of the result, followed by those extras that the
// object does not have.
func merge(result action.Result) ([]byte, error) {
	data, err := json.Marshal(result.Data)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(data, []byte("{")) {
		data = []byte("{}")
	}
	var own map[string]json.RawMessage
	if err := json.Unmarshal(data, &own); err != nil {
		return nil, err
	}
	beside := extras{Page: result.Page, Modal: result.Modal, Notes: result.Notes, Changes: result.Changes, Effects: result.Effects, Artifacts: result.Artifacts}
	_, hasPage := own["page"]
	if _, hasURL := own["url"]; hasURL || hasPage {
		beside.Page = nil
	}
	if _, has := own["artifacts"]; has {
		beside.Artifacts = nil
	}
	more, err := json.Marshal(beside)
	if err != nil || string(more) == "{}" {
		return data, err
	}
	if string(data) == "{}" {
		return more, nil
	}
	return slices.Concat(data[:len(data)-1], []byte(","), more[1:]), nil
}

func statusOf(result action.Result) int {
	if result.Pending != nil {
		return http.StatusAccepted
	}
	return http.StatusOK
}

// nameHeaders sets the headers that name the session and the address of a
// waiting question.
func nameHeaders(w http.ResponseWriter, result action.Result) {
	if plainToken.MatchString(result.Session) {
		w.Header().Set(sessionHeader, result.Session)
	}
	if p := result.Pending; p != nil && plainToken.MatchString(p.Approval) {
		w.Header().Set("Location", "/v1/approvals/"+p.Approval+"/status")
	}
}

func writeJSON(w http.ResponseWriter, r *http.Request, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		fail(w, r, fmt.Errorf("cannot write the result: %w", err))
		return
	}
	writeRaw(w, status, "application/json", body)
}

func writeRaw(w http.ResponseWriter, status int, mediaType string, body []byte) {
	w.Header().Set("Content-Type", mediaType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// unknownBytes is the media type of files that a browser should not display.
const unknownBytes = "application/octet-stream"

// displayable lists the media types that a browser may display. The type of a
// file comes from a box, so it is used only if it is in this list.
var displayable = []string{"image/png", "image/jpeg", "image/webp", "text/plain; charset=utf-8", "application/json", "application/pdf", "video/mp4"}

func writeBytes(w http.ResponseWriter, mediaType, filename string, body []byte) {
	if mediaType == "text/plain" {
		mediaType += "; charset=utf-8"
	}
	if !slices.Contains(displayable, mediaType) {
		mediaType = unknownBytes
	}
	if filename != "" {
		safe := untrusted.HeaderFileName(filename)
		w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": safe}))
	}
	writeRaw(w, http.StatusOK, mediaType, body)
}
