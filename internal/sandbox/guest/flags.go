package guest

import (
	"fmt"
	"strconv"
	"strings"
)

// disabledFeatures are Chromium's, each with why it is off.
var disabledFeatures = []string{
	"WebUIOmniboxPopup",                       // starts a renderer for a popup in every context: 957 to 536 MB for ten
	"WebUIOmniboxAimPopup",                    // the same; only both together help
	"WebRtcHideLocalIpsWithMdns",              // sends mDNS
	"MediaRouter",                             // looks for Cast devices in the network
	"DialMediaRouteProvider",                  // the same by SSDP
	"OptimizationHints",                       // fetches hints from its maker
	"Translate",                               // fetches languages, and its bar moves the page
	"NetworkTimeServiceQuerying",              // asks its maker for the time
	"InterestFeedContentSuggestions",          // fetches news
	"AutofillServerCommunication",             // sends what forms look like
	"CertificateTransparencyComponentUpdater", // fetches lists

	// What the browser process sends for a page by itself: it is not held where
	// requests leave the browser, so that it does not leave at all.
	"Reporting",                           // POST to any address of the page's site
	"NetworkErrorLogging",                 // the same
	"BackgroundFetch",                     // any method, to any host
	"FedCm",                               // GET and POST with cookies, to addresses that a page's file names
	"DeviceBoundSessions",                 // POST to an address that a header names
	"Prerender2FallbackPrefetchSpecRules", // GET of any address, where rendering ahead is refused
}

// ChromiumFlags returns the flags of a box's browser. The order is fixed, and
// what each is for stands beside it. Measured with Chromium 150 to 156
// on 2026-11-20; --no-sandbox and --disable-dev-shm-usage are not
// among them and must not be.
func ChromiumFlags(c Config) []string {
	proxy := "127.0.0.1:" + strconv.Itoa(c.ProxyPort)
	flags := []string{
		"--remote-debugging-pipe",          // no port that obeys any process beside it
		"--user-data-dir=" + c.profile(),   // on a tmpfs of its own: a full one is the page's problem, not the browser's
		"--no-startup-window",              // pages are opened by the gateway
		"--no-first-run",                   // no welcome
		"--no-default-browser-check",       // no question
		"--password-store=basic",           // no keyring to look for
		"--use-mock-keychain",              // the same on other systems
		"--disable-gpu",                    // there is none in a box
		"--mute-audio",                     // nor a sound card
		"--disable-back-forward-cache",     // history moves are safe for CDP clients: 4 tests failed without
		"--disable-hang-monitor",           // no dialog about slow pages that nobody sees
		"--allow-pre-commit-input",         // a press of a client before the first frame of a document is taken: of 60, 12 were lost
		"--disable-prompt-on-repost",       // a reload asks nobody
		"--disable-session-crashed-bubble", // nothing in front of the page after a restart
		"--hide-crash-restore-bubble",      // the same
		"--disable-search-engine-choice-screen",
		"--force-color-profile=srgb", // screenshots look alike on every machine

		"--proxy-server=http://" + proxy,                            // the one way out: the forwarder to the gateway
		"--proxy-bypass-list=<-loopback>",                           // loopback and link-local go through it too
		"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1", // it never resolves a name itself
		"--webrtc-ip-handling-policy=disable_non_proxied_udp",       // the form that works in 156
		"--force-webrtc-ip-handling-policy",                         // the form that worked before
		"--disable-quic",                                            // UDP does not go through the proxy

		"--disable-background-networking",          // nobody asked for what these fetch or send
		"--disable-component-update",               //
		"--disable-domain-reliability",             //
		"--disable-sync",                           //
		"--no-pings",                               //
		"--disable-client-side-phishing-detection", //
		"--metrics-recording-only",                 //
		"--disable-default-apps",                   //
		"--disable-extensions",                     //
		"--disable-breakpad",                       // no crash reports; Config.makeDirs sees to the dumps it writes all the same
		"--disable-features=" + strings.Join(disabledFeatures, ","),

		fmt.Sprintf("--window-size=%d,%d", c.Width, c.Height), // fills the display
		"--window-position=0,0",                               // there is no window manager
	}
	if c.DPI != 96 {
		flags = append(flags, fmt.Sprintf("--force-device-scale-factor=%.4g", float64(c.DPI)/96)) // CSS pixels are 1/96 inch
	}
	if c.Profile {
		// Cookies that end with the browser stay too: sites keep people signed in
		// by them. Which tabs were open is left out of the profile.
		flags = append(flags, "--restore-last-session")
	}
	if c.Headless {
		flags = append(flags, "--headless") // the new one: the same browser without a display
	} else {
		flags = append(flags, "--ozone-platform=x11") // Xvfb; not to be guessed
	}
	return flags
}
