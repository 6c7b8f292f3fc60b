package egress

import (
	"net/http"
	"net/netip"
	"slices"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/egress/egresstest"
)

// withNames returns a network whose names are resolved by a real name server.
func withNames(t *testing.T) (*testNetwork, *egresstest.Names) {
	t.Helper()
	names, err := egresstest.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(names.Close)
	return newTestNetwork(t, func(o *Options) { o.Resolver = ResolverAt(names.Address()) }), names
}

func TestAllAddressesOfARealNameServersAnswerAreChecked(t *testing.T) {
	w, names := withNames(t)
	w.serve("unused", "9.9.9.9:80", hello)
	w.serve("unused", "[2606:4700::1]:80", hello)
	names.Set("public.test", "9.9.9.9")
	names.Set("six.test", "2606:4700::1")
	names.Set("alias.test", "public.test")
	names.Set("far.test", "alias.test")
	names.Set("private.test", "10.1.2.3")
	names.Set("alias-of-private.test", "private.test")
	names.Set("far-alias-of-private.test", "alias-of-private.test")
	names.Set("mixed.test", "9.9.9.9", "192.168.1.1")
	names.Set("mixed-families.test", "9.9.9.9", "fd00::1")
	names.Set("mapped.test", "::ffff:127.0.0.1")
	names.Set("translated.test", "64:ff9b::127.0.0.1")
	names.Set("six-to-four.test", "2002:7f00:1::1")
	names.Set("teredo.test", "2001:0:4136:e378:8000:63bf:80ff:fffe")
	names.Set("compatible.test", "::127.0.0.1")
	names.Set("metadata.test", "169.254.169.254")
	names.Set("metadata-six.test", "fd00:ec2::254")
	names.Set("any.test", "0.0.0.0")
	names.Set("own.test", "5.5.5.5")
	names.Set("ring.test", "ring.test")
	names.Set("nothing.test")
	for host, want := range map[string]string{
		"public.test": "", "six.test": "", "alias.test": "", "far.test": "",
		"private.test": string(specialAddress), "alias-of-private.test": string(specialAddress), "far-alias-of-private.test": string(specialAddress),
		"mixed.test": string(specialAddress), "mixed-families.test": string(specialAddress), "mapped.test": string(specialAddress), "translated.test": string(specialAddress),
		"six-to-four.test": string(specialAddress), "teredo.test": string(specialAddress), "compatible.test": string(specialAddress), "metadata.test": string(specialAddress),
		"metadata-six.test": string(specialAddress), "any.test": string(specialAddress), "own.test": string(ownAddress),
		"ring.test": string(unknownHost), "nothing.test": string(unknownHost), "unknown.test": string(unknownHost),
	} {
		w.open(action.Network{Navigation: []string{host}})
		r := w.exchange("GET http://" + host + "/ HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
		if got := r.Header.Get("X-Glovebox-Refused") + r.Header.Get("X-Glovebox-Failed"); got != want || (r.StatusCode == http.StatusOK) != (want == "") {
			t.Errorf("%s: %d %q, want %q", host, r.StatusCode, got, want)
		}
	}
	for _, d := range w.dials() {
		if d != "9.9.9.9:80" && d != "[2606:4700::1]:80" {
			t.Errorf("the proxy dialled %s", d)
		}
	}
}

// TestANameThatBecomesPrivateIsRefused checks that a name whose records may not
// be cached is looked up again for each connection, but not between the check and
// the connection.
func TestANameThatBecomesPrivateIsRefused(t *testing.T) {
	w, names := withNames(t)
	w.serve("unused", "9.9.9.9:80", http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		names.Set("turns.test", "127.0.0.1") // between the first use and the next
		rw.Header().Set("Connection", "close")
	}))
	names.Set("turns.test", "9.9.9.9")
	w.open(action.Network{Navigation: []string{"turns.test"}})
	if r := w.exchange("GET http://turns.test/ HTTP/1.1\r\nHost: turns.test\r\n\r\n"); r.StatusCode != http.StatusOK {
		t.Errorf("at first: %d", r.StatusCode)
	}
	refuses(t, w, "turns.test", specialAddress)
	if _, r := w.tunnel("turns.test:443"); r.Header.Get("X-Glovebox-Refused") != string(specialAddress) {
		t.Errorf("a tunnel: %v", r.Header)
	}
	if d := w.dials(); !slices.Equal(d, []string{"9.9.9.9:80"}) {
		t.Errorf("the proxy dialled %v", d)
	}
}

// TestForbiddenNamesAreNotLookedUp checks that a name that no list allows is not
// sent to a name server, since the name itself can carry data out.
func TestForbiddenNamesAreNotLookedUp(t *testing.T) {
	w, names := withNames(t)
	names.Set("*.evil.test", "9.9.9.9")
	w.open(action.Network{Navigation: []string{"app.test"}})
	refuses(t, w, "what-i-read.evil.test", notAllowed)
	if _, r := w.tunnel("what-i-read.evil.test:443"); r.StatusCode != http.StatusForbidden {
		t.Errorf("a tunnel: %d", r.StatusCode)
	}
	if asked := names.Asked(); len(asked) != 0 {
		t.Errorf("the name server was asked for %v", asked)
	}
}

func TestTheGatewayIsRefusedByEveryNameAndAddress(t *testing.T) {
	gateway := []netip.AddrPort{netip.MustParseAddrPort("0.0.0.0:2468")}
	w := newTestNetwork(t, func(o *Options) { o.Gateway = gateway })
	w.names["me.test"] = [][]string{{"127.0.0.1"}}
	w.names["host.test"] = [][]string{{"5.5.5.5"}}
	w.names["mixed.test"] = [][]string{{"10.0.0.1", "127.0.0.1"}}
	places := []string{
		"localhost:2468", "sub.localhost:2468", "127.0.0.1:2468", "127.9.9.9:2468", "0.0.0.0:2468", "[::1]:2468", "[::]:2468", "[::ffff:7f00:1]:2468",
		"[::ffff:505:505]:2468", "5.5.5.5:2468", "me.test:2468", "host.test:2468", "mixed.test:2468",
	}
	w.open(action.Network{AllowPrivate: places}) // even a permission for these must not cover the gateway
	for _, place := range places {
		refuses(t, w, place, toGateway)
		if _, r := w.tunnel(place); r.Header.Get("X-Glovebox-Refused") != string(toGateway) {
			t.Errorf("a tunnel to %s: %d %v", place, r.StatusCode, r.Header)
		}
	}
	for _, target := range []string{"/", "/v1/health", "*"} {
		r := w.exchange("OPTIONS " + target + " HTTP/1.1\r\nHost: localhost:2468\r\n\r\n")
		if r.Header.Get("X-Glovebox-Refused") != string(toGateway) {
			t.Errorf("%s: %d %v", target, r.StatusCode, r.Header)
		}
	}
	if d := w.dials(); len(d) != 0 {
		t.Errorf("the proxy dialled %v", d)
	}
}
