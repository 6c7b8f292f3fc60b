package vaulttest

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strings"
)

// answer is the response to a request.
type answer struct {
	status int
	errors []string // of a failure
	data   any
	auth   any
	plain  any // in place of all of these
}

// healthCodes are parameters of sys/health.
var healthCodes = []string{"standbyok", "perfstandbyok", "activecode", "standbycode", "drsecondarycode", "performancestandbycode", "sealedcode", "uninitcode"}

func (a answer) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if a.status == 0 {
		a.status = http.StatusOK
	}
	w.WriteHeader(a.status)
	if a.status == http.StatusNoContent {
		return
	}
	_ = json.NewEncoder(w).Encode(a.body())
}

func (a answer) body() any {
	if a.plain != nil {
		return a.plain
	}
	if a.status >= http.StatusBadRequest && a.data == nil {
		if a.errors == nil {
			a.errors = []string{}
		}
		return map[string]any{"errors": a.errors}
	}
	return map[string]any{
		"request_id": uuid(), "lease_id": "", "renewable": false, "lease_duration": 0,
		"data": a.data, "wrap_info": nil, "warnings": nil, "auth": a.auth,
	}
}

func uuid() string {
	t := strings.ToLower(rand.Text() + rand.Text())
	return t[:8] + "-" + t[8:12] + "-" + t[12:16] + "-" + t[16:20] + "-" + t[20:32]
}

// answer answers a request. The caller holds mu.
func (s *Server) answer(e route, c call) answer {
	if s.sealed && e.path != "sys/health" {
		return answer{status: http.StatusServiceUnavailable, errors: []string{"Vault is sealed"}}
	}
	if !e.open {
		if c.token = s.bearer(c.header); c.token == nil || !c.token.may(c.method, e.path+e.rest) {
			return denied()
		}
	} else if e.path != "sys/health" && !s.inside(c.header) {
		return answer{status: http.StatusNotFound, errors: []string{`no handler for route "` + e.path + `". route entry not found.`}}
	}
	return e.serve(s, c)
}

func denied() answer {
	return answer{status: http.StatusForbidden, errors: []string{"1 error occurred:\n\t* permission denied\n\n"}}
}

func (s *Server) inside(h http.Header) bool {
	return strings.Trim(h.Get("X-Vault-Namespace"), "/") == strings.Trim(s.options.Namespace, "/")
}

func (s *Server) health(call) answer {
	a := answer{plain: map[string]any{
		"initialized": true, "sealed": s.sealed, "standby": s.sealed, "performance_standby": false,
		"replication_performance_mode": "disabled", "replication_dr_mode": "disabled",
		"server_time_utc": s.now().Unix(), "version": "1.14.8",
	}}
	if s.sealed {
		a.status = http.StatusServiceUnavailable
	}
	return a
}
