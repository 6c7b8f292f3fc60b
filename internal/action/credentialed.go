package action

import "strings"

// WithheldFrom reports whether a role may not use a verb in a session that contains
// credentials, whatever rules grant: verbs that give unmediated access to a page,
// the network log as a file, and the replay are for operators only; the live
// picture is for people. v is the row by which a call is judged; see As.
func (v *Verb) WithheldFrom(role Role) bool {
	switch {
	case role == Operator:
		return false
	case v.Name == VerbDesktopWatch.Name:
		return role != Viewer
	}
	return v.Class == Raw || v.Name == VerbPageHAR.Name || v.Name == VerbSessionReplay.Name
}

// WithheldRule is the rule by which such a call is refused.
const WithheldRule = "session.credentialed"

// WithheldWhy says why, in one sentence without a full stop.
const WithheldWhy = "credentials were put into this session, and it could read them"

// Instead says what an agent may use in place of a withheld verb.
func (v *Verb) Instead() string {
	family, _, _ := strings.Cut(v.Name, ".")
	switch family {
	case "cookie", "profile":
		return "leave cookies and profiles to the people who run the gateway: the session is signed in already"
	}
	if words, known := instead[v.Name]; known {
		return words
	}
	return "use the page verbs: page.snapshot, page.click and the like"
}

var instead = map[string]string{
	VerbPageExecute.Name:   "use the page verbs: page.snapshot and page.find read, page.click and page.type act",
	VerbPageContent.Name:   "read the page with page.snapshot, page.markdown or page.extract",
	VerbPageHAR.Name:       "list requests with page.network",
	VerbPageNetwork.Name:   "list requests without headers",
	VerbSessionReplay.Name: "ask an operator, who can export the replay",
	VerbDesktopWatch.Name:  "look with page.snapshot and page.screenshot; people can watch",
	VerbCDPAttach.Name:     "use the page verbs; a client of the protocol can be attached in a session without credentials",
}
