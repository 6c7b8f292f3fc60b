package rest

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// actsOnSession reports whether a verb acts on a session that is named by
// header or query.
func actsOnSession(v *action.Verb) bool {
	return strings.HasPrefix(v.Path, "/browser/") || strings.HasPrefix(v.Path, "/desktop/")
}

// paths returns the routes of a verb. A verb of a page has two: for the most
// recent session, and below a session.
func paths(v *action.Verb) []string {
	if actsOnSession(v) {
		return []string{"/v1" + v.Path, "/v1/sessions/{session}" + v.Path}
	}
	return []string{"/v1" + v.Path}
}

// offer adds the route of one verb and its description.
func (s *surface) offer(doc *document, v *action.Verb, path string) {
	op := doc.operationOf(v, path)
	s.add(doc, op, func(w http.ResponseWriter, r *http.Request) {
		noteVerb(r, v.Name)
		if v.Name == action.VerbCDPAttach.Name && upgrades(r) {
			s.attach(w, r, v)
			return
		}
		if v.Name == action.VerbDesktopWatch.Name && upgrades(r) {
			s.watch(w, r, v)
			return
		}
		call, err := s.read(r, v)
		if wantsActionResult(r, v.Name) {
			s.inOneShape(w, r, v.Name, call, err)
			return
		}
		if err != nil {
			fail(w, r, err)
			return
		}
		if wantsEvents(r, v.Name) {
			s.stream(w, r, call, func(result action.Result) { answer(w, r, v, result) })
			return
		}
		result, err := s.call(r, call)
		if err != nil {
			fail(w, r, err)
			return
		}
		answer(w, r, v, result)
	})
}

// read makes the call for a request on a verb's own route. The gate checks its
// arguments.
func (s *surface) read(r *http.Request, v *action.Verb) (action.Call, error) {
	args := v.NewArgs()
	session, err := sessionOf(r, v)
	if err != nil {
		return action.Call{}, err
	}
	changes, err := asksChanges(r, v)
	if err != nil {
		return action.Call{}, err
	}
	if err := fromQuery(r, v, args); err != nil {
		return action.Call{}, err
	}
	take := fromBody
	if inQuery(v) {
		take = noBody
	}
	if err := fromPath(r, args, take); err != nil {
		return action.Call{}, err
	}
	return action.Call{Verb: v.Name, Session: session, Args: args, Wait: waitTime(r, v), Changes: changes}, nil
}

// call passes a call to the gate, with the caller that the guard found.
func (s *surface) call(r *http.Request, c action.Call) (action.Result, error) {
	caller, found := auth.From(r.Context())
	if !found {
		return action.Result{}, fault.New(fault.Unauthenticated, "the call carries no valid token")
	}
	ctx, cancel := context.WithTimeout(r.Context(), callLimit)
	defer cancel()
	c.ID, c.Caller, c.Surface, c.Source = correlation(ctx), caller, surfaceOf(r), source(r)
	c.Bind = auth.Lasting(ctx)
	noteCalled(r)
	result, err := s.gate.Call(ctx, c)
	withHost(r, result.Data)
	return result, err
}

// withHost makes an absolute URL of an address that the gateway knows only as a
// path. The guard has checked the host that the caller used.
func withHost(r *http.Request, data any) {
	status, ok := data.(*action.BrowserStatus)
	if !ok || status == nil || !strings.HasPrefix(status.CDPURL, "/") {
		return
	}
	status.CDPURL = scheme(r, "ws://", "wss://") + r.Host + status.CDPURL
}

// generic is the body of POST /v1/verbs/{verb}.
type generic struct {
	Session     string          `json:"session,omitempty" maxLength:"64" doc:"Id or name; the caller's own open one that was used last when empty"`
	Connection  string          `json:"connection,omitempty" maxLength:"64" pattern:"^[a-z0-9:-]*$" doc:"Tells connections of one caller apart: with it an unnamed call means the session that the connection started"`
	Args        json.RawMessage `json:"args,omitempty" doc:"The verb's arguments"`
	Quiet       bool            `json:"quiet,omitempty" doc:"Keep what the session has to say to its agent for the next answer"`
	Changes     bool            `json:"changes,omitempty" doc:"List what changed on the page since the caller last saw it"`
	WaitSeconds float64         `json:"waitSeconds,omitempty" minimum:"0" maximum:"600" doc:"Longest time to wait for a person's answer; until it is answered or expires when 0"`
}

// offerGeneric adds the route that takes any verb and answers with the whole
// result. The project's own clients use it.
func (s *surface) offerGeneric(doc *document) {
	op := doc.genericOperation()
	s.add(doc, op, func(w http.ResponseWriter, r *http.Request) {
		call, err := readGeneric(r)
		if wantsActionResult(r, r.PathValue("verb")) {
			s.inOneShape(w, r, r.PathValue("verb"), call, err)
			return
		}
		if err != nil {
			fail(w, r, err)
			return
		}
		whole := func(result action.Result) {
			nameHeaders(w, result)
			writeJSON(w, r, statusOf(result), result)
		}
		if wantsEvents(r, call.Verb) {
			s.stream(w, r, call, whole)
			return
		}
		result, err := s.call(r, call)
		if err != nil {
			fail(w, r, err)
			return
		}
		whole(result)
	})
}

func readGeneric(r *http.Request) (action.Call, error) {
	v, known := action.Lookup(r.PathValue("verb"))
	if !known || v.Inner {
		return action.Call{}, fault.New(fault.UnknownAction, "there is no verb of that name").
			Hinted("see /openapi.json for the verbs")
	}
	noteVerb(r, v.Name)
	if err := noQuery(r); err != nil {
		return action.Call{}, err
	}
	var body generic
	if err := fromBody(r, &body); err != nil {
		return action.Call{}, err
	}
	if err := action.Check(&body); err != nil {
		return action.Call{}, err
	}
	if err := goodSession(body.Session); err != nil {
		return action.Call{}, err
	}
	args := v.NewArgs()
	if err := action.Decode(body.Args, args); err != nil {
		return action.Call{}, err
	}
	wait := time.Duration(body.WaitSeconds * float64(time.Second))
	return action.Call{Verb: v.Name, Session: body.Session, Connection: body.Connection, Args: args, Wait: wait, Changes: body.Changes, Quiet: body.Quiet}, nil
}

// offerHealth adds the health check. It needs no token and answers only ok.
func (s *surface) offerHealth(doc *document) {
	op := doc.healthOperation()
	s.add(doc, op, func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, r, http.StatusOK, health{OK: true})
	})
}

type health struct {
	OK bool `json:"ok"`
}

// preferredWait reads "Prefer: wait=N" (RFC 7240): how many seconds to wait for
// a person's answer. An invalid value is ignored, as the RFC requires.
func preferredWait(r *http.Request) time.Duration {
	for _, header := range r.Header.Values("Prefer") {
		for part := range strings.SplitSeq(header, ",") {
			text, found := strings.CutPrefix(strings.TrimSpace(part), "wait=")
			if n, err := strconv.Atoi(text); found && err == nil && n >= 0 {
				return max(time.Duration(min(n, 300))*time.Second, time.Millisecond) // 0 would mean without a limit
			}
		}
	}
	return defaultWait
}
