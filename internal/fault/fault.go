// Package fault defines the error type that crosses packages: a stable code, a
// message for people, a hint that says what to do, and a table with the
// presentation of each code for REST, JSON-RPC and the command line.
package fault

import (
	"errors"
	"fmt"
)

// Fault is an error with a stable code. Message says what happened, Hint what
// to do about it. The cause stays inside: it is for logs and errors.Is, and is
// never shown to a caller.
type Fault struct {
	Code    Code           `json:"code"`
	Message string         `json:"message"`
	Hint    string         `json:"hint,omitempty"`
	Details map[string]any `json:"details,omitempty"` // facts a program can act on; never secrets
	cause   error
	final   bool
}

// New makes a fault with a formatted message.
func New(code Code, format string, args ...any) *Fault {
	return &Fault{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Error returns "code: message", followed by the cause if there is one. This text
// is for logs. Callers get Message and Hint only.
func (f *Fault) Error() string {
	if f.cause != nil {
		return fmt.Sprintf("%s: %s: %v", f.Code, f.Message, f.cause)
	}
	return fmt.Sprintf("%s: %s", f.Code, f.Message)
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.cause }

// Is reports whether target is a fault with the same code, so that errors.Is(err,
// fault.New(fault.StaleRef, "")) works.
func (f *Fault) Is(target error) bool {
	t, ok := target.(*Fault)
	return ok && t.Code == f.Code
}

// Hinted returns a copy of f with a hint: one sentence that says what to do.
func (f *Fault) Hinted(format string, args ...any) *Fault {
	c := *f
	c.Hint = fmt.Sprintf(format, args...)
	return &c
}

// Because returns a copy of f that wraps err as its cause.
func (f *Fault) Because(err error) *Fault {
	c := *f
	c.cause = err
	return &c
}

// With returns a copy of f with one more detail.
func (f *Fault) With(key string, value any) *Fault {
	c := *f
	c.Details = make(map[string]any, len(f.Details)+1)
	for k, v := range f.Details {
		c.Details[k] = v
	}
	c.Details[key] = value
	return &c
}

// WaitKey is the key of a detail of limit_reached: after how many seconds the
// same call may succeed.
const WaitKey = "retryAfterSeconds"

// Final returns a copy of f that is not retryable, even if its code is.
func (f *Fault) Final() *Fault {
	c := *f
	c.final = true
	return &c
}

// Retryable reports whether the same call may succeed later without a repair. A
// limit_reached is retryable only if it says when.
func (f *Fault) Retryable() bool {
	if f.final || !f.Code.Info().Retryable {
		return false
	}
	_, waits := f.Details[WaitKey]
	return waits || f.Code != LimitReached
}

// From returns the fault in err's chain. Any other error becomes Internal; its
// text is kept as the cause and not shown. From(nil) is nil.
func From(err error) *Fault {
	if err == nil {
		return nil
	}
	var f *Fault
	if errors.As(err, &f) {
		return f
	}
	return New(Internal, "something went wrong inside glovebox").
		Hinted("look for the correlation id in the gateway's log").Because(err)
}

// CodeOf returns the code of err, Internal for an error that is not a fault, and
// the empty code for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	return From(err).Code
}
