package source

import (
	"context"
	"net/http"
	"time"
)

const (
	minRenewal = time.Second    // between two renewals
	maxLease   = 24 * time.Hour // without a renewal: the token may have been revoked since
)

// lease is a token and how long it is valid.
type lease struct {
	token     string
	full      time.Duration // how long it was valid when it was issued; 0 for ever
	expires   time.Time
	renewable bool
}

// tokenInfo is the server's response about a token: auth of a login and a renewal,
// data of lookup-self.
type tokenInfo struct {
	Auth *struct {
		Token     string `json:"client_token"`
		Seconds   int64  `json:"lease_duration"`
		Renewable bool   `json:"renewable"`
	} `json:"auth"`
	Data *struct {
		Seconds   int64 `json:"ttl"`
		Renewable bool  `json:"renewable"`
	} `json:"data"`
}

// token returns a valid token. It logs in where there is none.
func (h *hashicorp) token(ctx context.Context) (string, error) {
	if l := h.currentLease(); l != nil {
		return l.token, nil
	}
	select {
	case h.login <- struct{}{}:
		defer func() { <-h.login }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if l := h.currentLease(); l != nil { // another caller logged in meanwhile
		return l.token, nil
	}
	l, err := h.logIn(ctx)
	if err != nil {
		return "", err
	}
	h.setLease(l)
	return l.token, nil
}

// currentLease returns nil where there is no valid token.
func (h *hashicorp) currentLease() *lease {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lease != nil && h.lease.full > 0 && !time.Now().Before(h.lease.expires) {
		h.lease = nil
	}
	return h.lease
}

// setLease stores a lease, and starts its renewal.
func (h *hashicorp) setLease(l *lease) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lease = l
	if h.life.Err() == nil {
		h.start.Do(func() { h.renewals.Go(h.renew) })
	}
	select {
	case h.changed <- struct{}{}:
	default: // a value waits already
	}
}

// dropIfEnded is called for a token that the server refused. It reports whether the
// token has ended, and drops it then. A valid token is refused what its policy does not
// allow, and a new one would be refused too.
func (h *hashicorp) dropIfEnded(ctx context.Context, token string) bool {
	if _, err := h.request(ctx, http.MethodGet, "auth/token/lookup-self", token, nil, nil); err == nil {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lease != nil && h.lease.token == token {
		h.lease = nil
	}
	return true
}

// logIn logs in (POST auth/approle/login), or asks how long the configured token is
// valid (GET auth/token/lookup-self).
func (h *hashicorp) logIn(ctx context.Context) (*lease, error) {
	var got tokenInfo
	if h.o.RoleID == "" {
		token, err := h.o.Token.read("token")
		if err != nil {
			return nil, err
		}
		status, err := h.request(ctx, http.MethodGet, "auth/token/lookup-self", token, nil, &got)
		if status == http.StatusForbidden { // it may not read about itself; it may still read secrets
			return &lease{token: token}, nil
		}
		if err != nil {
			return nil, err
		}
		if got.Data == nil {
			return nil, h.unexpected("what is not about a token")
		}
		return newLease(token, got.Data.Seconds, got.Data.Renewable), nil
	}
	secret, err := h.o.SecretID.read("secret id")
	if err != nil {
		return nil, err
	}
	body := map[string]string{"role_id": h.o.RoleID, "secret_id": secret}
	if status, err := h.request(ctx, http.MethodPost, "auth/"+h.o.RoleMount+"/login", "", body, &got); err != nil || got.Auth == nil || got.Auth.Token == "" {
		if status == http.StatusBadRequest || status == http.StatusNotFound && err == nil {
			err = h.unexpected("that role id and secret id are not right, or that AppRole is mounted elsewhere")
		}
		if err == nil {
			err = h.unexpected("what is no token")
		}
		return nil, err
	}
	return newLease(got.Auth.Token, got.Auth.Seconds, got.Auth.Renewable), nil
}

func newLease(token string, seconds int64, renewable bool) *lease {
	full := time.Duration(min(max(seconds, 0), int64(maxLease/time.Second))) * time.Second
	return &lease{token: token, full: full, expires: time.Now().Add(full), renewable: renewable}
}

// renew renews leases until the source is closed: after half of its time a token is
// renewed (POST auth/token/renew-self) or, where that is not possible or would not give
// it its full time again, replaced by logging in.
func (h *hashicorp) renew() {
	for {
		wait := maxLease
		l := h.currentLease()
		if l != nil && l.full > 0 {
			wait = max(time.Until(l.expires)/2, minRenewal)
		}
		half := time.NewTimer(wait)
		select {
		case <-h.life.Done():
			half.Stop()
			return
		case <-h.changed:
			half.Stop()
		case <-half.C:
			if l == nil || l.full == 0 || h.currentLease() != l {
				continue
			}
			if next := h.renewOnce(l); next != nil { // else again after half of what is left
				h.setLease(next)
			}
		}
	}
}

// renewOnce returns the lease that replaces one; nil where the server gave none.
func (h *hashicorp) renewOnce(l *lease) *lease {
	ctx, cancel := context.WithTimeout(h.life, lookupTimeout)
	defer cancel()
	if l.renewable {
		var got tokenInfo
		_, err := h.request(ctx, http.MethodPost, "auth/token/renew-self", l.token, nil, &got)
		if err == nil && got.Auth != nil && got.Auth.Seconds > 0 {
			next := newLease(l.token, got.Auth.Seconds, got.Auth.Renewable)
			if next.full*2 > l.full || h.o.RoleID == "" {
				next.full = l.full
				return next
			}
		}
	}
	if h.o.RoleID == "" {
		return nil
	}
	next, err := h.logIn(ctx)
	if err != nil {
		return nil
	}
	return next
}
