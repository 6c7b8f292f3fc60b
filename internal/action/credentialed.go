package action

import "strings"

// WithheldFrom reports whether a role may not use a verb in a session that contains
// credentials, whatever rules grant: verbs that give unmediated access to a page,
// the network log as a file, and the replay are for operators only; the live
// picture is for people, as are the clipboard and input that goes to the display
// itself. v is the row by which a call is judged; see As.
func (v *Verb) WithheldFrom(role Role) bool {
	switch {
	case role == Operator:
		return false
	case desktopPictures[v.Name]:
		return role != Viewer
	case desktopOpen[v.Name]:
		return false
	case strings.HasPrefix(v.Name, "desktop."):
		return true
	}
	return v.Class == Raw || v.Name == VerbPageHAR.Name || v.Name == VerbSessionReplay.Name
}

// desktopPictures show the display. desktopOpen are the verbs of the display that
// neither show nor change what a page holds.
var (
	desktopPictures = map[string]bool{VerbDesktopWatch.Name: true, VerbDesktopScreenshot.Name: true, VerbDesktopRegion.Name: true}
	desktopOpen     = map[string]bool{
		VerbDesktopPointer.Name: true, VerbDesktopDisplay.Name: true, VerbDesktopWindows.Name: true, VerbDesktopFocused.Name: true,
		VerbDesktopFocus.Name: true, VerbDesktopMove.Name: true, VerbDesktopResize.Name: true,
	}
)

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
	if family == "desktop" {
		return "use the page verbs: page.snapshot reads, page.click, page.type and page.press act"
	}
	return "use the page verbs: page.snapshot, page.click and the like"
}

var instead = map[string]string{
	VerbPageExecute.Name:       "use the page verbs: page.snapshot and page.find read, page.click and page.type act",
	VerbPageContent.Name:       "read the page with page.snapshot, page.markdown or page.extract",
	VerbPageHAR.Name:           "list requests with page.network",
	VerbPageNetwork.Name:       "list requests without headers",
	VerbSessionReplay.Name:     "ask an operator, who can export the replay",
	VerbDesktopWatch.Name:      "look with page.snapshot and page.screenshot; people can watch",
	VerbDesktopScreenshot.Name: "look with page.snapshot and page.screenshot",
	VerbDesktopRegion.Name:     "look with page.snapshot and page.screenshot",
	VerbDesktopClipboard.Name:  "read the page with page.snapshot or page.extract",
	VerbDesktopCopy.Name:       "type with page.type",
	VerbCDPAttach.Name:         "use the page verbs; a client of the protocol can be attached in a session without credentials",
}
