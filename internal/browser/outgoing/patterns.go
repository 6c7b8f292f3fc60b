// Package outgoing handles the requests of a browser that may change something outside of
// it: which of them are paused before they leave, which acts may have caused them, what they
// send, and their results.
package outgoing

import (
	"slices"
	"strings"
)

// pausedTypes are the resource types of the browser's protocol (Network.ResourceType) with
// which pages, frames and workers send data or request documents. All such requests are
// paused, because the protocol cannot select by method.
var pausedTypes = []string{"Document", "XHR", "Fetch", "Ping", "EventSource", "CSPViolationReport", "Other"}

// harmfulParts are parts of addresses that name a change. A request of any type whose
// address has one is paused and judged by its words, because a request for an image can sign
// people out too. The first letter is left out, so that it may be a capital; each part is
// also matched in capitals.
var harmfulParts = []string{
	"elete", "emove", "estroy", "rase", "urge", "evoke", "eactivate", "isable", "erminate", "ancel", "nsubscribe", "ptout", "opt-out", "opt_out",
	"ogout", "ogoff", "og-out", "og_out", "ignout", "ign-out", "ign_out", "ignOut", "ogOut",
	"ransfer", "ayment", "heckout", "urchase", "/pay", "/buy", "ithdraw", "rder/", "efund", "onate", "charge",
	"/send", "send_", "sendM", "ublish", "hare", "nvite", "/vote", "pprove", "rant", "assword", "asswd", "eset", "mpersonate", "uthorize",
	"hutdown", "eboot", "estart", "/ban", "/kick", "/block", "/clear", "/empty", "/wipe", "/kill", "/stop", "/drop", "/trash", "/flush", "/rm", "/del", "ninstall",
	"oeschen", "ntfernen", "bmelden", "upprimer", "liminar", "orrar", "xcluir", "limina", "erwijder",
	"utation", "_method=", "action=", "cmd=", "=del", "=rm", "ethod=",
}

// encodedLetters are parts of addresses with percent-encoded letters, in which patterns
// cannot match words.
var encodedLetters = []string{"%4", "%5", "%6", "%7", "%C3", "%c3", "%D0", "%d0", "%D1", "%d1"}

// Patterns returns the requests that the browser is to pause (CDP Fetch.RequestPattern),
// for its root session. Every request to one of the origins is paused, to add headers to it.
// all pauses every request.
func Patterns(origins []string, all bool) []map[string]string {
	if all {
		return []map[string]string{{"urlPattern": "*", "requestStage": "Request"}}
	}
	var patterns []map[string]string
	for _, kind := range pausedTypes {
		patterns = append(patterns, map[string]string{"urlPattern": "*", "resourceType": kind, "requestStage": "Request"})
	}
	for _, origin := range origins {
		patterns = append(patterns, map[string]string{"urlPattern": origin + "/*", "requestStage": "Request"})
	}
	for _, part := range addressParts() {
		patterns = append(patterns, map[string]string{"urlPattern": "*" + part + "*", "requestStage": "Request"})
	}
	return patterns
}

// addressParts returns the parts of addresses for which requests of any type are paused.
func addressParts() []string {
	all := slices.Concat(harmfulParts, encodedLetters)
	for _, part := range harmfulParts {
		if upper := strings.ToUpper(part); upper != part {
			all = append(all, upper)
		}
	}
	return all
}
