package vaulttest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// route is one documented endpoint.
type route struct {
	methods []string
	path    string   // below /v1/; with a slash at its end it has a path of the caller's behind it
	open    bool     // is asked without a token
	query   []string // parameters it knows
	body    func() any
	serve   func(*Server, call) answer
	rest    string // the path of the caller's
}

// call is one valid request.
type call struct {
	token  *token
	method string
	header http.Header
	path   string
	query  url.Values
	body   any
}

// Bodies of requests.
type (
	loginBody struct {
		RoleID   string `json:"role_id"`
		SecretID string `json:"secret_id"`
	}
	writeBody struct {
		Data    json.RawMessage `json:"data"`
		Options json.RawMessage `json:"options"`
	}
	renewBody struct {
		Increment any `json:"increment"` // seconds, or a duration such as "1h"
	}
)

func (s *Server) routes() []route {
	get, post := []string{http.MethodGet}, []string{http.MethodPost, http.MethodPut}
	return []route{
		{methods: []string{http.MethodGet, http.MethodHead}, path: "sys/health", open: true, query: healthCodes, serve: (*Server).health},
		{methods: get, path: "auth/token/lookup-self", serve: (*Server).lookup},
		{methods: post, path: "auth/token/renew-self", body: func() any { return new(renewBody) }, serve: (*Server).renew},
		{methods: post, path: "auth/token/revoke-self", serve: (*Server).revoke},
		{methods: post, path: "auth/" + s.options.AppRole + "/login", open: true, body: func() any { return new(loginBody) }, serve: (*Server).login},
		{methods: get, path: s.options.Mount + "/data/", query: []string{"version"}, serve: (*Server).secret},
		{methods: post, path: s.options.Mount + "/data/", body: func() any { return new(writeBody) }, serve: (*Server).write},
		{methods: []string{http.MethodDelete}, path: s.options.Mount + "/data/", serve: (*Server).remove},
		{methods: []string{"LIST"}, path: s.options.Mount + "/metadata/", serve: (*Server).list},
		{methods: get, path: s.options.Mount + "/metadata/", query: []string{"list"}, serve: (*Server).metadata},
	}
}

// read finds the endpoint of a request, and returns what about the request is not documented.
func (s *Server) read(r *http.Request) (found route, body any, wrong string) {
	path, ok := strings.CutPrefix(r.URL.Path, "/v1/")
	if !ok {
		return found, nil, "paths begin with /v1/"
	}
	for _, found = range s.routes() {
		if !slices.Contains(found.methods, r.Method) || !found.of(path) {
			continue
		}
		found.rest = strings.TrimPrefix(path, found.path)
		if body, wrong = found.readBody(r); wrong == "" {
			wrong = s.check(found, r)
		}
		return found, body, wrong
	}
	return route{}, nil, "no such endpoint"
}

func (e route) of(path string) bool {
	return path == e.path || strings.HasSuffix(e.path, "/") && strings.HasPrefix(path, e.path)
}

func (s *Server) check(e route, r *http.Request) string {
	for name := range r.URL.Query() {
		if !slices.Contains(e.query, name) {
			return "unknown parameter " + name
		}
	}
	for _, part := range strings.Split(strings.TrimSuffix(e.rest, "/"), "/") {
		if part == ".." || part == "." || part == "" && e.rest != "" {
			return "a path with empty or dotted parts"
		}
	}
	if strings.HasSuffix(e.path, "/data/") && (e.rest == "" || strings.HasSuffix(e.rest, "/")) {
		return "a secret's path does not end with a slash"
	}
	return s.checkHeaders(e, r)
}

func (s *Server) checkHeaders(e route, r *http.Request) string {
	tokens, namespaces := r.Header.Values("X-Vault-Token"), r.Header.Values("X-Vault-Namespace")
	switch bearer := r.Header.Get("Authorization"); {
	case e.open && (len(tokens) > 0 || bearer != ""):
		return "a token where none is needed"
	case !e.open && len(tokens) != 1:
		return fmt.Sprintf("%d headers X-Vault-Token", len(tokens))
	case len(namespaces) > 1:
		return "more than one namespace"
	case len(namespaces) == 1 && s.options.Namespace == "":
		return "a namespace, which a server without them does not know"
	case len(namespaces) == 1 && e.path == "sys/health":
		return "a namespace, and health is of none"
	}
	for name := range r.Header {
		if strings.HasPrefix(name, "X-Vault-") && !slices.Contains([]string{"X-Vault-Token", "X-Vault-Namespace", "X-Vault-Request"}, name) {
			return "header " + name
		}
	}
	return ""
}

// readBody reads an empty body, or JSON without unknown names.
func (e route) readBody(r *http.Request) (body any, wrong string) {
	text, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil {
		return nil, "a body that breaks off"
	}
	if e.body == nil {
		if len(text) > 0 {
			return nil, "a body"
		}
		return nil, ""
	}
	body = e.body()
	if len(text) == 0 {
		return body, ""
	}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(body); err != nil || decoder.More() {
		return nil, "a body that is not what it takes" // not the error: it repeats what was sent
	}
	return body, ""
}
