package rest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

const retryAfter = 5 // seconds, where the fault does not say

// problem is a fault as a problem document (RFC 9457).
type problem struct {
	Type          string         `json:"type" doc:"Stable URI of the kind of fault" example:"tag:glovebox,2026:browser/not-active"`
	Title         string         `json:"title"`
	Status        int            `json:"status"`
	Detail        string         `json:"detail"`
	Instance      string         `json:"instance" doc:"URI of this occurrence"`
	Code          fault.Code     `json:"code" doc:"Stable code; decide on this"`
	Hint          string         `json:"hint,omitempty" doc:"What to do"`
	Retryable     bool           `json:"retryable" doc:"The same call may succeed later by itself"`
	CorrelationID string         `json:"correlationId" doc:"Finds the call in log and audit trail"`
	Details       map[string]any `json:"details,omitempty"`
}

// fail answers with err as a problem document, with the status of its code.
func fail(w http.ResponseWriter, r *http.Request, err error) {
	f := fault.From(ended(r.Context(), err))
	var known *fault.Fault
	if errors.Is(err, context.DeadlineExceeded) && !errors.As(err, &known) {
		f = fault.New(fault.ActionTimeout, "the call took longer than %s", callLimit).
			Hinted("look at the page before calling again: it may have been done").Because(err)
	}
	refuse(w, r, f.Code.Info().Status, f)
}

// ended returns why the work for a request ended: err, or that the token is no
// longer valid.
func ended(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); fault.CodeOf(cause) == fault.Unauthenticated {
		return cause
	}
	return err
}

// refuse answers with f as a problem document, with another status than that of
// its code.
func refuse(w http.ResponseWriter, r *http.Request, status int, f *fault.Fault) {
	noteFault(r, f)
	doc := shown(f, status, correlation(r.Context()))
	body, err := json.Marshal(doc)
	if err != nil { // only Details can hold what JSON cannot
		doc.Details = nil
		body, _ = json.Marshal(doc)
	}
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	switch f.Code {
	case fault.LimitReached:
		h.Set("Retry-After", seconds(f.Details[fault.WaitKey]))
	case fault.Unauthenticated:
		h.Set("WWW-Authenticate", `Bearer realm="glovebox"`)
	}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// shown returns f as a problem document.
func shown(f *fault.Fault, status int, id string) problem {
	return problem{
		Type: f.Code.Type(), Title: f.Code.Info().Title, Status: status, Detail: f.Message,
		Instance: "tag:glovebox,2026:call/" + id, Code: f.Code, Hint: f.Hint,
		Retryable: f.Retryable(), CorrelationID: id, Details: f.Details,
	}
}

func seconds(detail any) string {
	switch n := detail.(type) {
	case int:
		return strconv.Itoa(max(n, 1))
	case float64:
		return strconv.Itoa(max(int(n), 1))
	}
	return strconv.Itoa(retryAfter)
}

func noRoute() *fault.Fault {
	return fault.New(fault.NotFound, "there is nothing at this path").Hinted("see /openapi.json for what there is")
}

func wrongMethod(allow string) *fault.Fault {
	return fault.New(fault.InvalidRequest, "this path does not take this method").Hinted("it takes %s", allow)
}
