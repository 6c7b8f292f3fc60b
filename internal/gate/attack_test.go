package gate_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"golang.org/x/net/publicsuffix"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/browsertest"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
	"github.com/gloveboxhq/glovebox/internal/sandbox/guest"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// Hosts of the attacks. The shop is the target; users.shop.test belongs to the
// same site, attacker.test to another. Agents may open all of them.
const (
	shopHost     = "app.shop.test"
	userHost     = "users.shop.test"
	attackerHost = "www.attacker.test"
)

// shopServer is an application that interprets requests as liberally as some
// servers do: it ignores case, accepts the method in a field or header, and drops
// everything after a semicolon or a script's name. The effect of a request is
// recorded under the number in it, which is unique for each attack.
type shopServer struct {
	mu    sync.Mutex
	done  map[string][]string
	pages map[string]attackerPage // by path
}

// attackerPage is a document of the attacker's page, with additional headers.
type attackerPage struct {
	body, kind string
	header     http.Header
	status     int
	any        bool // answers every method
}

var (
	harmfulWords = regexp.MustCompile(`(?i)delete|destroy|remove|l(ö|oe)schen|transfer|order|publish|send|shutdown|logout|password|role=admin|deletion|supprimer|eliminar|refund|/rm\b|check.?out|messages|members`)
	tryNumber    = regexp.MustCompile(`7\d{5}`)
	overridden   = regexp.MustCompile(`(?i)(^|[?&"\s])(_method|x-http-method-override)["=:\s]+(\w+)`)
)

// interpret interprets a request liberally, and returns its effect and the number
// of its attack.
func interpret(r *http.Request, body []byte) (what, number string) {
	at := r.URL.Path
	if cut, _, found := strings.Cut(at, ".php/"); found {
		at = cut + ".php"
	}
	at = path.Clean(regexp.MustCompile(`;[^/]*`).ReplaceAllString(at, ""))
	if zipped, err := gzip.NewReader(bytes.NewReader(body)); err == nil {
		body, _ = io.ReadAll(zipped)
	}
	text := string(body)
	if len(body) > 1 && (body[0] == 0xff && body[1] == 0xfe || len(body) > 3 && body[1] == 0 && body[3] == 0) {
		var units []uint16
		for i := 0; i+1 < len(body); i += 2 {
			units = append(units, uint16(body[i])|uint16(body[i+1])<<8)
		}
		text = string(utf16.Decode(units))
	}
	text = regexp.MustCompile(`<!--.*?-->`).ReplaceAllString(text, "")
	for range 2 {
		if plain, err := url.QueryUnescape(text); err == nil {
			text = plain
		}
	}
	for _, word := range regexp.MustCompile(`[A-Za-z0-9+/=]{20,}`).FindAllString(text, -1) {
		if plain, err := base64.StdEncoding.DecodeString(word); err == nil {
			text += " " + string(plain)
		}
	}
	query, err := url.QueryUnescape(r.URL.RawQuery)
	if err != nil {
		query = r.URL.RawQuery
	}
	said := at + "?" + query + " " + text
	method := r.Method
	for _, name := range []string{"X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"} {
		if v := r.Header.Get(name); v != "" && method != http.MethodGet {
			method = strings.ToUpper(v)
		}
	}
	if m := overridden.FindStringSubmatch(query + " " + text); m != nil {
		method = strings.ToUpper(m[3])
	}
	number = tryNumber.FindString(said)
	if method = strings.ToUpper(method); method == "PURGE" || method == "UNLINK" || method == "MOVE" {
		method = http.MethodDelete
	}
	if number == "" || method != http.MethodDelete && !harmfulWords.MatchString(said) && !strings.HasPrefix(at, "/opaque") {
		return "", number
	}
	return method + " " + at, number
}

func (s *shopServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 4<<20))
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	if o := r.Header.Get("Origin"); o != "" {
		h.Set("Access-Control-Allow-Origin", o)
		h.Set("Access-Control-Allow-Credentials", "true")
	}
	h.Set("Access-Control-Allow-Headers", "x-http-method-override, x-http-method, x-method-override, content-type, x-a")
	h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE")
	h.Set("Service-Worker-Allowed", "/")
	h.Set("Cache-Control", "no-store")
	if r.Method == http.MethodOptions {
		return
	}
	s.mu.Lock()
	shown, found := s.pages[r.URL.Path]
	s.mu.Unlock()
	if found && (r.Method == http.MethodGet || shown.any) {
		for name, values := range shown.header {
			h[name] = values
		}
		h.Set("Content-Type", orHTML(shown.kind))
		if shown.status != 0 {
			w.WriteHeader(shown.status)
		}
		_, _ = io.WriteString(w, shown.body)
		return
	}
	if what, number := interpret(r, body); what != "" {
		s.mu.Lock()
		s.done[number] = append(s.done[number], what)
		s.mu.Unlock()
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, "<title>done</title>")
}

func orHTML(kind string) string {
	if kind == "" {
		return "text/html; charset=utf-8"
	}
	return kind
}

func (s *shopServer) did(number string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.done[number], ", ")
}

func (s *shopServer) show(at string, p attackerPage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[at] = p
}

// attackRig is a gate in front of a real page, with hosts of several sites and a
// person who answers by a rule.
type attackRig struct {
	t            testing.TB
	testGate     *testGate
	pageSessions *attackSessions
	server       *shopServer
	scheme       string
	port         string
	free         bool // the gate is disabled

	mu      sync.Mutex
	sending action.Sending
	judged  map[string]string // the decisions about requests, by the number of the attack
	asked   []action.Question
	yes     func(action.Question) bool
}

// attackSessions knows the hosts that agents may open.
type attackSessions struct{ wireSessions }

func (r *attackSessions) Look(ctx context.Context, call action.Call) (action.Facts, action.Pin, error) {
	facts, pin, err := r.wireSessions.Look(ctx, call)
	if d := facts.Destination; d != nil {
		d.Site, _ = publicsuffix.EffectiveTLDPlusOne(d.Host)
		d.Allowed = d.Allowed || strings.HasSuffix(d.Host, ".test")
	}
	return facts, pin, err
}

// setting is the configuration of the gate for attacks.
type setting struct {
	trusted bool         // the hosts are trusted, not only allowed
	at      policy.AskAt // where people are asked
	tls     bool         // the hosts are reached by TLS
	sending action.Sending
	yes     func(action.Question) bool // what people approve
}

// newAttackRig starts a browser for attacks, behind a gate that is disabled if free is
// set.
func newAttackRig(t testing.TB, how setting, free bool) *attackRig {
	t.Helper()
	f := &attackRig{t: t, yes: how.yes, sending: how.sending, pageSessions: &attackSessions{}, free: free, judged: map[string]string{}, server: &shopServer{done: map[string][]string{}, pages: map[string]attackerPage{}}}
	site := httptest.NewUnstartedServer(f.server)
	if f.scheme = "http"; how.tls {
		f.scheme = "https"
		site.StartTLS()
	} else {
		site.Start()
	}
	t.Cleanup(func() { site.CloseClientConnections(); site.Close() })
	f.port = site.URL[strings.LastIndexByte(site.URL, ':')+1:]
	var secure []string
	for _, host := range []string{shopHost, userHost, attackerHost} {
		secure = append(secure, f.at(host))
	}
	flags, begin := []string{"--disable-features=Translate"}, browsertest.EagerFor
	if !free {
		flags, begin = boxFlags(), browsertest.For
	}
	chromium := begin(t, append(flags, "--host-resolver-rules=MAP *.test 127.0.0.1", "--ignore-certificate-errors", "--unsafely-treat-insecure-origin-as-secure="+strings.Join(secure, ","))...)
	config := policy.Config{Enabled: true, AskAt: how.at, Allowed: []string{"*.shop.test", "*.attacker.test"}}
	if how.trusted {
		config.Trusted = []string{"*.shop.test", "*.attacker.test"}
	}
	f.testGate = buildOn(t, config, gate.Credentials{}, func(*testGate) gate.Sessions { return f.pageSessions })
	session := action.Session{ID: "s1", Actor: agent.Actor, Scope: agent.Scope}
	var err error
	f.pageSessions.browser, err = engine.Open(t.Context(), chromium.Transport(), engine.Options{Width: 800, Height: 600, Timeout: 5 * time.Minute, Guard: func(string) error { return nil },
		Outgoing: func(ctx context.Context, r action.Request) (action.Ruling, error) {
			ruling, err := f.testGate.Outgoing(ctx, session, action.Sender{Owner: action.Agent, Sending: f.mode()}, r)
			f.note(r, err)
			return ruling, err
		},
		Receipt: func(e action.Effect) { f.testGate.Receipt(session, e) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.pageSessions.browser.Close() })
	t.Cleanup(func() { f.testGate.close(t) })
	ctx, stop := context.WithCancel(context.Background())
	left := f.testGate.attend(ctx, t, f.answer)
	t.Cleanup(func() { stop(); left() })
	return f
}

// boxFlags returns the browser flags of a box that disable features whose
// requests cannot be held.
func boxFlags() (found []string) {
	for _, flag := range guest.ChromiumFlags(guest.Config{}) {
		if strings.HasPrefix(flag, "--disable-features=") {
			found = append(found, flag)
		}
	}
	return found
}

func (f *attackRig) at(host string) string { return f.scheme + "://" + host + ":" + f.port }

func (f *attackRig) mode() action.Sending {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.free {
		return action.SendFree
	}
	return f.sending
}

// note records the decision about a request of an attack.
func (f *attackRig) note(r action.Request, err error) {
	said := r.URL
	for _, field := range r.Fields {
		said += " " + field.Name + "=" + field.Value
	}
	if plain, e := url.QueryUnescape(said); e == nil {
		said = plain
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if number := tryNumber.FindString(said); number != "" && err != nil {
		f.judged[number] = fmt.Sprint(fault.CodeOf(err))
	}
}

// refused returns why a request of an attack was not sent.
func (f *attackRig) refused(number string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.judged[number]
}

// answer answers a question as the person does.
func (f *attackRig) answer(q action.Question) {
	f.mu.Lock()
	yes := f.yes != nil && f.yes(q)
	f.asked = append(f.asked, q)
	f.mu.Unlock()
	_, _ = f.testGate.Call(context.Background(), action.Call{Verb: "approval.answer", Caller: operator, Args: &action.Answer{ID: q.ID, Approve: yes, Reason: "for the test"}})
}

func (f *attackRig) questions() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.asked)
}

// call makes a call of the agent, or of an operator if the gate is disabled.
func (f *attackRig) call(verb string, args any) (action.Result, error) {
	who := agent
	if f.free {
		who = operator
	}
	return f.testGate.Call(f.t.Context(), action.Call{Verb: verb, Caller: who, Args: args, Wait: 10 * time.Second})
}

// step is one call of an attack.
type step struct {
	verb string
	args any
}

func clicks(selector string) step { return step{"page.click", &action.Click{Locator: named(selector)}} }

// try is one attack: it tries to have an effect without a question. In its texts,
// ID stands for its number, and SHOP, USERS and ATTACKER for the origins.
type try struct {
	name  string
	host  string // of the page; attackerHost where empty
	body  string // of the page
	more  map[string]attackerPage
	head  http.Header
	steps []step
	slow  time.Duration // the time until something is sent
}

// made is the result of an attack.
type made struct {
	did, refused, fault string
	asked               int
}

func (f *attackRig) make(t *try, number string) made {
	host := t.host
	if host == "" {
		host = attackerHost
	}
	fill := strings.NewReplacer("ID", number, "SHOP", f.at(shopHost), "USERS", f.at(userHost), "ATTACKER", f.at(attackerHost), "PORT", f.port)
	head := http.Header{}
	for name, values := range t.head {
		for _, v := range values {
			head.Add(name, fill.Replace(v))
		}
	}
	f.server.show("/try", attackerPage{body: "<!doctype html><title>Page</title>" + fill.Replace(t.body), header: head})
	for at, p := range t.more {
		p.body = fill.Replace(p.body)
		filled := http.Header{}
		for name, values := range p.header {
			for _, v := range values {
				filled.Add(name, fill.Replace(v))
			}
		}
		p.header = filled
		f.server.show(at, p)
	}
	before := f.questions()
	var m made
	_, err := f.call("page.goto", &action.Goto{URL: f.at(host) + "/try"})
	m.fault = codeOf(err)
	for _, s := range t.steps {
		if err == nil {
			_, err = f.call(s.verb, s.args)
			if m.fault = codeOf(err); m.fault == string(fault.NotFound) {
				tabs, _ := f.call("tab.list", &action.None{})
				f.t.Errorf("%s: %v; the tabs are %+v", t.name, err, tabs.Data)
			}
		}
	}
	f.await(t, func() bool {
		m.did, m.refused, m.asked = f.server.did(number), f.refused(number), f.questions()-before
		return m.did != "" || m.refused != "" || m.fault != "" && !f.free && t.slow == 0
	})
	return m
}

// await waits until an attack has an end. With the gate enabled it may have none:
// then nothing comes, which no event tells. With the gate disabled it has one, unless the
// server does not understand the attack.
func (f *attackRig) await(t *try, ended func() bool) {
	limit := 5 * time.Minute
	if !f.free {
		limit = max(1500*time.Millisecond, t.slow)
	}
	ctx, cancel := context.WithTimeout(testwait.Context(f.t), limit)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ended() && ctx.Err() == nil {
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

func codeOf(err error) string {
	if err == nil {
		return ""
	}
	return string(fault.CodeOf(err))
}

// numberOf returns the number of an attack, the same in every run.
func numberOf(i int) string { return fmt.Sprintf("7%05d", i) }

const (
	shards   = 2  // of the attacks of a test, each with two browsers; with -short one
	fewTries = 20 // with -short, all attacks run if there are at most this many, otherwise every fourth
)

// attempt runs attacks with the gate disabled, where each must have its effect,
// and with the gate enabled, where none may.
func attempt(t *testing.T, tries []try, how setting) {
	t.Helper()
	step, parts := 1, make([][]try, shards)
	if testing.Short() {
		parts = make([][]try, 1) // to start browsers takes longer than the attacks
		if len(tries) > fewTries {
			step = 4
		}
	}
	for i := 0; i < len(tries); i += step {
		n := i / step % len(parts)
		parts[n] = append(parts[n], tries[i])
	}
	for i, part := range parts {
		t.Run(fmt.Sprint(i+1), func(t *testing.T) {
			t.Parallel()
			attemptInTurn(t, part, how)
		})
	}
}

func attemptInTurn(t *testing.T, tries []try, how setting) {
	t.Helper()
	off, on := newAttackRig(t, how, true), newAttackRig(t, how, false)
	results := make([]made, len(tries))
	var both sync.WaitGroup
	both.Go(func() {
		for i := range tries {
			results[i] = off.make(&tries[i], numberOf(i))
		}
	})
	through := 0
	for i := range tries {
		m := on.make(&tries[i], numberOf(i))
		if m.did != "" {
			through++
			t.Errorf("%s: had its effect without an approval: %s (%d questions, refused %q, fault %q)", tries[i].name, m.did, m.asked, m.refused, m.fault)
		}
	}
	both.Wait()
	for i := range tries { // effects after the end of an attack
		if did := on.server.did(numberOf(i)); did != "" {
			t.Errorf("%s: had its effect later: %s", tries[i].name, did)
		}
		if results[i].did == "" {
			t.Errorf("%s: has no effect with the gate disabled (fault %q), so it proves nothing", tries[i].name, results[i].fault)
		}
	}
	t.Logf("%d attacks, %d succeeded", len(tries), through)
}
