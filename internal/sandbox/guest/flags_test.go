package guest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
	"github.com/gloveboxhq/glovebox/internal/sandbox/guest"
)

func TestChromiumFlagsKeepTheSandboxAndTheProxy(t *testing.T) {
	for _, headless := range []bool{false, true} {
		c := guest.Config{
			Boot: bridge.Boot{Width: 1280, Height: 720, DPI: 192, Headless: headless},
			Dir:  "/tmp", ProxyPort: 3128,
		}
		flags := guest.ChromiumFlags(c)
		for _, want := range []string{
			"--remote-debugging-pipe", "--proxy-server=http://127.0.0.1:3128", "--proxy-bypass-list=<-loopback>",
			"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1", "--disable-quic",
			"--webrtc-ip-handling-policy=disable_non_proxied_udp", "--user-data-dir=/tmp/prof/default",
			"--window-size=1280,720", "--force-device-scale-factor=2",
		} {
			if !slices.Contains(flags, want) {
				t.Errorf("headless %v: %s is missing", headless, want)
			}
		}
		if slices.Contains(flags, "--headless") != headless {
			t.Errorf("headless %v: %v", headless, flags)
		}
		for i, flag := range flags {
			name, _, _ := strings.Cut(flag, "=")
			switch name {
			case "--no-sandbox", "--disable-setuid-sandbox", "--disable-dev-shm-usage", "--remote-debugging-port",
				"--disable-web-security", "--disable-site-isolation-trials", "--single-process", "--no-zygote":
				t.Errorf("%s must not be set", flag)
			}
			again := func(other string) bool { return strings.HasPrefix(other, name+"=") || other == name }
			if slices.ContainsFunc(flags[i+1:], again) {
				t.Errorf("%s is set twice: Chromium uses only the last", name)
			}
		}
	}
}
