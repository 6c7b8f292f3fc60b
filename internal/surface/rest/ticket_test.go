package rest_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/surface/rest"
)

const (
	ticketToken = "gbx_op_ticket"
	ticketOf    = "s0123456789abcdef"
)

// tickets accepts a token for one session and the usual token.
type tickets struct{}

func (tickets) Identify(ctx context.Context, token string) (auth.Identity, error) {
	if token == ticketToken {
		return auth.Identity{Caller: action.Caller{Actor: "cdp", Scope: "default", Role: action.Operator}, Session: ticketOf}, nil
	}
	return tokens{}.Identify(ctx, token)
}

// ask makes a GET without the usual token.
func (h house) ask(target string, change ...func(*http.Request)) (status int, body string) {
	r := request("GET", target, "")
	r.Header.Del("Authorization")
	for _, f := range change {
		f(r)
	}
	w := h.do(r)
	return w.Code, w.Body.String()
}

func TestATicketOpensTheProtocolOfItsSessionAlone(t *testing.T) {
	d := answering(action.Result{Data: &action.TabListing{Tabs: []action.Tab{{ID: "T1"}}}})
	h := build(t, d, func(o *rest.Options) { o.Auth = tickets{} })
	own := "/v1/sessions/" + ticketOf + "/browser/cdp"
	for _, path := range []string{own + "/json/version", own + "/json/version/", own + "/json/list", own + "/json", "/json/version", "/json/version/"} {
		status, body := h.ask(path + "?access_token=" + ticketToken)
		if status != 200 || !strings.Contains(body, own+"?access_token="+ticketToken) {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	for _, path := range []string{
		"/v1/browser/cdp/json/version", "/v1/sessions/s0000000000000000/browser/cdp/json/list", "/v1/sessions/work/browser/cdp/json",
	} {
		if status, body := h.ask(path + "?access_token=" + ticketToken); status != 403 {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	before := d.count()
	header := func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+ticketToken) }
	for _, path := range []string{"/v1/sessions", "/v1/browser/snapshot", "/v1/sessions/" + ticketOf + "/browser/snapshot", "/openapi.json", "/v1/tokens"} {
		if status, body := h.ask(path, header); status != 403 || !strings.Contains(body, string(fault.DeniedByPolicy)) {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if d.count() != before {
		t.Error("a call was made with it")
	}
	if strings.Contains(h.log.String(), ticketToken) {
		t.Error("it is in the log")
	}
}

func TestNoOtherTokenIsTakenFromTheAddressOfAQuestion(t *testing.T) {
	h := build(t, refusing(), func(o *rest.Options) { o.Auth = tickets{} })
	for _, path := range []string{"/v1/browser/cdp/json/version", "/json/version", "/v1/browser/cdp/json/list"} {
		if status, body := h.ask(path + "?access_token=" + goodToken); status != 401 || strings.Contains(body, goodToken) {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if status, _ := h.ask("/v1/sessions/" + ticketOf + "/browser/snapshot?access_token=" + ticketToken); status != 401 {
		t.Errorf("elsewhere: %d", status)
	}
}

// Playwright appends a slash to the address that it asks for the version.
func TestTheVersionIsThereForThePlainAddress(t *testing.T) {
	h := build(t, refusing())
	for _, path := range []string{"/json/version", "/json/version/"} {
		status, body := h.ask(path)
		var got map[string]string
		if err := json.Unmarshal([]byte(body), &got); err != nil || status != 200 || got["webSocketDebuggerUrl"] != "ws://127.0.0.1:2468/v1/browser/cdp" {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
}
