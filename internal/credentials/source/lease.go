package source

import (
	"context"
	"net/http"
	"time"
)

const (
	leastLease = time.Second    // between two renewals
	mostLease  = 24 * time.Hour // without one: the server may have been told otherwise since
)

// lease is a token and how long it lives.
type lease struct {
	token     string
	full      time.Duration // it was given for; 0 for ever
	expires   time.Time
	renewable bool
}

// grant is what the server says of a token: lookup-self says it differently.
type grant struct {
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

// token returns a token that lives, by logging in where there is none.
func (h *hashicorp) token(ctx context.Context) (string, error) {
	if l := h.held(); l != nil {
		return l.token, nil
	}
	select {
	case h.login <- struct{}{}:
		defer func() { <-h.login }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if l := h.held(); l != nil { // another was first
		return l.token, nil
	}
	l, err := h.open(ctx)
	if err != nil {
		return "", err
	}
	h.hold(l)
	return l.token, nil
}

func (h *hashicorp) held() *lease {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lease != nil && h.lease.full > 0 && !time.Now().Before(h.lease.expires) {
		h.lease = nil
	}
	return h.lease
}

// hold takes a lease over, and has it renewed.
func (h *hashicorp) hold(l *lease) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lease = l
	if h.life.Err() == nil {
		h.start.Do(func() { h.all.Go(h.renew) })
	}
	select {
	case h.changed <- struct{}{}:
	default: // it was not looked at yet
	}
}

// ended reports whether a token that was refused lives no more, and lets go of
// it then. One that lives was refused what its policy does not allow: another
// would be refused it too.
func (h *hashicorp) ended(ctx context.Context, token string) bool {
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

// open logs in (POST auth/approle/login), or asks how long the token that was
// given lives (GET auth/token/lookup-self).
func (h *hashicorp) open(ctx context.Context) (*lease, error) {
	var got grant
	if h.o.RoleID == "" {
		token, err := h.o.Token.read("token")
		if err != nil {
			return nil, err
		}
		status, err := h.request(ctx, http.MethodGet, "auth/token/lookup-self", token, nil, &got)
		if status == http.StatusForbidden { // it may not ask; what it may, its use will tell
			return &lease{token: token}, nil
		}
		if err != nil {
			return nil, err
		}
		if got.Data == nil {
			return nil, h.odd("what is not about a token")
		}
		return leased(token, got.Data.Seconds, got.Data.Renewable), nil
	}
	secret, err := h.o.SecretID.read("secret id")
	if err != nil {
		return nil, err
	}
	body := map[string]string{"role_id": h.o.RoleID, "secret_id": secret}
	if status, err := h.request(ctx, http.MethodPost, "auth/"+h.o.RoleMount+"/login", "", body, &got); err != nil || got.Auth == nil || got.Auth.Token == "" {
		if status == http.StatusBadRequest || status == http.StatusNotFound && err == nil {
			err = h.odd("that role id and secret id are not right, or that AppRole is mounted elsewhere")
		}
		if err == nil {
			err = h.odd("what is no token")
		}
		return nil, err
	}
	return leased(got.Auth.Token, got.Auth.Seconds, got.Auth.Renewable), nil
}

func leased(token string, seconds int64, renewable bool) *lease {
	full := time.Duration(min(max(seconds, 0), int64(mostLease/time.Second))) * time.Second
	return &lease{token: token, full: full, expires: time.Now().Add(full), renewable: renewable}
}

// renew keeps leases alive until the source ends: at half its life one is
// renewed (POST auth/token/renew-self) or, where it cannot be or would not get
// its life again, exchanged by logging in.
func (h *hashicorp) renew() {
	for {
		wait := mostLease
		l := h.held()
		if l != nil && l.full > 0 {
			wait = max(time.Until(l.expires)/2, leastLease)
		}
		half := time.NewTimer(wait)
		select {
		case <-h.life.Done():
			half.Stop()
			return
		case <-h.changed:
			half.Stop()
		case <-half.C:
			if l == nil || l.full == 0 || h.held() != l {
				continue
			}
			if next := h.renewed(l); next != nil { // else again at half of what is left
				h.hold(next)
			}
		}
	}
}

// renewed returns the lease that takes the place of one; nil where there is none
// yet.
func (h *hashicorp) renewed(l *lease) *lease {
	ctx, cancel := context.WithTimeout(h.life, patience)
	defer cancel()
	if l.renewable {
		var got grant
		_, err := h.request(ctx, http.MethodPost, "auth/token/renew-self", l.token, nil, &got)
		if err == nil && got.Auth != nil && got.Auth.Seconds > 0 {
			next := leased(l.token, got.Auth.Seconds, got.Auth.Renewable)
			if next.full*2 > l.full || h.o.RoleID == "" {
				next.full = l.full
				return next
			}
		}
	}
	if h.o.RoleID == "" {
		return nil
	}
	next, err := h.open(ctx)
	if err != nil {
		return nil
	}
	return next
}
