package cdpproxy

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
)

// fakeView is a session with its own context and one that the client made.
type fakeView struct{ crowded, busy bool }

func (fakeView) home() string              { return "HOME" }
func (fakeView) holds(context string) bool { return context == "HOME" || context == "MINE" }
func (fakeView) made(context string) bool  { return context == "MINE" }
func (fakeView) reads(handle string) bool  { return handle == "7" }
func (fakeView) downloads() map[string]any {
	return map[string]any{"behavior": "deny", "eventsEnabled": true}
}
func (fakeView) uploads() string     { return "/tmp/upload" }
func (fakeView) world() string       { return "ours" }
func (r fakeView) spread() bool      { return r.crowded }
func (r fakeView) full() bool        { return r.crowded }
func (r fakeView) keeps(string) bool { return r.busy }
func (fakeView) judge(address string) error {
	if strings.Contains(address, "evil") {
		return errors.New("blocked")
	}
	return nil
}

func try(t *testing.T, h sessionView, message string) (call, judgement, error) {
	t.Helper()
	c, err := parse([]byte(message))
	c.root = c.session == ""
	if err != nil {
		t.Fatalf("%s: %v", message, err)
	}
	j, err := judge(h, &c)
	return c, j, err
}

func message(session, method, params string) string {
	m := `{"id":1,"method":"` + method + `"`
	if params != "" {
		m += `,"params":` + params
	}
	if session != "" {
		m += `,"sessionId":"` + session + `"`
	}
	return m + "}"
}

func TestCallsBeyondTheSessionAreRefused(t *testing.T) {
	for _, refused := range []struct{ method, params string }{
		{"Browser.close", ""}, {"Browser.crash", ""}, {"Browser.crashGpuProcess", ""}, {"Browser.getBrowserCommandLine", ""},
		{"Browser.executeBrowserCommand", `{"commandId":"openTabSearch"}`}, {"Browser.grantPermissions", `{"permissions":[],"browserContextId":"OTHER"}`},
		{"SystemInfo.getInfo", ""}, {"Tethering.bind", `{"port":1}`}, {"Extensions.loadUnpacked", `{"path":"/"}`}, {"Unheard.of", ""}, {"Memory.prepareForLeakDetection", ""},
		{"Target.sendMessageToTarget", `{"message":"{}"}`}, {"Target.exposeDevToolsProtocol", `{"targetId":"x"}`},
		{"Target.setRemoteLocations", `{"locations":[]}`}, {"Target.setAutoAttach", `{"autoAttach":true,"waitForDebuggerOnStart":true}`},
		{"Target.attachToTarget", `{"targetId":"x"}`}, {"Target.attachToTarget", `{"targetId":"x","flatten":false}`}, {"Target.detachFromTarget", `{"targetId":"x"}`},
		{"Target.createBrowserContext", `{"proxyServer":"direct://"}`}, {"Target.createBrowserContext", `{"proxyBypassList":"*"}`},
		{"Target.createBrowserContext", `{"originsWithUniversalNetworkAccess":["https://a.example"]}`},
		{"Target.disposeBrowserContext", `{"browserContextId":"HOME"}`}, {"Target.disposeBrowserContext", `{"browserContextId":"OTHER"}`}, {"Target.disposeBrowserContext", ""},
		{"Target.createTarget", `{"url":"about:blank","browserContextId":"OTHER"}`}, {"Target.createTarget", `{"url":"about:blank","hidden":true}`},
		{"Target.createTarget", `{"url":"file:///etc/passwd"}`}, {"Target.createTarget", `{"url":"https://evil.example/"}`}, {"Target.createTarget", `{"url":5}`},
		{"Page.navigate", `{"url":"file:///etc/passwd"}`}, {"Page.navigate", `{"url":"FILE:/etc/passwd"}`}, {"Page.navigate", `{"url":" file:///etc/passwd"}`},
		{"Page.navigate", `{"url":"fi\tle:///etc/passwd"}`}, {"Page.navigate", `{"url":"chrome://gpu"}`}, {"Page.navigate", `{"url":"view-source:https://a.example"}`},
		{"Page.navigate", `{"url":"data:text/html,x"}`}, {"Page.navigate", `{"url":"javascript:1"}`}, {"Page.navigate", `{"url":"about:version"}`}, {"Page.navigate", `{"url":"devtools://x"}`},
		{"Page.navigate", `{"url":"https://evil.example/"}`}, {"Page.navigate", `{"url":"http:///x"}`}, {"Page.navigate", `{"url":"http:x"}`}, {"Page.navigate", `{"url":["https://a.example"]}`},
		{"Page.setDownloadBehavior", `{"behavior":"allow","downloadPath":"/tmp"}`}, {"Page.setPrerenderingAllowed", `{"isAllowed":true}`},
		{"DOM.setFileInputFiles", `{"files":["/etc/passwd"]}`}, {"DOM.setFileInputFiles", `{"files":["/tmp/upload/../../etc/passwd"]}`}, {"DOM.setFileInputFiles", `{"files":["/tmp/upload/"]}`},
		{"DOM.setFileInputFiles", `{"files":["/tmp/upload//a"]}`}, {"DOM.setFileInputFiles", `{"files":["tmp/upload/a"]}`}, {"DOM.setFileInputFiles", `{"files":["/tmp/upload/a\u0000"]}`}, {"DOM.setFileInputFiles", `{"files":"/etc/passwd"}`},
		{"Input.dispatchDragEvent", `{"type":"drop","x":1,"y":1,"data":{"items":[],"files":["/etc/passwd"]}}`},
		{"Fetch.continueRequest", `{"requestId":"1","url":"file:///etc/passwd"}`}, {"Fetch.continueRequest", `{"requestId":"1","url":"https://evil.example/"}`}, {"Fetch.takeResponseBodyAsStream", `{"requestId":"1"}`},
		{"Network.setRequestInterception", `{"patterns":[]}`}, {"Network.loadNetworkResource", `{"url":"file:///etc/passwd"}`},
		{"Security.setIgnoreCertificateErrors", `{"ignore":true}`}, {"Storage.getCookies", `{"browserContextId":"OTHER"}`},
		{"Tracing.start", `{"perfettoConfig":"eA=="}`}, {"Tracing.start", `{"tracingBackend":"system"}`}, {"Tracing.requestMemoryDump", ""},
		// These outlast the client, or run unchecked data.
		{"Page.addCompilationCache", `{"url":"https://a.example/x.js","data":"eA=="}`}, {"LayerTree.loadSnapshot", `{"tiles":[]}`}, {"Page.setRPHRegistrationMode", `{"mode":"autoAccept"}`},
		{"Emulation.setVirtualTimePolicy", `{"policy":"pause"}`}, {"Page.startScreenRecording", ""}, {"Page.waitForDebugger", ""},
		// The engine's own script world.
		{"Page.createIsolatedWorld", `{"frameId":"F","worldName":"ours"}`}, {"Page.addScriptToEvaluateOnNewDocument", `{"source":"1","worldName":"ours"}`}, {"Runtime.addBinding", `{"name":"x","executionContextName":"ours"}`},
		{"Page.createIsolatedWorld", `{"frameId":"F","worldName":7}`},
		// Other domains of Chromium 156, and methods that no list names.
		{"Autofill.trigger", `{"fieldId":1}`}, {"BackgroundService.setRecording", `{"shouldRecord":true,"service":"backgroundFetch"}`}, {"Browser.addMockCamera", ""}, {"Browser.getHistograms", ""}, {"Browser.setDockTile", ""},
		{"Browser.addPrivacySandboxEnrollmentOverride", `{"url":"https://a.example"}`}, {"Browser.setGlobalPrivacyControl", `{"enabled":true}`}, {"Cast.startTabMirroring", `{"sinkName":"x"}`}, {"CrashReportContext.getEntries", ""},
		{"DeviceAccess.selectPrompt", `{"id":"1","deviceId":"1"}`}, {"DigitalCredentials.setVirtualWalletBehavior", ""}, {"Extensions.getExtensions", ""}, {"Extensions.setStorageItems", `{"id":"x","storageArea":"local","values":{}}`},
		{"FedCm.openUrl", `{"dialogId":"1","accountIndex":0,"accountUrlType":"TermsOfService"}`}, {"FileSystem.getDirectory", `{"bucketFileSystemLocator":{}}`}, {"HeadlessExperimental.beginFrame", ""}, {"PWA.install", `{"manifestId":"x"}`},
		{"PWA.launchFilesInApp", `{"manifestId":"x","files":["/etc/passwd"]}`}, {"SmartCardEmulation.enable", ""}, {"BluetoothEmulation.enable", `{"state":"powered-on","leSupported":true}`}, {"SystemInfo.getProcessInfo", ""},
		{"Target.openDevTools", `{"targetId":"x"}`}, {"Target.getDevToolsTarget", `{"targetId":"x"}`}, {"Tethering.unbind", `{"port":1}`}, {"Tracing.getTrackEventDescriptor", ""}, {"WebMCP.invokeTool", `{}`}, {"Page.notYetMade", ""}, {"Network.notYetMade", ""},
		{"Storage.setProtectedAudienceKAnonymity", `{"owner":"x","name":"x","hashes":[]}`}, {"Storage.setInterestGroupTracking", `{"enable":true}`},
		{"IO.read", `{"handle":"1"}`}, {"IO.read", ""}, {"IO.resolveBlob", `{"objectId":"1"}`}, {"IO.close", `{"handle":"1"}`},
	} {
		for _, session := range []string{"", "S1"} {
			if _, j, err := try(t, fakeView{}, message(session, refused.method, refused.params)); err == nil && j.target == "" && j.session == "" {
				t.Errorf("%s %s of session %q is passed on", refused.method, refused.params, session)
			}
		}
	}
	if _, _, err := try(t, fakeView{crowded: true}, message("", "Target.createBrowserContext", "")); err == nil {
		t.Error("a client can have any number of contexts")
	}
	if _, _, err := try(t, fakeView{busy: true}, message("S1", "Page.handleJavaScriptDialog", `{"accept":true}`)); err == nil {
		t.Error("a client can answer a dialog of the engine")
	}
}

func TestCallsWithinTheSessionArePassedOn(t *testing.T) {
	for _, passed := range []struct{ session, method, params, becomes string }{
		{"S1", "Page.navigate", `{"url":"https://a.example/x"}`, ""}, {"S1", "Page.navigate", `{"url":"about:blank"}`, ""}, {"S1", "Page.navigate", `{"url":"HTTP://a.example"}`, ""},
		{"S1", "Runtime.evaluate", `{"expression":"1"}`, ""}, {"S1", "Page.setBypassCSP", `{"enabled":true}`, ""}, {"S1", "Network.getAllCookies", "", ""}, {"S1", "Page.navigate", `null`, ""},
		{"S1", "DOM.setFileInputFiles", `{"files":["/tmp/upload/a.txt"]}`, ""}, {"S1", "DOM.setFileInputFiles", `{"files":[]}`, ""}, {"S1", "Input.dispatchDragEvent", `{"data":{"items":[]}}`, ""},
		{"S1", "Fetch.continueRequest", `{"requestId":"1"}`, ""}, {"", "Tracing.start", `{"transferMode":"ReturnAsStream"}`, ""}, {"S1", "IO.read", `{"handle":"7"}`, ""},
		{"S1", "Page.createIsolatedWorld", `{"frameId":"F","worldName":"theirs"}`, ""}, {"S1", "Page.addScriptToEvaluateOnNewDocument", `{"source":"1"}`, ""}, {"S1", "Runtime.addBinding", `{"name":"x"}`, ""},
		{"S1", "Network.setExtraHTTPHeaders", `{"headers":{}}`, ""}, {"S1", "WebAuthn.enable", "", ""}, {"S1", "Emulation.setUserAgentOverride", `{"userAgent":"x"}`, ""}, {"S1", "Page.captureSnapshot", "", ""}, {"S1", "Debugger.pause", "", ""},
		{"", "Target.createTarget", `{"url":"about:blank"}`, `{"browserContextId":"HOME","url":"about:blank"}`}, {"", "Target.createTarget", `{"url":"about:blank","browserContextId":"MINE"}`, ""},
		{"", "Storage.getCookies", "", `{"browserContextId":"HOME"}`}, {"S1", "Storage.getCookies", "", ""}, {"", "Storage.setCookies", `{"cookies":[],"browserContextId":"HOME"}`, ""},
		{"", "Target.createBrowserContext", `{"disposeOnDetach":false}`, `{"disposeOnDetach":true}`}, {"", "Target.setAutoAttach", `{"autoAttach":false,"waitForDebuggerOnStart":false}`, ""},
		{"", "Browser.setDownloadBehavior", `{"behavior":"allowAndName","downloadPath":"/tmp/x","eventsEnabled":true}`, `{"behavior":"deny","browserContextId":"HOME","eventsEnabled":true}`},
		{"", "Browser.setDownloadBehavior", `{"behavior":"deny","browserContextId":"MINE"}`, `{"behavior":"deny","browserContextId":"MINE"}`},
	} {
		c, j, err := try(t, fakeView{}, message(passed.session, passed.method, passed.params))
		if err != nil {
			t.Errorf("%s %s: %v", passed.method, passed.params, err)
			continue
		}
		became := ""
		if j.params != nil {
			raw, _ := j.params.encode()
			became = string(raw)
		}
		if became != passed.becomes {
			t.Errorf("%s %s becomes %s, want %s", c.method, passed.params, became, passed.becomes)
		}
	}
}

func TestAmbiguousMessagesAreRefused(t *testing.T) {
	for _, bad := range []string{
		``, `{`, `[]`, `1`, `null`, `"x"`, `{}`, `{"id":1}`, `{"id":1,"method":""}`, `{"id":1,"method":"Page"}`, `{"id":1,"method":"page.navigate"}`, `{"id":1,"method":"Page.navigate "}`,
		`{"id":1,"method":"Page.navigate","method":"Browser.close"}`, `{"id":1,"id":2,"method":"Page.enable"}`, `{"id":1,"method":"Page.enable"}{}`, `{"id":1,"method":"Page.enable"} x`,
		`{"id":1,"method":"Page.navigate","params":{"url":"https://a.example","url":"file:///"}}`, `{"id":1,"method":"Page.navigate","params":{"a":{"b":1,"b":2}}}`,
		`{"id":1,"method":"Page.enable","params":[]}`, `{"id":1,"method":"Page.enable","params":"x"}`, `{"id":-1,"method":"Page.enable"}`, `{"id":2147483648,"method":"Page.enable"}`, `{"id":1.5,"method":"Page.enable"}`, `{"id":"1","method":"Page.enable"}`,
		`{"id":1,"method":"Page.enable","sessionId":5}`, `{"id":1,"method":"Page.enable","extra":1}`, `{"id":1,"Method":"Page.enable"}`, "{\"id\":1,\"method\":\"Page.enable\",\"params\":{\"a\":\"\xff\"}}",
		`{"id":1,"method":"Page.enable","params":{"a":"\ud800"}}`, `{"id":1,"method":"Page.enable","params":{"a":01}}`, "{\"id\":1,\"method\":\"Page.enable\",\"params\":{\"a\":\"\x00\"}}",
	} {
		if c, err := parse([]byte(bad)); err == nil {
			t.Errorf("%q is read as %+v", bad, c)
		}
	}
}

// FuzzFilter checks that everything that is passed on is allowed, and that the
// browser parses what was judged.
func FuzzFilter(f *testing.F) {
	for _, r := range Rules {
		f.Add([]byte(message("", r.Method, `{"url":"https://a.example/","targetId":"x","files":["/tmp/upload/a"],"browserContextId":"MINE"}`)))
		f.Add([]byte(message("S1", r.Method, `{"url":"file:///x","handle":"1","flatten":true,"autoAttach":true}`)))
	}
	f.Add([]byte(`{"id":1,"method":"Page.navigate","params":{"url":"https://a.example","url":"file:///"}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := parse(raw)
		if err != nil {
			return
		}
		c.root = c.session == ""
		j, err := judge(fakeView{}, &c)
		if err != nil {
			return
		}
		if j.params != nil {
			if c.params, err = j.params.encode(); err != nil {
				t.Fatal(err)
			}
		}
		_, ruled := rules[c.method]
		if _, listed := open[c.method]; rules[c.method].closed || !ruled && !listed {
			t.Fatalf("%s is passed on", c.method)
		}
		var p struct {
			URL     string   `json:"url"`
			Context string   `json:"browserContextId"`
			Proxy   *string  `json:"proxyServer"`
			Files   []string `json:"files"`
		}
		if len(c.params) > 0 && json.Unmarshal(c.params, &p) != nil {
			return
		}
		switch c.method {
		case "Page.navigate", "Target.createTarget":
			if p.URL != "" && p.URL != "about:blank" && !strings.HasPrefix(strings.ToLower(p.URL), "http") {
				t.Fatalf("%s to %q is passed on", c.method, p.URL)
			}
		case "Target.createBrowserContext":
			if p.Proxy != nil {
				t.Fatal("a context with a proxy is passed on")
			}
		case "DOM.setFileInputFiles":
			for _, file := range p.Files {
				if !strings.HasPrefix(file, "/tmp/upload/") || strings.Contains(file, "..") && strings.Contains(file, "/../") {
					t.Fatalf("file %q is passed on", file)
				}
			}
		}
		if c.method == "Target.createTarget" && p.Context != "HOME" && p.Context != "MINE" {
			t.Fatalf("a page in context %q is passed on", p.Context)
		}
	})
}

func TestTheSessionIdIsCutFromAnswersInAnyPieces(t *testing.T) {
	tail := []byte(`,"sessionId":"0123456789ABCDEF"}`)
	for _, want := range []struct{ whole, cut string }{
		{`,"result":{"a":1}` + string(tail), `,"result":{"a":1}}`},
		{`,"result":{"value":"` + strings.Repeat("x", 100) + `"}` + string(tail), `,"result":{"value":"` + strings.Repeat("x", 100) + `"}}`},
		{`,"result":{}}`, `,"result":{}}`},
		{`,"result":{"a":` + string(tail) + `}`, `,"result":{"a":` + string(tail) + `}`},
	} {
		for size := 1; size <= len(want.whole); size++ {
			c := &Client{tail: tail}
			var got []byte
			for at := 0; at < len(want.whole); at += size {
				end := min(len(want.whole), at+size)
				held, body, rest := c.cut([]byte(want.whole[at:end]), end == len(want.whole))
				got = append(append(append(got, held...), body...), rest...)
			}
			if string(got) != want.cut {
				t.Fatalf("in pieces of %d: %s, want %s", size, got, want.cut)
			}
		}
	}
}

func TestOpenMethodsHaveNoRules(t *testing.T) {
	if len(open) < 300 {
		t.Fatalf("only %d methods are open", len(open))
	}
	for method := range open {
		if _, ruled := rules[method]; ruled || !methodPattern.MatchString(method) {
			t.Errorf("%s is in open.txt", method)
		}
	}
}

// TestTheDocumentationListsEveryRule compares docs/security.md with the rules.
func TestTheDocumentationListsEveryRule(t *testing.T) {
	page, err := os.ReadFile("../../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), Table()) {
		t.Errorf("docs/security.md must hold this table:\n%s", Table())
	}
}
