package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// object is a JSON object.
type object = map[string]any

// curl is an HTTP client that knows nothing about the program: only a token and
// paths.
type curl struct {
	t     *testing.T
	base  string
	token string
}

func (g *gateway) curl(t *testing.T, role string) curl {
	t.Helper()
	return curl{t: t, base: "http://" + g.address, token: g.token(role)}
}

// answer is what came back.
type answer struct {
	t      *testing.T
	what   string
	status int
	header http.Header
	body   []byte
}

// do sends one request, and checks the request and its answer against the
// description. A body is sent as JSON; headers are "Name: value".
func (c curl) do(method, path, body string, headers ...string) answer {
	c.t.Helper()
	request, err := http.NewRequestWithContext(c.t.Context(), method, c.base+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	got, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := wire.judge(exchange{request, body, response.StatusCode, response.Header, got}); err != nil {
		c.t.Errorf("%s %s: %v\n%.500q", method, path, err, got)
	}
	return answer{c.t, method + " " + path, response.StatusCode, response.Header, got}
}

func (c curl) get(path string, headers ...string) answer {
	c.t.Helper()
	return c.do(http.MethodGet, path, "", headers...)
}

func (c curl) post(path, body string, headers ...string) answer {
	c.t.Helper()
	return c.do(http.MethodPost, path, body, headers...)
}

// open starts a session and archives it when the test ends.
func (c curl) open(body string) string {
	c.t.Helper()
	id, _ := c.post("/v1/sessions", body).object(http.StatusOK)["id"].(string)
	if id == "" {
		c.t.Fatal("the session has no id")
	}
	c.t.Cleanup(func() {
		cleanup := c // the test's context is over by now
		request, err := http.NewRequest(http.MethodPost, cleanup.base+"/v1/sessions/"+id+"/archive", nil)
		if err != nil {
			c.t.Error(err)
			return
		}
		request.Header.Set("Authorization", "Bearer "+c.token)
		if response, err := http.DefaultClient.Do(request); err == nil {
			_ = response.Body.Close()
		}
	})
	return id
}

// object expects a JSON object with this status.
func (a answer) object(status int) object {
	a.t.Helper()
	if a.status != status || !strings.HasPrefix(a.header.Get("Content-Type"), "application/json") {
		a.t.Fatalf("%s: want %d and JSON, got %d %s\n%s", a.what, status, a.status, a.header.Get("Content-Type"), a.body)
	}
	var o object
	if err := json.Unmarshal(a.body, &o); err != nil {
		a.t.Fatalf("%s: %v\n%s", a.what, err, a.body)
	}
	return o
}

// problem expects a problem document (RFC 9457) of a code, with its status and
// its required fields.
func (a answer) problem(code fault.Code) object {
	a.t.Helper()
	return a.problemAs(code, code.Info().Status)
}

// problemAs is problem for what only HTTP has a status for.
func (a answer) problemAs(code fault.Code, status int) object {
	a.t.Helper()
	var o object
	if err := json.Unmarshal(a.body, &o); err != nil || a.header.Get("Content-Type") != "application/problem+json" {
		a.t.Fatalf("%s: no problem document: %d %s\n%.500q", a.what, a.status, a.header.Get("Content-Type"), a.body)
	}
	if a.status != status || o["code"] != string(code) || o["status"] != float64(status) || o["type"] != code.Type() ||
		o["title"] != code.Info().Title || o["retryable"] != passes(code, o) {
		a.t.Errorf("%s: want %s as %d, got %d\n%s", a.what, code, status, a.status, a.body)
	}
	for _, member := range []string{"detail", "instance", "correlationId"} {
		if text, _ := o[member].(string); text == "" {
			a.t.Errorf("%s: the problem lacks %s\n%s", a.what, member, a.body)
		}
	}
	return o
}

// passes checks whether the problem says that the same call may succeed later.
// For a page that could not be loaded, both are valid.
func passes(code fault.Code, o object) any {
	details, _ := o["details"].(object)
	switch {
	case code == fault.NavigationFailed && code.Info().Retryable:
		return o["retryable"]
	case code == fault.LimitReached:
		return details[fault.WaitKey] != nil
	case details["state"] == "paused", details["reason"] == "held":
		return false
	}
	return code.Info().Retryable
}
