// Package outgoing knows the requests of a browser that may change something
// outside of it: which of them are held before they leave, which acts may have
// caused them, what they send, and what became of them.
package outgoing

import (
	"slices"
	"strings"
)

// held are the resource types of the browser's protocol (Network.ResourceType)
// by which pages, frames and workers send data, or ask for documents. All of
// them are paused: the protocol cannot choose by method.
var held = []string{"Document", "XHR", "Fetch", "Ping", "EventSource", "CSPViolationReport", "Other"}

// acting are parts of addresses that name what changes something. A request of
// any type whose address has one is paused and judged by its words: an image
// whose address signs people out does so too. The first letter is left out, so
// that it may be a capital; each is also paused in capitals.
var acting = []string{
	"elete", "emove", "estroy", "rase", "urge", "evoke", "eactivate", "isable", "erminate", "ancel", "nsubscribe", "ptout", "opt-out", "opt_out",
	"ogout", "ogoff", "og-out", "og_out", "ignout", "ign-out", "ign_out", "ignOut", "ogOut",
	"ransfer", "ayment", "heckout", "urchase", "/pay", "/buy", "ithdraw", "rder/", "efund", "onate", "charge",
	"/send", "send_", "sendM", "ublish", "hare", "nvite", "/vote", "pprove", "rant", "assword", "asswd", "eset", "mpersonate", "uthorize",
	"hutdown", "eboot", "estart", "/ban", "/kick", "/block", "/clear", "/empty", "/wipe", "/kill", "/stop", "/drop", "/trash", "/flush", "/rm", "/del", "ninstall",
	"oeschen", "ntfernen", "bmelden", "upprimer", "liminar", "orrar", "xcluir", "limina", "erwijder",
	"utation", "_method=", "action=", "cmd=", "=del", "=rm", "ethod=",
}

// spelledOut are parts of addresses in which letters are written by their
// numbers: what they say is not to be seen by a pattern.
var spelledOut = []string{"%4", "%5", "%6", "%7", "%C3", "%c3", "%D0", "%d0", "%D1", "%d1"}

// Patterns are the requests that the browser is told to pause (CDP
// Fetch.RequestPattern), for its root session. origins are those of which every
// request is needed, for headers that are added to it. all pauses every request.
func Patterns(origins []string, all bool) []map[string]string {
	if all {
		return []map[string]string{{"urlPattern": "*", "requestStage": "Request"}}
	}
	var patterns []map[string]string
	for _, kind := range held {
		patterns = append(patterns, map[string]string{"urlPattern": "*", "resourceType": kind, "requestStage": "Request"})
	}
	for _, origin := range origins {
		patterns = append(patterns, map[string]string{"urlPattern": origin + "/*", "requestStage": "Request"})
	}
	for _, part := range namesActing() {
		patterns = append(patterns, map[string]string{"urlPattern": "*" + part + "*", "requestStage": "Request"})
	}
	return patterns
}

// namesActing are the parts of addresses by which requests of any type are paused.
func namesActing() []string {
	all := slices.Concat(acting, spelledOut)
	for _, part := range acting {
		if upper := strings.ToUpper(part); upper != part {
			all = append(all, upper)
		}
	}
	return all
}
