package guest

import (
	"fmt"
	"strconv"
	"strings"
)

// disabledFeatures are the features of Chromium to disable, each with the reason.
var disabledFeatures = []string{
	"WebUIOmniboxPopup",                       // starts a renderer for a popup in every context: ten contexts need 957 MB with it, 536 without
	"WebUIOmniboxAimPopup",                    // the same; disabling only one does not help
	"WebRtcHideLocalIpsWithMdns",              // sends mDNS
	"MediaRouter",                             // searches the network for Cast devices
	"DialMediaRouteProvider",                  // the same by SSDP
	"OptimizationHints",                       // fetches hints from Google
	"Translate",                               // fetches languages, and its bar moves the page
	"NetworkTimeServiceQuerying",              // asks Google for the time
	"InterestFeedContentSuggestions",          // fetches news
	"AutofillServerCommunication",             // sends the structure of forms
	"CertificateTransparencyComponentUpdater", // fetches lists
	"DeferRendererTasksAfterInput",            // holds a page's timers back until the frame after a press or key: a click on a small page took 19 ms with it, 8 without
	"FileSystemAccessLocal",                   // showOpenFilePicker and showSaveFilePicker, which nobody can answer: without them pages use file inputs and downloads

	// Requests that the browser process sends by itself for a page. They do not
	// pass the point where requests are held for a decision.
	"Reporting",                           // POST to any address of the page's site
	"NetworkErrorLogging",                 // the same
	"BackgroundFetch",                     // any method, to any host
	"FedCm",                               // GET and POST with cookies, to addresses that a page's file names
	"DeviceBoundSessions",                 // POST to an address that a header names
	"Prerender2FallbackPrefetchSpecRules", // GET of any address, where rendering ahead is refused
}

// ChromiumFlags returns the command line of a box's browser, in a fixed order,
// each flag with its reason. They were tested with Chromium 150 to 156 on
// 2026-11-20. --no-sandbox and --disable-dev-shm-usage must never be added.
func ChromiumFlags(c Config) []string {
	proxy := "127.0.0.1:" + strconv.Itoa(c.ProxyPort)
	flags := []string{
		"--remote-debugging-pipe",           // not a port, which every process of the box could use
		"--user-data-dir=" + c.profileDir(), // on its own tmpfs: when it is full, the page fails and not the browser
		"--no-startup-window",               // the gateway opens the pages
		"--no-first-run",                    // no welcome page
		"--no-default-browser-check",        // no question
		"--password-store=basic",            // there is no keyring
		"--use-mock-keychain",               // the same on other systems
		"--disable-gpu",                     // there is none in a box
		"--mute-audio",                      // there is no sound card
		"--disable-back-forward-cache",      // CDP clients fail on history navigation with it: 4 tests failed
		"--disable-hang-monitor",            // no dialog about slow pages, which nobody would see
		"--allow-pre-commit-input",          // accept input before a document's first frame: 12 of 60 clicks were lost without it
		"--disable-prompt-on-repost",        // reload without a question
		"--disable-session-crashed-bubble",  // no bubble over the page after a restart
		"--hide-crash-restore-bubble",       // the same
		"--disable-search-engine-choice-screen",
		"--force-color-profile=srgb", // the same colors in screenshots on every machine

		"--proxy-server=http://" + proxy,                            // the guest's forwarder to the gateway
		"--proxy-bypass-list=<-loopback>",                           // use the proxy for loopback and link-local addresses too
		"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1", // never resolve a name
		"--webrtc-ip-handling-policy=disable_non_proxied_udp",       // the name since Chromium 156
		"--force-webrtc-ip-handling-policy",                         // the name before
		"--disable-quic",                                            // UDP does not go through the proxy

		"--disable-background-networking", // this and the next seven: no requests that no page made
		"--disable-component-update",
		"--disable-domain-reliability",
		"--disable-sync",
		"--no-pings",
		"--disable-client-side-phishing-detection",
		"--metrics-recording-only",
		"--disable-default-apps",
		"--disable-extensions",
		"--disable-breakpad", // no crash reports; see Config.makeDirs for the dumps it writes nevertheless
		"--disable-features=" + strings.Join(disabledFeatures, ","),

		fmt.Sprintf("--window-size=%d,%d", c.Width, c.Height), // the whole display
		"--window-position=0,0",                               // there is no window manager
	}
	if c.DPI != 96 {
		flags = append(flags, fmt.Sprintf("--force-device-scale-factor=%.4g", float64(c.DPI)/96)) // a CSS pixel is 1/96 inch
	}
	if c.Profile {
		// Keep session cookies too, because sites use them for sign-in. The list
		// of open tabs is not part of the saved profile.
		flags = append(flags, "--restore-last-session")
	}
	if c.Headless {
		flags = append(flags, "--headless") // the new headless mode
	} else {
		flags = append(flags, "--ozone-platform=x11") // for Xvfb; do not guess
	}
	return flags
}
