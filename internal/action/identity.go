package action

import (
	"net/http"
	"time"
)

// The verbs of this file.
var (
	VerbTokenCreate = Define[TokenCreate, TokenMade](Verb{Name: "token.create", Class: Admin, Risk: High, Method: http.MethodPost, Path: "/tokens", Status: http.StatusCreated, Command: "token create", Summary: "Make a token to call with, which is shown once"})
	VerbTokenList   = Define[TokenList, TokenListing](Verb{Name: "token.list", Class: Admin, Risk: Low, Method: http.MethodGet, Path: "/tokens", Command: "token list", Summary: "List the tokens that may call"})
	VerbTokenRevoke = Define[TokenRevoke, TokenRevoked](Verb{Name: "token.revoke", Class: Admin, Risk: High, Method: http.MethodDelete, Path: "/tokens/{id}", Command: "token revoke", Summary: "Revoke a token, by id or name: at once, and for good"})
	VerbTokenWhoami = Define[None, Whoami](Verb{Name: "token.whoami", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/whoami", Command: "whoami", Summary: "Say who the caller is to the gateway"})
)

// TokenCreate asks for a token for another caller.
type TokenCreate struct {
	Name      string `json:"name" minLength:"1" maxLength:"64" pattern:"^[A-Za-z0-9][A-Za-z0-9._-]*$" doc:"Who calls with it, for the audit; unique in the scope" example:"ci"`
	Role      Role   `json:"role" minLength:"1" enum:"agent,viewer,operator" doc:"What it may do" example:"agent"`
	Scope     string `json:"scope,omitempty" maxLength:"64" pattern:"^[A-Za-z0-9][A-Za-z0-9._@-]*$" doc:"The user or tenant it acts for; the caller's own when empty. Only the gateway's own operator may name another"`
	ExpiresIn int    `json:"expiresIn,omitempty" minimum:"0" maximum:"315360000" doc:"Seconds until it expires; never when 0" example:"2592000"`
	Session   string `json:"session,omitempty" maxLength:"64" pattern:"^s[0-9a-f]{16}$" doc:"Id of a session: the token then opens the browser's protocol of that session and nothing else, for an hour at most, and not after a restart of the gateway"`
}

// TokenList asks which tokens there are.
type TokenList struct {
	All bool `json:"all,omitempty" query:"all" doc:"Those of every scope; for the gateway's own operator only"`
}

// TokenRevoke revokes a token.
type TokenRevoke struct {
	ID    string `json:"id" path:"id" minLength:"1" maxLength:"64" doc:"Its id or name" example:"ci"`
	Scope string `json:"scope,omitempty" query:"scope" maxLength:"64" pattern:"^[A-Za-z0-9][A-Za-z0-9._@-]*$" doc:"The scope a name is of; the caller's own when empty. Only the gateway's own operator may name another"`
	Force bool   `json:"force,omitempty" query:"force" doc:"Also where it is the last operator's token of its scope"`
}

// Token describes a valid token. The token itself is not stored.
type Token struct {
	ID      string     `json:"id,omitempty"` // of those that can be revoked
	Name    string     `json:"name"`
	Role    Role       `json:"role"`
	Scope   string     `json:"scope"`
	Source  string     `json:"source" enum:"file,config,created,issuer" doc:"Where it is from: a file of the state directory, auth.tokens, token.create, or the issuer of auth.jwt"`
	Created *time.Time `json:"createdAt,omitempty"`
	Expires *time.Time `json:"expiresAt,omitempty"` // absent: never
	Used    *time.Time `json:"lastUsedAt,omitempty" doc:"To the minute"`
	Session string     `json:"session,omitempty" doc:"The one session whose browser's protocol it opens"`
}

// TokenMade is a new token. It is shown only once.
type TokenMade struct {
	Token
	Secret string `json:"token" doc:"What to call with: Authorization: Bearer. It is shown this once and kept nowhere"`
}

// TokenListing is a list of tokens, by scope and name.
type TokenListing struct {
	Tokens []Token `json:"tokens"`
}

// TokenRevoked says that a token is no longer valid.
type TokenRevoked struct {
	OK    bool   `json:"ok"`
	ID    string `json:"id"`
	Name  string `json:"name"`
	Scope string `json:"scope"`
}

// Whoami describes the caller.
type Whoami struct {
	Actor   string     `json:"actor"`
	Scope   string     `json:"scope"`
	Role    Role       `json:"role"`
	Source  string     `json:"source" enum:"file,config,created,issuer" doc:"Where the token is from"`
	Expires *time.Time `json:"expiresAt,omitempty"` // absent: never
	Rate    *Rate      `json:"rate,omitempty"`      // absent: no limit
}

// Rate is the caller's rate limit.
type Rate struct {
	PerSecond float64 `json:"requestsPerSecond"`
	Burst     int     `json:"burst"`
}
