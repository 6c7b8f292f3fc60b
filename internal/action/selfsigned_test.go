package action_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestHostsWithTheirOwnCertificatesAreExact(t *testing.T) {
	listed := action.SelfSigned{"nas.lan", "box.lan:8443", "fd00::1", "[fd00::2]:8443", "10.0.0.5"}
	for address, want := range map[string]bool{
		"https://nas.lan/": true, "https://nas.lan:9/x": true, "wss://nas.lan/feed": true,
		"https://box.lan:8443/": true, "https://box.lan/": false, "https://box.lan:443/": false,
		"https://[fd00::1]/": true, "https://[fd00::2]:8443/": true, "https://[fd00::2]/": false, "https://10.0.0.5/": true,
		"https://a.nas.lan/": false, "https://nas.lan.evil.example/": false, "https://lan/": false,
		"http://nas.lan/": false, "https://nas.lan@evil.example/": false, "https:///": false, "": false, "nas.lan": false,
	} {
		if got := listed.Covers(address); got != want {
			t.Errorf("%s: %t", address, got)
		}
	}
	if (action.SelfSigned)(nil).Covers("https://nas.lan/") {
		t.Error("no host is listed, and one is covered")
	}
}
