package cdpproxy

import (
	"fmt"
	"strings"
)

// Rules are the exceptions to openList, in the order of the documentation.
var Rules = []Rule{
	{Method: "Browser.getVersion", judge: pass},
	{Method: "Browser.setDownloadBehavior", judge: setDownloads, Why: "is carried out as the session has it: a client hears of downloads and cannot say where they go"},
	{Method: "Browser.cancelDownload", judge: inContext},
	{Method: "Browser.grantPermissions", judge: inContext},
	{Method: "Browser.resetPermissions", judge: inContext},
	{Method: "Browser.setPermission", judge: inContext},
	{Method: "Browser.getWindowForTarget", judge: onTarget},
	{Method: "Browser.getWindowBounds", judge: pass},
	{Method: "Browser.setWindowBounds", judge: pass},
	{Method: "Browser.setContentsSize", judge: pass},
	{Method: "Browser.close", closed: true, Why: "the browser is the session's: close the session with session.close"},
	{Method: "Browser.crash", closed: true, Why: "the browser is the session's"},
	{Method: "Browser.crashGpuProcess", closed: true, Why: "the browser is the session's"},

	{Method: "Target.getTargets", judge: func(sessionView, *call, params) (judgement, error) { return judgement{wants: targets}, nil }, Why: "shows what the client may see"},
	{Method: "Target.getBrowserContexts", judge: func(sessionView, *call, params) (judgement, error) { return judgement{wants: contexts}, nil }, Why: "likewise"},
	{Method: "Target.getTargetInfo", judge: onTarget, Why: "only of targets in the session's context and in those the client made"},
	{Method: "Target.attachToTarget", judge: attachToTarget, Why: "likewise, and flattened only"},
	{Method: "Target.activateTarget", judge: onTarget, Why: "likewise"},
	{Method: "Target.closeTarget", judge: onTarget, Why: "likewise"},
	{Method: "Target.autoAttachRelated", judge: onTarget, Why: "likewise"},
	{Method: "Target.setAutoAttach", judge: flat, Why: "flattened only"},
	{Method: "Target.setDiscoverTargets", judge: pass},
	{Method: "Target.detachFromTarget", judge: detach, Why: "only sessions of the client itself"},
	{Method: "Target.createTarget", judge: createTarget, Why: "only http, https and about:blank that the session may open, in the session's context or one the client made; none hidden"},
	{Method: "Target.createBrowserContext", judge: createContext, Why: "without a proxy of its own; it ends with the client"},
	{Method: "Target.disposeBrowserContext", judge: disposeContext, Why: "only what the client made"},
	{Method: "Target.sendMessageToTarget", closed: true, Why: "nested messages are not carried: attach flattened"},
	{Method: "Target.attachToBrowserTarget", judge: attachToBrowser, Why: "the new session is filtered like the first; 20 at most"},
	{Method: "Target.exposeDevToolsProtocol", closed: true, Why: "a page must not have the protocol"},

	{Method: "Page.navigate", judge: opensDocument, Why: "only http, https and about:blank that the session may open"},
	{Method: "Page.setDownloadBehavior", closed: true, Why: "where downloads go is the session's to say"},
	{Method: "Page.setPrerenderingAllowed", judge: noPrerendering, Why: "pages that nobody sees may not be rendered ahead"},
	{Method: "Page.handleJavaScriptDialog", judge: answerDialog, Why: "a dialog that opened under a call over the API is its caller's to answer"},
	{Method: "Page.printToPDF", judge: printPDF},
	{Method: "Page.createIsolatedWorld", judge: notOurWorld("worldName"), Why: "not the page engine's own script world"},
	{Method: "Page.addScriptToEvaluateOnNewDocument", judge: notOurWorld("worldName"), Why: "the same"},
	{Method: "Runtime.addBinding", judge: notOurWorld("executionContextName"), Why: "the same"},
	{Method: "Page.addCompilationCache", closed: true, Why: "compiled code is run without a check"},
	{Method: "Page.startScreenRecording", closed: true, Why: "what it records is kept in the browser's memory; use Page.startScreencast"},
	{Method: "Page.stopScreenRecording", closed: true, Why: "the same"},
	{Method: "Page.waitForDebugger", closed: true, Why: "the page would wait for ever when the client is gone; use Debugger.pause"},
	{Method: "Page.setRPHRegistrationMode", closed: true, Why: "nobody would be asked"},
	{Method: "LayerTree.loadSnapshot", closed: true, Why: "the picture is drawn without a check"},
	{Method: "Emulation.setVirtualTimePolicy", closed: true, Why: "it would outlast the client, and stop the verbs"},
	{Method: "DOM.setFileInputFiles", judge: setFiles, Why: "only files that were uploaded to the session"},
	{Method: "Input.dispatchDragEvent", judge: dragFiles, Why: "the same for dragged files"},

	{Method: "Fetch.continueRequest", judge: continueRequest, Why: "another address must be one the session may open; otherwise the request fails"},
	{Method: "Fetch.takeResponseBodyAsStream", closed: true, Why: "streams are read of prints and traces only"},
	{Method: "Network.setRequestInterception", closed: true, Why: "use Fetch, beside which ours holds"},
	{Method: "Network.continueInterceptedRequest", closed: true, Why: "the same"},
	{Method: "Network.takeResponseBodyForInterceptionAsStream", closed: true, Why: "streams are read of prints and traces only"},
	{Method: "Network.loadNetworkResource", closed: true, Why: "the browser process itself would load it"},
	{Method: "Security.setIgnoreCertificateErrors", closed: true, Why: "certificates are checked"},
	{Method: "Security.setOverrideCertificateErrors", closed: true, Why: "certificates are checked"},
	{Method: "Security.handleCertificateError", closed: true, Why: "certificates are checked"},
	{Method: "Storage.getCookies", judge: inContext},
	{Method: "Storage.setCookies", judge: inContext},
	{Method: "Storage.clearCookies", judge: inContext},

	{Method: "Tracing.start", judge: trace, Why: "without perfettoConfig, which may write files, and of the browser only"},
	{Method: "Tracing.end", judge: pass},
	{Method: "Tracing.getCategories", judge: pass},
	{Method: "IO.read", judge: readStream, Why: "only streams of what the client printed or traced"},
	{Method: "IO.close", judge: readStream, Why: "the same"},
}

var rules = func() map[string]Rule {
	all := make(map[string]Rule, len(Rules))
	for _, r := range Rules {
		all[r.Method] = r
	}
	return all
}()

// Table returns the rules that refuse or change something, for the documentation.
func Table() string {
	var table strings.Builder
	table.WriteString("| method | |\n|---|---|\n")
	for _, r := range Rules {
		switch {
		case r.closed:
			fmt.Fprintf(&table, "| `%s` | refused: %s |\n", r.Method, r.Why)
		case r.Why != "":
			fmt.Fprintf(&table, "| `%s` | %s |\n", r.Method, r.Why)
		}
	}
	return table.String()
}
