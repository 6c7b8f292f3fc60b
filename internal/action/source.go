package action

// Source is where a call came from, for the audit. The gate decides nothing on
// it.
type Source struct {
	Address   string // of the client, without port
	UserAgent string // what the client says it is
	Request   string // as it was made: "POST /v1/browser/click", "tools/call browser_click"
}
