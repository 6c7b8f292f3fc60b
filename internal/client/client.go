// Package client calls a running gateway over REST, and opens the connections that
// it serves as WebSockets.
package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	dialLimit   = 5 * time.Second  // to reach the gateway; it is near
	callLimit   = 10 * time.Minute // above the longest question plus the longest action
	healthLimit = 5 * time.Second
	maxAnswer   = 64 << 20 // of an answer; an artifact is the largest thing there is
)

// Client speaks to one gateway with one token. It is safe for concurrent use.
type Client struct {
	base  *url.URL
	token string
	http  *http.Client
}

// New makes a client of the gateway at baseURL, "http://127.0.0.1:2468". The
// gateway is not contacted. Over https it must prove itself by a certificate
// that the machine trusts, or one in authorities, which are PEM. A URL that is
// not http or https, or has no host, and authorities that hold no certificate,
// are a fault invalid_request.
func New(baseURL, token string, authorities ...[]byte) (*Client, error) {
	base, err := url.Parse(strings.TrimRight(baseURL, "/"))
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") || base.User != nil {
		return nil, fault.New(fault.InvalidRequest, "the gateway's address is not a URL").
			Hinted("give one like http://127.0.0.1:2468")
	}
	if strings.ContainsAny(token, "\r\n\x00") {
		return nil, fault.New(fault.Unauthenticated, "the token holds a line break").
			Hinted("use the content of operator.token or agent.token in the state folder")
	}
	trusted, err := trust(authorities)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{
		DialContext:           (&net.Dialer{Timeout: dialLimit}).DialContext,
		TLSClientConfig:       trusted,
		TLSHandshakeTimeout:   dialLimit,
		MaxIdleConnsPerHost:   8,
		IdleConnTimeout:       time.Minute,
		ResponseHeaderTimeout: callLimit,
	}
	refuse := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{base: base, token: token, http: &http.Client{Transport: transport, CheckRedirect: refuse}}, nil
}

// Address is where the gateway is, "http://127.0.0.1:2468".
func (c *Client) Address() string { return c.base.String() }

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Call makes one call through the gateway. The caller is whoever the token
// says, whatever call.Caller holds. Data of the result is a pointer to the
// verb's result type. Errors are faults: those of the gateway as it sent them,
// with the correlation id in Details["correlationId"], not_active when no
// gateway answers, browser_action_timeout when the deadline passes. When ctx is
// cancelled its error is returned, wrapped.
func (c *Client) Call(ctx context.Context, call action.Call) (action.Result, error) {
	verb, known := action.Lookup(call.Verb)
	if !known {
		return action.Result{}, fault.New(fault.UnknownAction, "there is no verb of that name").
			Hinted("see the list of verbs in the documentation")
	}
	body, err := json.Marshal(request{Session: call.Session, Connection: call.Connection, Args: call.Args, WaitSeconds: call.Wait.Seconds(), Changes: call.Changes, Quiet: call.Quiet})
	if err != nil {
		return action.Result{}, fault.New(fault.InvalidRequest, "the arguments cannot be written as JSON").Because(err)
	}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base.String()+"/v1/verbs/"+verb.Name, bytes.NewReader(body))
	if err != nil {
		return action.Result{}, fault.From(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if call.ID != "" {
		req.Header.Set("X-Request-Id", call.ID)
	}
	mark(req, call)
	if call.Events != nil && verb.Name == action.VerbEventsFollow.Name {
		return c.events(req, call.Events)
	}
	if isWatched(verb, call) {
		return c.follow(req, &stream{verb: verb, call: call})
	}
	raw, err := c.send(req)
	if err != nil {
		return action.Result{}, err
	}
	return decode(verb, raw)
}

// mark names in a request, for the audit, the surface that it is made for.
func mark(req *http.Request, call action.Call) {
	if call.Surface != "" {
		req.Header.Set("Glovebox-Surface", call.Surface)
	}
	if agent := call.Source.UserAgent; agent != "" && !strings.ContainsFunc(agent, unicode.IsControl) {
		req.Header.Set("User-Agent", agent)
	}
}

// Health returns nil when a gateway answers at the address, and a fault
// not_active when none does. It needs no token.
func (c *Client) Health(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, healthLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base.String()+"/v1/health", http.NoBody)
	if err != nil {
		return fault.From(err)
	}
	raw, err := c.send(req)
	if err != nil {
		return err
	}
	var health struct {
		OK bool `json:"ok"`
	}
	if json.Unmarshal(raw, &health) != nil || !health.OK {
		return stranger()
	}
	return nil
}

// request is the body of POST /v1/verbs/{verb}.
type request struct {
	Session     string  `json:"session,omitempty"`
	Connection  string  `json:"connection,omitempty"`
	Args        any     `json:"args,omitempty"`
	Changes     bool    `json:"changes,omitempty"`
	Quiet       bool    `json:"quiet,omitempty"`
	WaitSeconds float64 `json:"waitSeconds,omitempty"`
}

func (c *Client) sign(req *http.Request) {
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
}

func (c *Client) send(req *http.Request) ([]byte, error) {
	c.sign(req)
	req.Header.Set("Accept", "application/json")
	res, err := c.http.Do(req)
	if err != nil {
		return nil, unreachable(req.Context(), err)
	}
	defer func() { _ = res.Body.Close() }()
	return c.whole(req, res)
}

// whole reads an answer that is not a stream.
func (c *Client) whole(req *http.Request, res *http.Response) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return nil, unreachable(req.Context(), err)
	}
	if len(raw) > maxAnswer {
		return nil, fault.New(fault.Internal, "the gateway's answer is larger than %d bytes", maxAnswer)
	}
	if res.StatusCode >= 300 {
		return nil, problemFault(res, raw)
	}
	return raw, nil
}

// trust returns the certificates to verify the gateway by: the machine's, and
// authorities.
func trust(authorities [][]byte) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if len(authorities) == 0 {
		return c, nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool() // a machine without any
	}
	for _, pem := range authorities {
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fault.New(fault.InvalidRequest, "the file of certificates holds none").Hinted("give a PEM file: --ca, or $GLOVEBOX_CA")
		}
	}
	c.RootCAs = pool
	return c, nil
}

// unreachable is the fault of a request without an answer: the gateway is not
// there, the call took too long, or it was cancelled.
func unreachable(ctx context.Context, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fault.New(fault.ActionTimeout, "the gateway did not answer in time").Because(err)
	case ctx.Err() != nil:
		return fmt.Errorf("call given up: %w", ctx.Err())
	case errors.Is(err, syscall.ECONNREFUSED):
		return fault.New(fault.NotActive, "no gateway is running at that address").Hinted("start it: glovebox serve").Because(err)
	case untrusted(err):
		return fault.New(fault.NotActive, "what answers at that address does not prove that it is the gateway").
			Hinted("give the certificate it is to be known by: --ca, or $GLOVEBOX_CA").Because(err)
	default:
		return fault.New(fault.NotActive, "the gateway cannot be reached").
			Hinted("check the address, or start the gateway: glovebox serve").Because(err)
	}
}

func untrusted(err error) bool {
	var unproven *tls.CertificateVerificationError
	return errors.As(err, &unproven)
}

func stranger() *fault.Fault {
	return fault.New(fault.NotActive, "what answers at that address is not a glovebox gateway").
		Hinted("check the address; start the gateway with: glovebox serve")
}
