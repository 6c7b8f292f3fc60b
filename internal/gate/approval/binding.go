package approval

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/randid"
)

// Subject is the call that a question is about. An answer covers exactly this call.
type Subject struct {
	Scope       string
	Session     string // id
	Verb        string
	Args        any         // the arguments, as they are encoded in JSON
	Fingerprint string      // of the element that was judged
	Document    string      // that has the element
	Node        string      // the element in the document: several may have the same fingerprint
	Drop        action.Spot // where a drag would end
}

// binding is the hash of a subject. Only the hash is stored, because the subject has the
// text to be typed.
func (s Subject) binding() (string, error) {
	args, err := json.Marshal(s.Args)
	if err != nil {
		return "", fmt.Errorf("cannot encode the arguments: %w", err)
	}
	sum := sha256.New()
	for _, part := range []string{s.Scope, s.Session, s.Verb, string(args), s.Fingerprint, s.Document, s.Node, s.Drop.Print, s.Drop.Document, s.Drop.Node} {
		_, _ = fmt.Fprintf(sum, "%d:%s", len(part), part) // a hash never fails
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// newID makes an id that cannot be guessed.
func newID() string { return randid.New("q", 12) }

// States of a question.
const (
	Pending  = "pending"
	Approved = "approved"
	Denied   = "denied"
	Expired  = "expired"
	Used     = "used" // approved, and the call ran
)

// Request is a question to be asked. Text that comes from the page or the
// caller is sanitized before it is kept.
type Request struct {
	Subject Subject
	Actor   string
	Risk    action.Risk
	Rule    string
	Why     string
	Host    string // that a grant for the session would cover; empty: no grant is possible
	Element *action.Element
	Page    action.Page
	Input   string       // typed text or address, redacted
	Within  string       // text around the element
	Held    *action.Held // the request that would leave the browser

	Together []action.Held // all requests that the question is about, if there are several
}
