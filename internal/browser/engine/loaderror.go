package engine

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/guarded"
)

// cause is why a document could not be loaded, and what helps.
type cause struct {
	said, hint string
	passes     bool // by itself: the same address may load later
}

// causes are the causes with a hint of their own, by the browser's name without
// "net::ERR_", or by what the egress proxy says of a server.
var causes = map[string]cause{
	"NAME_NOT_RESOLVED":                               {"there is no host of that name", "check the spelling of the address; nothing answers for this name", false},
	"CONNECTION_REFUSED":                              {"nothing accepts connections there", "check the port; the server may not be running", false},
	"CONNECTION_TIMED_OUT":                            {"the server does not answer", "the server may be down; try again later", true},
	"CONNECTION_RESET":                                {"the server broke the connection off", "try again; the server may want https, or refuse this browser", true},
	"CONNECTION_CLOSED":                               {"the server closed the connection", "try again; the server may want https, or refuse this browser", true},
	"EMPTY_RESPONSE":                                  {"the server closed the connection without an answer", "try again; the server may want https, or refuse this browser", true},
	"SSL_PROTOCOL_ERROR":                              {"the server does not speak TLS there", "try the address with http:// in place of https://", false},
	"CERT_AUTHORITY_INVALID":                          {"its certificate is signed by itself, or by an authority that the browser does not know", "an operator can have it accepted: security.network.ca_file names the certificate of its authority, security.network.allow_self_signed the host itself", false},
	"CERT_DATE_INVALID":                               {"its certificate has expired, or is not valid yet", "the owner of the host must renew the certificate; no setting accepts it", false},
	"CERT_COMMON_NAME_INVALID":                        {"its certificate is for another host", "use the name that the certificate is for; no setting accepts it under this one", false},
	"INVALID_AUTH_CREDENTIALS":                        {"the server asks for a user name and a password in a dialog of the browser (HTTP authentication)", "an operator can store them for the host, to be given by the gateway (httpAuth of its credentials); use a sign-in page where there is one", false},
	authUntaken:                                       {"the server asks for a user name and a password (HTTP authentication), and did not take the stored ones", "they are not tried again; let an operator correct what is stored", false},
	"TOO_MANY_REDIRECTS":                              {"it redirects without end", "the site may want a cookie first: begin at its start page, or sign in", false},
	"UNSAFE_PORT":                                     {"the browser refuses that port", "the port belongs to another service; use another one", false},
	"CONTENT_LENGTH_MISMATCH":                         {"the server broke off in the middle of the page", "try again; what came is shown by a snapshot", true},
	"INCOMPLETE_CHUNKED_ENCODING":                     {"the server broke off in the middle of the page", "try again; what came is shown by a snapshot", true},
	"host has no address":                             {"there is no host of that name", "check the spelling of the address; nothing answers for this name", false},
	"host cannot be reached":                          {"nothing accepts connections there, or the host is not reachable", "check the port; the server may not be running", false},
	"upstream proxy cannot be reached":                {"the proxy that the gateway uses cannot be reached", "an operator looks at security.network.upstream_proxy and at that proxy", true},
	"upstream proxy did not take the gateway's login": {"the proxy that the gateway uses did not take its login", "an operator corrects the login that security.network.upstream_proxy.secret_env names", false},
	"upstream proxy did not connect to the host":      {"the proxy that the gateway uses did not connect to the host", "check the address; the server may be down, or the proxy may not allow the host's address or port", true},
	"server's answer cannot be read":                  {"what the server sent is no answer over HTTP", "check the port: another kind of server may listen there; where it speaks TLS use https://", false},
}

// authUntaken names the cause that a server refused the stored password.
const authUntaken = "the stored user name and password were refused"

// unloaded is the fault of a document that could not be loaded. why is the browser's
// error, or what the egress proxy said of the server.
func unloaded(address, why string) error {
	what := host(address)
	if what == "" {
		what = "the page"
	}
	known, has := causes[strings.TrimPrefix(why, "net::ERR_")]
	if !has {
		known = cause{why, "check the address; the server may be down or unreachable", true}
	}
	said := known.said
	if strings.HasPrefix(why, "net::") && said != why {
		said += " (" + why + ")"
	}
	f := fault.New(fault.NavigationFailed, "%s could not be loaded: %s", what, said).With("error", why).Hinted("%s", known.hint)
	if !known.passes {
		f = f.Final()
	}
	return f
}

// tunnelFailed is Chromium's error for every server that it cannot reach by TLS
// through the egress proxy.
const tunnelFailed = "net::ERR_TUNNEL_CONNECTION_FAILED"

// whyUnreachable returns why a document could not be loaded. If the browser only
// knows that the tunnel failed, it asks the egress proxy.
func (nv *navigator) whyUnreachable(ctx context.Context, address, why string) string {
	unreached := nv.options().Unreached
	if why != tunnelFailed || unreached == nil {
		return why
	}
	ctx, stop := context.WithTimeout(ctx, behindLimit)
	defer stop()
	if said := unreached(ctx, address); said != "" {
		return said
	}
	return why
}

const behindLimit = 5 * time.Second

// unfinished returns the page as far as it was loaded when the time was over, if the
// caller did not ask for the end of the load. It returns nil if no page was shown.
func (nv *navigator) unfinished(ctx context.Context, t *tab, a *action.Goto, before mark, loader string) any {
	if a.WaitUntil != "" || !errors.Is(context.Cause(ctx), errLimit) {
		return nil
	}
	came := guarded.Get(nv.state, func(*state) bool {
		return t.dialog == nil && t.root.loader != before.loader && t.root.loader != t.lost && t.root.context != 0
	})
	if !came {
		return nil
	}
	nv.notes.add("the page did not finish loading in time: loading was stopped, and the page shows what had come")
	return nv.arrivedAt(context.WithoutCancel(ctx), t, loader)
}

// noBody is Chromium's error for a document without a body, whose status says why.
const noBody = "net::ERR_HTTP_RESPONSE_CODE_FAILURE"

// truncated returns the fault of a document whose answer ended before its end.
func (nv *navigator) truncated(t *tab, address, loader string) error {
	why := guarded.Get(nv.state, func(*state) string {
		if t.root.loader != loader {
			return ""
		}
		return t.failures[loader]
	})
	if why == "" || why == noBody {
		return nil
	}
	return unloaded(address, why)
}
