package egress

import (
	"net/http"
	"strings"
)

// backgroundHosts are hosts that Chromium contacts without a page: accounts,
// updates, safe browsing, models, variations, push. A refused request to them is
// not reported as a page's and never becomes a question to a person. Source: the
// traffic annotations in Chromium's source (tools/traffic_annotation), and what
// it still requests with background networking switched off.
var backgroundHosts = map[string]bool{
	"accounts.google.com":                     true, // sign-in state
	"android.clients.google.com":              true, // push registration
	"clients1.google.com":                     true,
	"clients2.google.com":                     true, // extension updates
	"clients2.googleusercontent.com":          true,
	"clients3.google.com":                     true,
	"clients4.google.com":                     true, // sync, variations
	"clients5.google.com":                     true,
	"clients6.google.com":                     true,
	"clientservices.googleapis.com":           true, // variations
	"connectivitycheck.gstatic.com":           true, // captive portals, after a certificate that Chromium rejects
	"content-autofill.googleapis.com":         true,
	"dl.google.com":                           true, // components
	"edgedl.me.gvt1.com":                      true,
	"mtalk.google.com":                        true, // push
	"optimizationguide-pa.googleapis.com":     true, // models
	"passwordsleakcheck-pa.googleapis.com":    true,
	"redirector.gvt1.com":                     true,
	"safebrowsing.google.com":                 true,
	"safebrowsing.googleapis.com":             true,
	"safebrowsingohttpgateway.googleapis.com": true,
	"sb-ssl.google.com":                       true,
	"translate-pa.googleapis.com":             true,
	"update.googleapis.com":                   true, // components
}

// isBackground reports whether a request comes from the browser itself. HEAD
// requests to hosts without a dot are its probe for networks that answer every
// name.
func isBackground(host, method string) bool {
	if backgroundHosts[host] {
		return true
	}
	return method == http.MethodHead && host != "" && !strings.Contains(host, ".") && host != "localhost"
}
