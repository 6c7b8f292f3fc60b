package rest

import "net/http"

// Probes of orchestrators such as Kubernetes: the process answers, and it can start
// sessions. They need no token, and are called by the address of the container, so any Host
// is accepted.
const (
	livenessPath  = "/healthz"
	readinessPath = "/readyz"
)

// readiness is the answer of readinessPath.
type readiness struct {
	OK      bool     `json:"ok"`
	Missing []string `json:"missing,omitempty" doc:"What keeps sessions from starting: engine, image, storage"`
}

// isProbe reports whether a path is that of a probe.
func isProbe(path string) bool { return path == livenessPath || path == readinessPath }

// offerProbes adds the probes.
func (s *surface) offerProbes(doc *document) {
	s.add(doc, doc.livenessOperation(), func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, r, http.StatusOK, health{OK: true})
	})
	s.add(doc, doc.readinessOperation(), func(w http.ResponseWriter, r *http.Request) {
		var missing []string
		if s.missing != nil {
			missing = s.missing(r.Context())
		}
		status := http.StatusOK
		if len(missing) > 0 {
			status = http.StatusServiceUnavailable
		}
		writeJSON(w, r, status, readiness{OK: len(missing) == 0, Missing: missing})
	})
}
