package action

import (
	"net/http"
	"reflect"
)

// Verb is a row of the table: one kind of call, and how each surface offers it.
type Verb struct {
	Name    string
	Class   Class
	Risk    Risk       // default, where the page's facts say nothing else
	Counts  bool       // counts against max_actions_per_session
	Inner   bool       // a step of a macro: no surface offers it, and the door takes it from none
	Target  bool       // acts on an element: its facts are looked at first
	NewArgs func() any // pointer to a zero value of its argument type
	NewData func() any // pointer to a zero value of its result type; nil when it has none
	Method  string     // REST
	Path    string     // REST; below /v1
	Status  int        // REST; of success, 200 when 0
	Body    int64      // REST; most bytes of a request's body, where it is more than of others
	Tool    string     // MCP tool; empty when there is none
	Command string     // command line; empty when there is none
	Summary string     // one line, for every generated reference
}

func of[T any]() any { return new(T) }

const filesBody = MostUpload/3*4 + 1<<20 // bytes: base64 and what is around it

// Verbs is the table, in the order references show it.
var Verbs = []Verb{
	{Name: "session.start", Class: Write, Risk: Low, NewArgs: of[SessionStart], NewData: of[Session], Method: http.MethodPost, Path: "/sessions", Tool: "browser_session", Command: "session start", Summary: "Start a session: one browser in a box of its own"},
	{Name: "session.list", Class: Read, Risk: Low, NewArgs: of[SessionList], NewData: of[SessionListing], Method: http.MethodGet, Path: "/sessions", Tool: "browser_session", Command: "session list", Summary: "List the scope's sessions, newest first"},
	{Name: "session.show", Class: Read, Risk: Low, NewArgs: of[None], NewData: of[Session], Method: http.MethodGet, Path: "/sessions/{session}", Command: "session show", Summary: "Show a session"},
	{Name: "session.close", Class: Write, Risk: Low, NewArgs: of[None], NewData: of[Session], Method: http.MethodPost, Path: "/sessions/{session}/close", Tool: "browser_close", Command: "session close", Summary: "Close a session: ends its box, keeps its record and artifacts"},
	{Name: "session.archive", Class: Write, Risk: Low, NewArgs: of[None], NewData: of[Session], Method: http.MethodPost, Path: "/sessions/{session}/archive", Command: "session archive", Summary: "Archive a session: closes it first if open, and hides it"},
	{Name: "session.pause", Class: Admin, Risk: Low, NewArgs: of[Hands], NewData: of[Session], Method: http.MethodPost, Path: "/sessions/{session}/pause", Command: "session pause", Summary: "Pause a session: its agents wait until a person resumes it"},
	{Name: "session.resume", Class: Admin, Risk: Low, NewArgs: of[HandBack], NewData: of[Session], Method: http.MethodPost, Path: "/sessions/{session}/resume", Command: "session resume", Summary: "Resume a paused session, with a note for its agent"},
	{Name: "session.take", Class: Admin, Risk: Low, NewArgs: of[Hands], NewData: of[Session], Method: http.MethodPost, Path: "/sessions/{session}/take", Command: "session take", Summary: "Take a session over: you act in it, its agents wait"},
	{Name: "session.hand_back", Class: Admin, Risk: Low, NewArgs: of[HandBack], NewData: of[Session], Method: http.MethodPost, Path: "/sessions/{session}/hand-back", Command: "session hand-back", Summary: "Hand a session back to its agents, which are told what changed"},
	{Name: "session.allow", Class: Admin, Risk: Low, NewArgs: of[AllowHost], NewData: of[Session], Method: http.MethodPost, Path: "/sessions/{session}/allow", Command: "session allow", Summary: "Add a host to what a session may reach, for as long as it lives"},
	{Name: "session.request_human", Class: Write, Risk: Low, NewArgs: of[HumanRequest], NewData: of[HumanRequested], Method: http.MethodPost, Path: "/sessions/{session}/request-human", Tool: "browser_request_human", Summary: "Ask for a person: pauses the session and waits until one hands it back"},

	{Name: "browser.start", Class: Write, Risk: Low, NewArgs: of[BrowserStart], NewData: of[BrowserStatus], Method: http.MethodPost, Path: "/browser/start", Command: "browser start", Summary: "Start a browser, where none is open yet"},
	{Name: "browser.stop", Class: Write, Risk: Low, NewArgs: of[None], NewData: of[BrowserStatus], Method: http.MethodPost, Path: "/browser/stop", Command: "browser stop", Summary: "Stop the browser: closes its session"},
	{Name: "browser.status", Class: Read, Risk: Low, NewArgs: of[None], NewData: of[BrowserStatus], Method: http.MethodGet, Path: "/browser/status", Command: "browser status", Summary: "Say how the browser is"},
	{Name: "profile.list", Class: Raw, Risk: High, NewArgs: of[None], NewData: of[ProfileListing], Method: http.MethodGet, Path: "/browser/contexts", Command: "profile list", Summary: "List the scope's profiles: saved user data of browsers"},
	{Name: "profile.create", Class: Raw, Risk: High, NewArgs: of[ProfileCreate], NewData: of[Profile], Method: http.MethodPost, Path: "/browser/contexts", Status: http.StatusCreated, Command: "profile create", Summary: "Create an empty profile, for sessions to use"},
	{Name: "profile.delete", Class: Raw, Risk: High, NewArgs: of[ByID], NewData: of[ProfileDeleted], Method: http.MethodDelete, Path: "/browser/contexts/{id}", Command: "profile delete", Summary: "Delete a profile, by id or name, and all that was saved in it"},
	{Name: "profile.export", Class: Admin, Risk: High, NewArgs: of[ByID], NewData: of[StorageState], Method: http.MethodGet, Path: "/browser/contexts/{id}/state", Command: "profile export", Summary: "Export what a profile is signed in with, in Playwright's storage state format"},
	{Name: "profile.import", Class: Admin, Risk: High, NewArgs: of[ProfileImport], NewData: of[ProfileImported], Method: http.MethodPost, Path: "/browser/contexts/{id}/state", Body: MostStateFile/3*4 + 1<<20, Command: "profile import", Summary: "Import a login into a profile, from Playwright's storage state or a browser's cookies"},

	{Name: "page.goto", Class: Write, Risk: Low, Counts: true, NewArgs: of[Goto], NewData: of[Navigated], Method: http.MethodPost, Path: "/browser/navigate", Tool: "browser_navigate", Command: "goto", Summary: "Navigate to a URL"},
	{Name: "page.back", Class: Write, Risk: Low, Counts: true, NewArgs: of[None], NewData: of[Page], Method: http.MethodPost, Path: "/browser/back", Tool: "browser_navigate_back", Command: "back", Summary: "Go back in the history"},
	{Name: "page.forward", Class: Write, Risk: Low, Counts: true, NewArgs: of[None], NewData: of[Page], Method: http.MethodPost, Path: "/browser/forward", Command: "forward", Summary: "Go forward in the history"},
	{Name: "page.reload", Class: Write, Risk: Low, Counts: true, NewArgs: of[Reload], NewData: of[Page], Method: http.MethodPost, Path: "/browser/reload", Command: "reload", Summary: "Reload the page"},
	{Name: "page.click", Class: Write, Risk: Medium, Counts: true, Target: true, NewArgs: of[Click], NewData: of[Acted], Method: http.MethodPost, Path: "/browser/click", Tool: "browser_click", Command: "click", Summary: "Click an element"},
	{Name: "page.type", Class: Write, Risk: Medium, Counts: true, Target: true, NewArgs: of[Type], NewData: of[Acted], Method: http.MethodPost, Path: "/browser/type", Tool: "browser_type", Command: "type", Summary: "Type text into an element"},
	{Name: "page.press", Class: Write, Risk: Medium, Counts: true, Target: true, NewArgs: of[Press], NewData: of[Acted], Method: http.MethodPost, Path: "/browser/press", Tool: "browser_press_key", Command: "press", Summary: "Press a key or a combination of keys"},
	{Name: "page.select", Class: Write, Risk: Medium, Counts: true, Target: true, NewArgs: of[Select], NewData: of[Acted], Method: http.MethodPost, Path: "/browser/select", Tool: "browser_select_option", Command: "select", Summary: "Select options by value or label"},
	{Name: "page.hover", Class: Write, Risk: Low, Counts: true, Target: true, NewArgs: of[Hover], NewData: of[Acted], Method: http.MethodPost, Path: "/browser/hover", Tool: "browser_hover", Command: "hover", Summary: "Move the pointer over an element"},
	{Name: "page.drag", Class: Write, Risk: Medium, Counts: true, Target: true, NewArgs: of[Drag], NewData: of[Acted], Method: http.MethodPost, Path: "/browser/drag", Tool: "browser_drag", Command: "drag", Summary: "Drag an element onto another"},
	{Name: "page.upload", Class: Write, Risk: Medium, Counts: true, Target: true, NewArgs: of[Upload], NewData: of[Uploaded], Method: http.MethodPost, Path: "/browser/upload", Body: filesBody, Tool: "browser_file_upload", Command: "upload", Summary: "Give files to a file input, or to the file chooser an element opens"},
	{Name: "page.fill_secret", Class: Write, Risk: High, Counts: true, Target: true, NewArgs: of[FillSecret], NewData: of[Filled], Method: http.MethodPost, Path: "/browser/fill-secret", Tool: "browser_fill_secret", Command: "fill-secret", Summary: "Have a secret of the site's credentials typed into its field, by name"},
	{Name: "page.scroll", Class: Write, Risk: Low, Counts: true, NewArgs: of[Scroll], NewData: of[Scrolled], Method: http.MethodPost, Path: "/browser/scroll", Tool: "browser_scroll", Command: "scroll", Summary: "Scroll the page or an element"},
	{Name: "page.resize", Class: Write, Risk: Low, Counts: true, NewArgs: of[Resize], NewData: of[Resized], Method: http.MethodPost, Path: "/browser/resize", Tool: "browser_resize", Command: "resize", Summary: "Resize the viewport"},
	{Name: "page.batch", Class: Write, Risk: Low, NewArgs: of[Batch], NewData: of[Batched], Method: http.MethodPost, Path: "/browser/batch", Body: filesBody, Tool: "browser_batch", Command: "batch", Summary: "Make several calls in one request: checked whole, each judged alone, up to the first that fails or waits"},
	{Name: "page.dialog", Class: Write, Risk: Medium, Counts: true, NewArgs: of[AnswerDialog], NewData: of[Acted], Method: http.MethodPost, Path: "/browser/dialog", Tool: "browser_handle_dialog", Command: "dialog", Summary: "Answer an open JavaScript dialog"},
	{Name: "page.wait_for", Class: Read, Risk: Low, NewArgs: of[WaitFor], NewData: of[Waited], Method: http.MethodPost, Path: "/browser/wait", Tool: "browser_wait_for", Command: "wait", Summary: "Wait for an element, a text, a URL or a quiet network"},
	{Name: "page.extract", Class: Read, Risk: Low, NewArgs: of[Extract], NewData: of[Extracted], Method: http.MethodGet, Path: "/browser/extract", Tool: "browser_read", Command: "extract", Summary: "Extract the page's text or title"},
	{Name: "page.snapshot", Class: Read, Risk: Low, NewArgs: of[TakeSnapshot], NewData: of[Snapshot], Method: http.MethodGet, Path: "/browser/snapshot", Tool: "browser_snapshot", Command: "snapshot", Summary: "Show the page as roles, names and references"},
	{Name: "page.find", Class: Read, Risk: Low, NewArgs: of[Find], NewData: of[Matches], Method: http.MethodGet, Path: "/browser/find", Tool: "browser_find", Command: "find", Summary: "Find text and elements on the page, with their references"},
	{Name: "page.screenshot", Class: Read, Risk: Low, NewArgs: of[TakeScreenshot], NewData: of[Screenshot], Method: http.MethodGet, Path: "/browser/screenshot", Tool: "browser_take_screenshot", Command: "screenshot", Summary: "Take a screenshot"},

	{Name: "cookie.list", Class: Raw, Risk: High, NewArgs: of[CookieList], NewData: of[CookieListing], Method: http.MethodGet, Path: "/browser/cookies", Command: "cookies list", Summary: "List the session's cookies with their values"},
	{Name: "cookie.set", Class: Raw, Risk: High, NewArgs: of[CookieSet], NewData: of[CookiesSet], Method: http.MethodPost, Path: "/browser/cookies", Command: "cookies set", Summary: "Set cookies for hosts the session may open"},
	{Name: "cookie.delete", Class: Raw, Risk: High, NewArgs: of[CookieDelete], NewData: of[CookiesDeleted], Method: http.MethodDelete, Path: "/browser/cookies", Command: "cookies delete", Summary: "Delete cookies, by name and domain or all of them"},
	{Name: "credential.capture", Class: Admin, Risk: High, NewArgs: of[Capture], NewData: of[Captured], Method: http.MethodPost, Path: "/browser/capture", Command: "vault capture", Summary: "Save what the session is logged in with as a domain's credentials"},
	{Name: "tab.list", Class: Read, Risk: Low, NewArgs: of[None], NewData: of[TabListing], Method: http.MethodGet, Path: "/browser/tabs", Tool: "browser_tabs", Command: "tabs list", Summary: "List the browser's tabs, in the order they were opened"},
	{Name: "tab.open", Class: Write, Risk: Low, Counts: true, NewArgs: of[OpenTab], NewData: of[Tab], Method: http.MethodPost, Path: "/browser/tabs", Status: http.StatusCreated, Tool: "browser_tabs", Command: "tabs open", Summary: "Open a tab, which becomes the active one"},
	{Name: "tab.activate", Class: Write, Risk: Low, Counts: true, NewArgs: of[ByID], NewData: of[Tab], Method: http.MethodPost, Path: "/browser/tabs/{id}/activate", Tool: "browser_tabs", Command: "tabs activate", Summary: "Make a tab the active one, which verbs act on"},
	{Name: "tab.close", Class: Write, Risk: Low, Counts: true, NewArgs: of[ByID], NewData: of[Closed], Method: http.MethodDelete, Path: "/browser/tabs/{id}", Tool: "browser_tabs", Command: "tabs close", Summary: "Close a tab; the last one leaves an empty one"},
	{Name: "download.list", Class: Read, Risk: Low, NewArgs: of[DownloadList], NewData: of[DownloadListing], Method: http.MethodGet, Path: "/browser/downloads", Tool: "browser_downloads", Command: "downloads list", Summary: "List what pages downloaded, oldest first"},
	{Name: "download.get", Class: Read, Risk: Low, NewArgs: of[ByID], NewData: of[File], Method: http.MethodGet, Path: "/browser/downloads/{id}", Tool: "browser_downloads", Command: "downloads get", Summary: "Fetch a downloaded file out of the box, and keep it as an artifact"},
	{Name: "download.read", Class: Read, Risk: Low, NewArgs: of[DownloadRead], NewData: of[DownloadText], Method: http.MethodGet, Path: "/browser/downloads/{id}/text", Tool: "browser_downloads", Command: "downloads read", Summary: "Read the text of a downloaded file, PDF documents too"},
	{Name: "download.cancel", Class: Write, Risk: Low, NewArgs: of[ByID], NewData: of[Closed], Method: http.MethodDelete, Path: "/browser/downloads/{id}", Command: "downloads cancel", Summary: "Cancel a download, or remove what came of it from the box"},
	{Name: "page.console", Class: Read, Risk: Low, NewArgs: of[ReadConsole], NewData: of[ConsoleListing], Method: http.MethodGet, Path: "/browser/console", Tool: "browser_console_messages", Command: "console", Summary: "Read what pages, frames and workers wrote to the console, and their uncaught errors"},
	{Name: "page.network", Class: Read, Risk: Low, NewArgs: of[ReadNetwork], NewData: of[NetworkListing], Method: http.MethodGet, Path: "/browser/network", Tool: "browser_network_requests", Command: "network", Summary: "List the requests of pages, frames and workers"},
	{Name: "page.har", Class: Read, Risk: Low, NewArgs: of[ExportHAR], NewData: of[HAR], Method: http.MethodGet, Path: "/browser/har", Command: "har", Summary: "Export the requests as an HTTP archive (HAR 1.2), without bodies"},

	{Name: "page.content", Class: Raw, Risk: High, NewArgs: of[Content], NewData: of[HTML], Method: http.MethodGet, Path: "/browser/content", Command: "content", Summary: "Read the page's HTML, or an element's"},
	{Name: "page.markdown", Class: Read, Risk: Low, NewArgs: of[Markdown], NewData: of[Marked], Method: http.MethodGet, Path: "/browser/markdown", Tool: "browser_markdown", Command: "markdown", Summary: "Read the page as markdown"},
	{Name: "page.links", Class: Read, Risk: Low, NewArgs: of[None], NewData: of[LinkListing], Method: http.MethodGet, Path: "/browser/links", Command: "links", Summary: "List where the page leads"},
	{Name: "page.scrape", Class: Read, Risk: Low, NewArgs: of[Scrape], NewData: of[Scraped], Method: http.MethodPost, Path: "/browser/scrape", Command: "scrape", Summary: "Read the text or an attribute of all that selectors match"},
	{Name: "page.execute", Class: Raw, Risk: High, NewArgs: of[Execute], NewData: of[Executed], Method: http.MethodPost, Path: "/browser/execute", Tool: "browser_evaluate", Command: "execute", Summary: "Run a script in the page"},
	{Name: "page.pdf", Class: Read, Risk: Low, NewArgs: of[PrintPDF], NewData: of[PDF], Method: http.MethodGet, Path: "/browser/pdf", Command: "pdf", Summary: "Print the page as PDF"},

	{Name: "cdp.attach", Class: Raw, Risk: Critical, NewArgs: of[None], NewData: of[CDPEndpoint], Method: http.MethodGet, Path: "/browser/cdp", Summary: "Attach a client of the browser's protocol, such as Playwright, over a WebSocket"},
	{Name: "page.crawl", Class: Write, Risk: Low, Counts: true, NewArgs: of[Crawl], NewData: of[Crawled], Method: http.MethodPost, Path: "/browser/crawl", Tool: "browser_crawl", Command: "crawl", Summary: "Read the pages that can be reached from one, breadth first, in tabs of their own"},
	{Name: "crawl.page", Class: Write, Risk: Low, Inner: true, NewArgs: of[CrawlPage], NewData: of[CrawlVisit], Summary: "Read one page of a crawl"},
	{Name: "crawl.file", Class: Write, Risk: Low, Inner: true, NewArgs: of[CrawlFile], NewData: of[CrawlFetched], Summary: "Fetch robots.txt or a sitemap for a crawl"},
	{Name: "crawl.end", Class: Write, Risk: Low, Inner: true, NewArgs: of[CrawlEnd], NewData: of[None], Summary: "End a crawl and close its tabs"},

	{Name: "run.start", Class: Write, Risk: Low, NewArgs: of[RunStart], NewData: of[Run], Method: http.MethodPost, Path: "/runs", Tool: "browser_run", Command: "run", Summary: "Run a batch of actions in a browser of its own, under a list of approved hosts"},
	{Name: "run.list", Class: Read, Risk: Low, NewArgs: of[RunList], NewData: of[RunListing], Method: http.MethodGet, Path: "/runs", Command: "runs list", Summary: "List the scope's runs, newest first"},
	{Name: "run.show", Class: Read, Risk: Low, NewArgs: of[RunShow], NewData: of[Run], Method: http.MethodGet, Path: "/runs/{id}", Tool: "browser_run", Command: "runs show", Summary: "Show a run and what it has done"},
	{Name: "run.cancel", Class: Write, Risk: Low, NewArgs: of[ByID], NewData: of[Run], Method: http.MethodPost, Path: "/runs/{id}/cancel", Command: "runs cancel", Summary: "Cancel a run; what it has done is kept"},
	{Name: "run.resume", Class: Admin, Risk: Low, NewArgs: of[RunResume], NewData: of[Run], Method: http.MethodPost, Path: "/runs/{id}/resume", Command: "runs resume", Summary: "Have a paused run go on, with a person's guidance"},
	{Name: "run.open", Class: Write, Risk: Low, Inner: true, NewArgs: of[RunOpen], NewData: of[Session], Summary: "Start the browser of a run"},
	{Name: "run.probe", Class: Read, Risk: Low, Inner: true, NewArgs: of[RunProbe], NewData: of[RunChecks], Summary: "Find out whether what a run needs is there"},
	{Name: "run.guide", Class: Write, Risk: High, Inner: true, NewArgs: of[RunGuide], NewData: of[None], Summary: "Ask people how a paused run shall go on"},
	{Name: "run.allow", Class: Write, Risk: High, Inner: true, NewArgs: of[RunAllow], NewData: of[Session], Summary: "Ask people for a host that a run may not open"},
	{Name: "run.end", Class: Write, Risk: Low, Inner: true, NewArgs: of[RunEnd], NewData: of[None], Summary: "End the browser of a run"},
	{Name: "capability.show", Class: Read, Risk: Low, NewArgs: of[None], NewData: of[Capability], Method: http.MethodGet, Path: "/capability", Summary: "Show the contract that runs keep, as data"},

	{Name: "artifact.list", Class: Read, Risk: Low, NewArgs: of[None], NewData: of[ArtifactListing], Method: http.MethodGet, Path: "/sessions/{session}/artifacts", Command: "artifacts", Summary: "List the files a session left"},
	{Name: "artifact.put", Class: Write, Risk: Low, NewArgs: of[NewFile], NewData: of[Artifact], Method: http.MethodPost, Path: "/sessions/{session}/artifacts", Status: http.StatusCreated, Body: filesBody, Summary: "Keep a file with an open session, to upload later"},
	{Name: "artifact.get", Class: Read, Risk: Low, NewArgs: of[ByID], NewData: of[File], Method: http.MethodGet, Path: "/artifacts/{id}", Summary: "Fetch a file a session left"},

	{Name: "approval.status", Class: Read, Risk: Low, NewArgs: of[ByID], NewData: of[Question], Method: http.MethodGet, Path: "/approvals/{id}/status", Tool: "browser_approval_status", Summary: "Say whether a question was answered"},
	{Name: "approval.list", Class: Admin, Risk: Low, NewArgs: of[ApprovalList], NewData: of[QuestionListing], Method: http.MethodGet, Path: "/approvals", Command: "approvals list", Summary: "List questions that wait for a person"},
	{Name: "approval.show", Class: Admin, Risk: Low, NewArgs: of[ByID], NewData: of[Question], Method: http.MethodGet, Path: "/approvals/{id}", Command: "approvals show", Summary: "Show a question"},
	{Name: "approval.answer", Class: Admin, Risk: Low, NewArgs: of[Answer], NewData: of[Question], Method: http.MethodPost, Path: "/approvals/{id}/answer", Command: "approvals approve", Summary: "Approve or deny a question"},

	{Name: "grant.list", Class: Admin, Risk: Low, NewArgs: of[None], NewData: of[GrantListing], Method: http.MethodGet, Path: "/sessions/{session}/grants", Command: "approvals grants", Summary: "List what people allowed for the rest of a session"},
	{Name: "grant.revoke", Class: Admin, Risk: Low, NewArgs: of[ByID], NewData: of[Revoked], Method: http.MethodDelete, Path: "/sessions/{session}/grants/{id}", Command: "approvals revoke", Summary: "Take back what was allowed for the rest of a session"},

	{Name: "events.follow", Class: Admin, Risk: Low, NewArgs: of[FollowEvents], NewData: of[EventPage], Method: http.MethodGet, Path: "/events", Command: "events", Summary: "Follow what happens: sessions, questions, answers, actions, alerts"},

	{Name: "policy.show", Class: Read, Risk: Low, NewArgs: of[None], NewData: of[PolicyView], Method: http.MethodGet, Path: "/policy", Command: "policy show", Summary: "Show the policy in force"},
	{Name: "policy.explain", Class: Admin, Risk: Low, NewArgs: of[PolicyQuery], NewData: of[PolicyExplanation], Method: http.MethodPost, Path: "/policy/explain", Command: "policy explain", Summary: "Say what would become of a call, and which rule would decide; nothing is done"},

	{Name: "audit.query", Class: Admin, Risk: Low, NewArgs: of[AuditQuery], NewData: of[AuditPage], Method: http.MethodGet, Path: "/audit", Command: "audit query", Summary: "Read the audit trail"},
	{Name: "audit.export", Class: Admin, Risk: Low, NewArgs: of[AuditExport], NewData: of[AuditFile], Method: http.MethodGet, Path: "/audit/export", Command: "audit export", Summary: "Export the audit trail as a file"},
	{Name: "audit.verify", Class: Admin, Risk: Low, NewArgs: of[None], NewData: of[AuditVerdict], Method: http.MethodGet, Path: "/audit/verify", Command: "audit verify", Summary: "Verify the audit trail's hash chain"},

	{Name: "token.create", Class: Admin, Risk: High, NewArgs: of[TokenCreate], NewData: of[TokenMade], Method: http.MethodPost, Path: "/tokens", Status: http.StatusCreated, Command: "token create", Summary: "Make a token to call with, which is shown once"},
	{Name: "token.list", Class: Admin, Risk: Low, NewArgs: of[TokenList], NewData: of[TokenListing], Method: http.MethodGet, Path: "/tokens", Command: "token list", Summary: "List the tokens that may call"},
	{Name: "token.revoke", Class: Admin, Risk: High, NewArgs: of[TokenRevoke], NewData: of[TokenRevoked], Method: http.MethodDelete, Path: "/tokens/{id}", Command: "token revoke", Summary: "Revoke a token, by id or name: at once, and for good"},
	{Name: "token.whoami", Class: Read, Risk: Low, NewArgs: of[None], NewData: of[Whoami], Method: http.MethodGet, Path: "/whoami", Command: "whoami", Summary: "Say who the caller is to the gateway"},

	{Name: "credential.check", Class: Admin, Risk: Low, NewArgs: of[CredentialQuery], NewData: of[CredentialCheck], Method: http.MethodPost, Path: "/credentials/check", Command: "vault check", Summary: "Say what a host would get from the vault: kinds and numbers, never a value"},
}

var byName = func() map[string]*Verb {
	m := make(map[string]*Verb, len(Verbs))
	for i := range Verbs {
		m[Verbs[i].Name] = &Verbs[i]
	}
	return m
}()

// Lookup returns the row of a verb.
func Lookup(name string) (*Verb, bool) {
	v, ok := byName[name]
	return v, ok
}

// Offered lists the verbs that surfaces offer.
func Offered() []*Verb {
	var all []*Verb
	for i := range Verbs {
		if !Verbs[i].Inner {
			all = append(all, &Verbs[i])
		}
	}
	return all
}

// As returns the row that a call with these arguments is judged, counted and
// recorded by. It is v itself, but for a verb that only reads and whose
// arguments send the page elsewhere first, which is a write, or ask for what
// only raw access gives; for a session with saved user data, which gives access
// to it; and for events that everybody may list, which is a read.
func (v *Verb) As(args any) *Verb {
	if args == nil || reflect.ValueOf(args).IsZero() {
		return v
	}
	if o, may := args.(interface{ OpensProfile() bool }); may && o.OpensProfile() {
		row := *v
		row.Class, row.Risk = Raw, High
		return &row
	}
	if o, may := args.(interface{ Public() bool }); may && o.Public() {
		row := *v
		row.Class = Read
		return &row
	}
	if v.Class != Read {
		return v
	}
	row := *v
	switch a := args.(type) {
	case interface{ Navigates() bool }:
		if !a.Navigates() {
			return v
		}
		row.Class, row.Counts = Write, true
	case interface{ Raw() bool }:
		if !a.Raw() {
			return v
		}
		row.Class, row.Risk = Raw, High
	default:
		return v
	}
	return &row
}
