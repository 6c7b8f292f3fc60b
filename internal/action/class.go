package action

import "fmt"

// Class is the kind of access that a verb gives. The zero Class is refused.
type Class int

// The classes of verbs.
const (
	Read  Class = iota + 1 // changes nothing
	Write                  // changes the page or the web
	Raw                    // unmediated access: script, HTML, cookies, CDP
	Admin                  // the operator's
)

var classNames = map[Class]string{Read: "read", Write: "write", Raw: "raw", Admin: "admin"}

// String returns the name of c, or "invalid".
func (c Class) String() string {
	if n, ok := classNames[c]; ok {
		return n
	}
	return "invalid"
}

// Risk is the risk of a call. The zero Risk means that the call was not judged,
// and is treated as the highest.
type Risk int

// The risks of calls.
const (
	Low Risk = iota + 1
	Medium
	High
	Critical
)

var riskNames = map[Risk]string{Low: "LOW", Medium: "MEDIUM", High: "HIGH", Critical: "CRITICAL"}

// String returns the name of r; CRITICAL for one that was not judged.
func (r Risk) String() string {
	if n, ok := riskNames[r]; ok {
		return n
	}
	return "CRITICAL"
}

// MarshalText writes the name of r.
func (r Risk) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads a name as MarshalText writes it.
func (r *Risk) UnmarshalText(text []byte) error {
	for risk, name := range riskNames {
		if name == string(text) {
			*r = risk
			return nil
		}
	}
	return fmt.Errorf("%q is no risk", text)
}
