package cdpproxy

import (
	_ "embed"
	"path"
	"regexp"
	"strings"
)

// refusal is the reason why a call is not passed on.
type refusal string

func (r refusal) Error() string { return string(r) }

// wants says what an answer must be inspected for.
type wants int

const (
	nothing    wants = iota
	targets          // a list of targets; those of others are removed
	contexts         // a list of contexts; those of others are removed
	newContext       // a new context of the client
	oldContext       // a context that the client disposed of
	stream           // the handle of a stream that the client may read
)

// judgement says how a call is passed on.
type judgement struct {
	params  params // nil: unchanged
	target  string // must belong to a context that the client may use
	session string // must be one of the client's
	context string // that is disposed of
	wants   wants
	noted   string // what was changed, for the audit trail
}

// sessionView is the information about the session and the client that rules
// need.
type sessionView interface {
	home() string               // the session's own context
	holds(context string) bool  // the client may use the context: the session's own or one that it made
	made(context string) bool   // the client made the context
	reads(stream string) bool   // the client may read the stream
	judge(address string) error // a document may be loaded from there
	uploads() string            // folder in the box of files that pages may get; empty: none
	world() string              // the engine's own script world
	downloads() map[string]any  // the parameters of Browser.setDownloadBehavior
	full() bool                 // the client has maxContexts
	spread() bool               // the client has maxBrowserSessions
	keeps(session string) bool  // the engine answers an open dialog there
}

// Rule is the filter's rule for one method, or one domain ("Name.*").
type Rule struct {
	Method string
	Why    string // why it is refused, or what must hold; empty if it is only adapted
	judge  func(h sessionView, c *call, p params) (judgement, error)
	closed bool // always refused
}

// judge decides whether a call is passed on, changed or refused (the error is a
// refusal). It depends only on the call and the sessionView.
func judge(h sessionView, c *call) (judgement, error) {
	if rule, known := rules[c.method]; known {
		if rule.closed {
			return judgement{}, refusal(rule.Why)
		}
		p, err := c.decode()
		if err != nil {
			return judgement{}, err
		}
		return rule.judge(h, c, p)
	}
	if _, passed := open[c.method]; passed {
		return judgement{}, nil
	}
	return judgement{}, refusal("it is not among the methods that stay within a session")
}

// openList has the methods that are passed on unchanged: those of Chromium 156
// that act on the pages of a session. Each line is a domain and its methods.
// Methods of a newer browser are refused until they have been reviewed.
//
//go:embed open.txt
var openList string

var open = func() map[string]struct{} {
	methods := map[string]struct{}{}
	for line := range strings.Lines(openList) {
		words := strings.Fields(line)
		for _, name := range words[1:] {
			methods[words[0]+"."+name] = struct{}{}
		}
	}
	return methods
}()

// address matches what the browser may load. The prefix makes the scheme
// unambiguous (URL standard, 4.4).
var address = regexp.MustCompile(`^(?i:https?)://[^\x00-\x20\\/]`)

// document refuses addresses that are not web documents, and those that the
// session may not open.
func document(h sessionView, url string) error {
	if url == "" || url == "about:blank" {
		return nil
	}
	if !address.MatchString(url) {
		return refusal("only http, https and about:blank may be opened")
	}
	if err := h.judge(url); err != nil {
		return refusal("the session may not open that address")
	}
	return nil
}

func opensDocument(h sessionView, _ *call, p params) (judgement, error) {
	url, err := read[string](p, "url")
	if err != nil {
		return judgement{}, err
	}
	return judgement{}, document(h, url)
}

func pass(sessionView, *call, params) (judgement, error) { return judgement{}, nil }

// inContext replaces an absent context by the session's own, and refuses contexts
// of others.
func inContext(h sessionView, c *call, p params) (judgement, error) {
	context, err := read[string](p, "browserContextId")
	switch {
	case err != nil:
		return judgement{}, err
	case context == "" && c.root:
		p.set("browserContextId", h.home())
		return judgement{params: p}, nil
	case context != "" && !h.holds(context):
		return judgement{}, refusal("the context is not one of this client")
	}
	return judgement{}, nil
}

func attachToBrowser(h sessionView, _ *call, _ params) (judgement, error) {
	if h.spread() {
		return judgement{}, refusal("the client has as many browser sessions as it may")
	}
	return judgement{}, nil
}

func onTarget(_ sessionView, _ *call, p params) (judgement, error) {
	id, err := read[string](p, "targetId")
	return judgement{target: id}, err
}

func createTarget(h sessionView, c *call, p params) (judgement, error) {
	if _, err := opensDocument(h, c, p); err != nil {
		return judgement{}, err
	}
	hidden, err := read[bool](p, "hidden")
	if err != nil {
		return judgement{}, err
	}
	if hidden {
		return judgement{}, refusal("hidden targets cannot be watched")
	}
	return inContext(h, &call{method: c.method, root: true}, p) // the browser makes it, whichever session the call is in
}

func createContext(h sessionView, _ *call, p params) (judgement, error) {
	if h.full() {
		return judgement{}, refusal("the client has as many contexts as it may")
	}
	for _, name := range []string{"proxyServer", "proxyBypassList", "originsWithUniversalNetworkAccess"} {
		if _, given := p[name]; given {
			return judgement{}, refusal(name + ": the egress proxy is the one way out")
		}
	}
	p.set("disposeOnDetach", true) // the context ends with its client
	return judgement{params: p, wants: newContext}, nil
}

func disposeContext(h sessionView, _ *call, p params) (judgement, error) {
	context, err := read[string](p, "browserContextId")
	if err != nil {
		return judgement{}, err
	}
	if !h.made(context) {
		return judgement{}, refusal("only a context that this client made may be disposed of")
	}
	return judgement{wants: oldContext, context: context}, nil
}

// flat refuses sessions whose messages are nested in others.
func flat(_ sessionView, _ *call, p params) (judgement, error) {
	on, err := read[bool](p, "autoAttach")
	if err != nil {
		return judgement{}, err
	}
	flatten, err := read[bool](p, "flatten")
	if err != nil {
		return judgement{}, err
	}
	if on && !flatten {
		return judgement{}, refusal("flatten must be true: nested messages are not carried")
	}
	return judgement{}, nil
}

func attachToTarget(h sessionView, c *call, p params) (judgement, error) {
	flatten, err := read[bool](p, "flatten")
	if err != nil {
		return judgement{}, err
	}
	if !flatten {
		return judgement{}, refusal("flatten must be true: nested messages are not carried")
	}
	return onTarget(h, c, p)
}

func detach(_ sessionView, _ *call, p params) (judgement, error) {
	session, err := read[string](p, "sessionId")
	if err != nil {
		return judgement{}, err
	}
	if session == "" {
		return judgement{}, refusal("sessionId must be given")
	}
	return judgement{session: session}, nil
}

// setDownloads keeps the session's download behaviour, and turns events on for
// the client.
func setDownloads(h sessionView, c *call, p params) (judgement, error) {
	behavior, err := read[string](p, "behavior")
	if err != nil {
		return judgement{}, err
	}
	j, err := inContext(h, &call{method: c.method, root: true}, p)
	if err != nil {
		return j, err
	}
	ours := h.downloads()
	for _, name := range []string{"behavior", "downloadPath"} {
		delete(p, name)
		if value, given := ours[name]; given {
			p.set(name, value)
		}
	}
	j.params = p
	if ours["behavior"] != behavior {
		j.noted = "downloads stay as the session has them"
	}
	return j, nil
}

// uploadsOnly refuses files outside of the upload folder.
func uploadsOnly(h sessionView, files []string) error {
	folder := h.uploads() + "/"
	for _, file := range files {
		if folder == "/" || !strings.HasPrefix(file, folder) || path.Clean(file) != file || strings.ContainsRune(file, 0) {
			return refusal("only files that were uploaded to the session may be given to a page")
		}
	}
	return nil
}

func setFiles(h sessionView, _ *call, p params) (judgement, error) {
	files, err := read[[]string](p, "files")
	if err != nil {
		return judgement{}, err
	}
	return judgement{}, uploadsOnly(h, files)
}

func dragFiles(h sessionView, _ *call, p params) (judgement, error) {
	data, err := read[struct {
		Files []string `json:"files"`
	}](p, "data")
	if err != nil {
		return judgement{}, err
	}
	return judgement{}, uploadsOnly(h, data.Files)
}

// notOurWorld refuses to run a client's scripts in the script world of the
// engine, which judges elements there.
func notOurWorld(name string) func(sessionView, *call, params) (judgement, error) {
	return func(h sessionView, _ *call, p params) (judgement, error) {
		world, err := read[string](p, name)
		if err == nil && world == h.world() {
			err = refusal("that script world is the page engine's")
		}
		return judgement{}, err
	}
}

func continueRequest(h sessionView, _ *call, p params) (judgement, error) {
	url, err := read[string](p, "url")
	if err != nil || url == "" {
		return judgement{}, err
	}
	return judgement{}, document(h, url)
}

func answerDialog(h sessionView, c *call, _ params) (judgement, error) {
	if h.keeps(c.session) {
		return judgement{}, refusal("the dialog opened under a call over the API, whose caller answers it")
	}
	return judgement{}, nil
}

func noPrerendering(_ sessionView, _ *call, p params) (judgement, error) {
	allowed, err := read[bool](p, "isAllowed")
	if err == nil && allowed {
		err = refusal("pages that nobody sees may not be rendered ahead")
	}
	return judgement{}, err
}

func trace(_ sessionView, _ *call, p params) (judgement, error) {
	if _, given := p["perfettoConfig"]; given {
		return judgement{}, refusal("perfettoConfig may name a file to write to")
	}
	backend, err := read[string](p, "tracingBackend")
	if err == nil && backend != "" && backend != "chrome" && backend != "auto" {
		err = refusal("only the browser itself may be traced")
	}
	return judgement{}, err
}

func printPDF(_ sessionView, _ *call, p params) (judgement, error) {
	mode, err := read[string](p, "transferMode")
	if err != nil || mode != "ReturnAsStream" {
		return judgement{}, err
	}
	return judgement{wants: stream}, nil
}

func readStream(h sessionView, _ *call, p params) (judgement, error) {
	handle, err := read[string](p, "handle")
	if err == nil && !h.reads(handle) {
		err = refusal("only streams of what this client printed or traced may be read")
	}
	return judgement{}, err
}
