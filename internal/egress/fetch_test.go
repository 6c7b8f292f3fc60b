package egress

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestFetchesFollowTheRulesOfTheirBox(t *testing.T) {
	w := newTestNetwork(t, nil)
	hello := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })
	w.serve("open.example", "8.8.4.1:80", hello)
	trusting := w.secure("open.example", "8.8.4.1:443", hello)
	w.serve("shut.example", "8.8.4.2:80", hello)
	w.open(action.Network{Navigation: []string{"open.example"}})
	transport := w.proxy.Transport("box")
	transport.TLSClientConfig = trusting.Transport.(*http.Transport).TLSClientConfig.Clone()
	transport.TLSClientConfig.InsecureSkipVerify = true // the server's certificate is for example.com
	t.Cleanup(transport.CloseIdleConnections)
	get := func(url string) (*http.Response, string, error) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		response, err := transport.RoundTrip(request)
		if err != nil {
			return nil, "", err
		}
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		return response, string(body), err
	}
	for _, url := range []string{"http://open.example/", "https://open.example/"} {
		if _, body, err := get(url); err != nil || body != "hello" {
			t.Errorf("%s: %q, %v", url, body, err)
		}
	}
	if response, body, err := get("http://shut.example/"); err != nil || response.StatusCode != http.StatusForbidden || response.Header.Get("X-Glovebox-Refused") == "" || body == "hello" {
		t.Errorf("another host: %v %q %v", response, body, err)
	}
	if _, _, err := get("https://shut.example/"); err == nil {
		t.Error("another host over TLS answered")
	}
	for _, dialled := range w.dials() {
		if dialled == "8.8.4.2:80" {
			t.Error("a refused host was dialled")
		}
	}
	w.proxy.Close("box")
	if _, body, err := get("http://open.example/again"); err == nil && body == "hello" {
		t.Error("a closed box still fetches")
	}
}

func TestUnreachedReportsWhyATunnelFails(t *testing.T) {
	w := newTestNetwork(t, nil)
	asked := false
	w.secure("open.example", "8.8.4.1:443", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	w.place("dead.example", "8.8.4.3:443", "127.0.0.1:1")
	w.open(action.Network{Navigation: []string{"open.example", "dead.example", "absent.example"}})
	for url, want := range map[string]string{
		"https://open.example/": "", "https://dead.example/": string(unreachable), "https://absent.example/": string(unknownHost),
		"https://shut.example/": "", "http://absent.example/": "",
	} {
		if got := w.proxy.Unreached(t.Context(), "box", url); got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
	if asked {
		t.Error("a request was sent")
	}
}

// TestAFetchTrustsTheConfiguredAuthorities fetches with and without the
// configured authorities. Without them only the machine's are trusted.
func TestAFetchTrustsTheConfiguredAuthorities(t *testing.T) {
	w := newTestNetwork(t, nil)
	client := w.secure("example.com", "8.8.4.1:443", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }))
	w.open(action.Network{Navigation: []string{"example.com"}})
	for _, trusts := range []bool{false, true} {
		if trusts {
			w.proxy.options.Authorities = client.Transport.(*http.Transport).TLSClientConfig.RootCAs
		}
		transport := w.proxy.Transport("box")
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://example.com/", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		response, err := transport.RoundTrip(request)
		if (err == nil) != trusts {
			t.Errorf("trusts %t: %v", trusts, err)
		}
		if err == nil {
			_ = response.Body.Close()
		}
		transport.CloseIdleConnections()
	}
}
