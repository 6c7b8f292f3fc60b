package action

// Source says where a call came from. It is only recorded; the gate makes no
// decision with it.
type Source struct {
	Address   string // of the client, without port
	UserAgent string // what the client says it is
	Request   string // as it was made: "POST /v1/browser/click", "tools/call browser_click"
}
