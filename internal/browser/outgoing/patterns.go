// Package outgoing knows the requests of a browser that may change something
// outside of it: which of them are held before they leave, which acts may have
// caused them, what they send, and what became of them.
package outgoing

// held are the resource types of the browser's protocol (Network.ResourceType)
// by which pages, frames and workers send data, or ask for documents. All of
// them are paused: the protocol cannot choose by method.
var held = []string{"Document", "XHR", "Fetch", "Ping", "EventSource", "CSPViolationReport", "Other"}

// acting are parts of addresses that name what changes something. A request of
// any type whose address has one is paused and judged by its words: an image
// whose address signs people out does so too. The first letter is left out, so
// that it may be a capital.
var acting = []string{
	"elete", "emove", "estroy", "rase", "urge", "evoke", "eactivate", "isable", "erminate", "ancel", "nsubscribe", "ptout", "opt-out", "opt_out",
	"ogout", "ogoff", "og-out", "og_out", "ignout", "ign-out", "ign_out",
	"ransfer", "ayment", "heckout", "urchase", "/pay", "/buy", "ithdraw", "rder/",
	"/send", "send_", "sendM", "ublish", "hare", "nvite", "/vote", "pprove", "rant", "assword", "eset",
	"hutdown", "eboot", "estart", "/ban", "/kick", "/block", "/clear", "/empty", "/wipe", "/kill", "/stop", "/drop", "/trash",
	"DELETE", "REMOVE", "LOGOUT", "TRANSFER", "PAYMENT", "CHECKOUT", "SEND",
	"oeschen", "%C3%B6schen", "ntfernen", "bmelden", "upprimer", "liminar", "orrar", "xcluir", "limina", "erwijder",
}

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
	for _, part := range acting {
		patterns = append(patterns, map[string]string{"urlPattern": "*" + part + "*", "requestStage": "Request"})
	}
	return patterns
}
