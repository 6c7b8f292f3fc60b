package fault

import "net/http"

// Code names a fault. Codes are stable: programs depend on them.
type Code string

// The complete list of codes.
const (
	InvalidRequest         Code = "invalid_request"
	InvalidSelector        Code = "invalid_selector"
	InvalidURL             Code = "invalid_url"
	MissingURL             Code = "missing_url"
	MissingSelector        Code = "missing_selector"
	UnknownAction          Code = "unknown_action"
	Unauthenticated        Code = "unauthenticated"
	DeniedByPolicy         Code = "denied_by_policy"
	BlockedDomain          Code = "blocked_domain"
	CredentialDetected     Code = "credential_detected"
	ApprovalDenied         Code = "approval_denied"
	ApprovalTimeout        Code = "approval_timeout"
	NotFound               Code = "not_found"
	SessionNotFound        Code = "session_not_found"
	StaleRef               Code = "stale_ref"
	Ambiguous              Code = "ambiguous"
	NotActive              Code = "not_active"
	AlreadyActive          Code = "already_active"
	PageChanged            Code = "page_changed"
	PageCrashed            Code = "page_crashed"
	NotActionable          Code = "not_actionable"
	DialogOpen             Code = "dialog_open"
	SessionPaused          Code = "session_paused"
	ProviderNotSupported   Code = "provider_not_supported"
	InvalidProvider        Code = "invalid_provider"
	LimitReached           Code = "limit_reached"
	StartFailed            Code = "start_failed"
	SandboxWeak            Code = "sandbox_weak"
	AuditUnavailable       Code = "audit_unavailable"
	CredentialsUnavailable Code = "credentials_unavailable"
	RedactionFailed        Code = "redaction_failed"
	Internal               Code = "internal"
	CDPError               Code = "cdp_error"
	NavigationFailed       Code = "navigation_failed"
	InstallRequired        Code = "install_required"
	SandboxRuntimeRequired Code = "sandbox_runtime_required"
	BrowserDisabled        Code = "browser_disabled"
	ActionTimeout          Code = "browser_action_timeout"
)

// Info says how surfaces present a code.
type Info struct {
	Title     string // short, for people; the title of a problem document
	Slug      string // last part of the problem type URI
	Status    int    // HTTP status
	RPC       int    // JSON-RPC error code
	Exit      int    // exit status of the command line
	Retryable bool   // the same call may succeed later without a change
}

var infos = map[Code]Info{
	InvalidRequest:         {"Invalid Request", "invalid-request", http.StatusBadRequest, -32602, 2, false},
	InvalidSelector:        {"Invalid Selector", "invalid-selector", http.StatusBadRequest, -32602, 2, false},
	InvalidURL:             {"Invalid URL", "invalid-url", http.StatusBadRequest, -32602, 2, false},
	MissingURL:             {"Missing URL", "missing-url", http.StatusBadRequest, -32602, 2, false},
	MissingSelector:        {"Missing Selector", "missing-selector", http.StatusBadRequest, -32602, 2, false},
	UnknownAction:          {"Unknown Action", "unknown-action", http.StatusBadRequest, -32602, 2, false},
	Unauthenticated:        {"Unauthenticated", "unauthenticated", http.StatusUnauthorized, -32000, 3, false},
	DeniedByPolicy:         {"Denied By Policy", "denied-by-policy", http.StatusForbidden, -32001, 4, false},
	BlockedDomain:          {"Blocked Domain", "blocked-domain", http.StatusForbidden, -32001, 4, false},
	CredentialDetected:     {"Credential Detected", "credential-detected", http.StatusForbidden, -32001, 4, false},
	ApprovalDenied:         {"Approval Denied", "approval-denied", http.StatusForbidden, -32004, 4, false},
	ApprovalTimeout:        {"Approval Timeout", "approval-timeout", http.StatusForbidden, -32004, 4, false},
	NotFound:               {"Not Found", "not-found", http.StatusNotFound, -32002, 5, false},
	SessionNotFound:        {"Session Not Found", "session-not-found", http.StatusNotFound, -32002, 5, false},
	StaleRef:               {"Stale Reference", "stale-ref", http.StatusNotFound, -32002, 5, false},
	Ambiguous:              {"Ambiguous Target", "ambiguous", http.StatusConflict, -32002, 6, false},
	NotActive:              {"Browser Not Active", "not-active", http.StatusConflict, -32002, 6, false},
	AlreadyActive:          {"Browser Already Active", "already-active", http.StatusConflict, -32002, 6, false},
	PageChanged:            {"Page Changed", "page-changed", http.StatusConflict, -32002, 6, true},
	PageCrashed:            {"Page Crashed", "page-crashed", http.StatusConflict, -32002, 6, false},
	NotActionable:          {"Element Not Actionable", "not-actionable", http.StatusConflict, -32002, 6, true},
	DialogOpen:             {"Dialog Open", "dialog-open", http.StatusConflict, -32002, 6, false},
	SessionPaused:          {"Session Paused", "session-paused", http.StatusConflict, -32002, 6, false},
	ProviderNotSupported:   {"Provider Not Supported", "provider-not-supported", http.StatusConflict, -32002, 6, false},
	InvalidProvider:        {"Invalid Provider", "invalid-provider", http.StatusConflict, -32002, 6, false},
	LimitReached:           {"Limit Reached", "limit-reached", http.StatusTooManyRequests, -32005, 7, true},
	StartFailed:            {"Start Failed", "start-failed", http.StatusInternalServerError, -32603, 1, true},
	SandboxWeak:            {"Sandbox Weak", "sandbox-weak", http.StatusServiceUnavailable, -32002, 8, false},
	AuditUnavailable:       {"Audit Unavailable", "audit-unavailable", http.StatusServiceUnavailable, -32002, 8, false},
	CredentialsUnavailable: {"Credentials Unavailable", "credentials-unavailable", http.StatusServiceUnavailable, -32002, 8, true},
	RedactionFailed:        {"Redaction Failed", "redaction-failed", http.StatusInternalServerError, -32603, 1, false},
	Internal:               {"Internal Error", "internal", http.StatusInternalServerError, -32603, 1, false},
	CDPError:               {"Browser Protocol Error", "cdp-error", http.StatusBadGateway, -32603, 1, true},
	NavigationFailed:       {"Navigation Failed", "navigation-failed", http.StatusBadGateway, -32603, 1, true},
	InstallRequired:        {"Install Required", "install-required", http.StatusFailedDependency, -32002, 8, false},
	SandboxRuntimeRequired: {"Sandbox Runtime Required", "sandbox-runtime-required", http.StatusServiceUnavailable, -32002, 8, false},
	BrowserDisabled:        {"Browser Disabled", "browser-disabled", http.StatusServiceUnavailable, -32002, 8, false},
	ActionTimeout:          {"Action Timeout", "browser-action-timeout", http.StatusGatewayTimeout, -32003, 9, true},
}

// Info returns the presentation of c. An unknown code is presented as Internal.
func (c Code) Info() Info {
	if i, ok := infos[c]; ok {
		return i
	}
	return infos[Internal]
}

// Type returns the problem type URI of c (RFC 9457, RFC 4151).
func (c Code) Type() string { return "tag:glovebox,2026:browser/" + c.Info().Slug }

// Codes returns every code, for tests and generated documentation.
func Codes() []Code {
	all := make([]Code, 0, len(infos))
	for c := range infos {
		all = append(all, c)
	}
	return all
}
