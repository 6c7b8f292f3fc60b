package rest_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/surface/rest"
)

// TestProbesNeedNoTokenAndNoHost calls the probes as an orchestrator does: by the address of
// the container, from another machine.
func TestProbesNeedNoTokenAndNoHost(t *testing.T) {
	var missing []string
	h := build(t, refusing(), func(o *rest.Options) {
		o.OnlyProxies, o.Missing = true, func(context.Context) []string { return missing }
	})
	probe := func(path string) (int, string) {
		r := request("GET", path, "")
		r.Header.Del("Authorization")
		r.Host, r.RemoteAddr = "10.2.0.7:2468", "10.2.0.1:40000"
		w := h.do(r)
		return w.Code, w.Body.String()
	}
	if code, body := probe("/healthz"); code != http.StatusOK || body != `{"ok":true}` {
		t.Errorf("liveness: %d %s", code, body)
	}
	if code, body := probe("/readyz"); code != http.StatusOK || body != `{"ok":true}` {
		t.Errorf("readiness: %d %s", code, body)
	}
	missing = []string{"engine", "storage"}
	if code, body := probe("/readyz"); code != http.StatusServiceUnavailable || body != `{"ok":false,"missing":["engine","storage"]}` {
		t.Errorf("readiness without an engine: %d %s", code, body)
	}
	if code, body := probe("/healthz"); code != http.StatusOK {
		t.Errorf("liveness without an engine: %d %s", code, body)
	}
	if code, _ := probe("/v1/health"); code != http.StatusForbidden {
		t.Errorf("what is no probe: %d", code)
	}
	r := request("GET", "/readyz", "")
	r.Header.Set("Origin", "https://evil.example")
	if w := h.do(r); w.Code != http.StatusForbidden {
		t.Errorf("a page of another origin: %d", w.Code)
	}
}
