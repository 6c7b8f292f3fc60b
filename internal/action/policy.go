package action

import (
	"encoding/json"
	"net/http"
)

// The verbs of this file.
var (
	VerbPolicyShow    = Define[None, PolicyView](Verb{Name: "policy.show", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/policy", Command: "policy show", Summary: "Show the policy in force"})
	VerbPolicyExplain = Define[PolicyQuery, PolicyExplanation](Verb{Name: "policy.explain", Class: Admin, Risk: Low, Method: http.MethodPost, Path: "/policy/explain", Command: "policy explain", Summary: "Say what would become of a call, and which rule would decide; nothing is done"})
)

// PolicyQuery asks how a call would be judged, without making it. The facts are
// those of a session's live page, or else those in the query.
type PolicyQuery struct {
	Verb string          `json:"verb" minLength:"1" maxLength:"64" doc:"A verb" example:"page.click"`
	Args json.RawMessage `json:"args,omitempty" doc:"The verb's arguments, as its call takes them"`
	Role Role            `json:"role,omitempty" enum:"agent,viewer,operator" doc:"Of the caller; agent when empty"`

	Session string `json:"session,omitempty" maxLength:"64" doc:"Look at this session's page, by id or name; nothing may be given of the page then"`

	Credentialed bool `json:"credentialed,omitempty" doc:"Credentials were put into the session"`

	PageURL string        `json:"pageUrl,omitempty" maxLength:"8192" doc:"Where the page is" example:"https://app.example.com/"`
	Element PolicyElement `json:"element,omitempty" doc:"What the page would say of the element"`
	Onto    PolicyElement `json:"onto,omitempty" doc:"The same of what something is dropped on"`
	Options []string      `json:"options,omitempty" maxItems:"1000" doc:"Labels of what would be chosen in a list"`
	Dialog  string        `json:"dialog,omitempty" maxLength:"8192" doc:"What the open dialog says, which asks to confirm"`
}

// Sound refuses a page or an element together with a session, because the
// session's own page is used.
func (q *PolicyQuery) Sound() error {
	if q.Session == "" {
		return nil
	}
	return Without(q, "session, whose own page is looked at", "credentialed", "pageUrl", "element", "onto", "options", "dialog")
}

// PolicyElement describes an element as a page might present it. The zero
// PolicyElement means none.
type PolicyElement struct {
	Role         string `json:"role,omitempty" maxLength:"64" doc:"ARIA role" example:"button"`
	Name         string `json:"name,omitempty" maxLength:"1024" doc:"Accessible name" example:"Delete"`
	Label        string `json:"label,omitempty" maxLength:"1024" doc:"Value, title, icon or test id, where the name says nothing"`
	Within       string `json:"within,omitempty" maxLength:"1024" doc:"Labels and headings of what it is in"`
	Tag          string `json:"tag,omitempty" maxLength:"64" doc:"In lower case; what the role suggests when empty"`
	Type         string `json:"type,omitempty" maxLength:"64" doc:"Of an input or button"`
	FieldName    string `json:"fieldName,omitempty" maxLength:"256" doc:"name and id attributes"`
	Placeholder  string `json:"placeholder,omitempty" maxLength:"1024" doc:"Of a field"`
	Autocomplete string `json:"autocomplete,omitempty" maxLength:"256" doc:"The attribute"`
	FrameURL     string `json:"frameUrl,omitempty" maxLength:"8192" doc:"Of the frame it is in; the page when empty"`
	LinkURL      string `json:"linkUrl,omitempty" maxLength:"8192" doc:"Where it leads"`
	FormAction   string `json:"formAction,omitempty" maxLength:"8192" doc:"Where its form is sent"`
	FormMethod   string `json:"formMethod,omitempty" enum:"get,post,dialog" doc:"How"`
	SubmitName   string `json:"submitName,omitempty" maxLength:"1024" doc:"Name of its form's default button"`
	Submits      bool   `json:"submits,omitempty" doc:"Activating it submits a form"`
	Toggle       bool   `json:"toggle,omitempty" doc:"A checkbox, radio, tab or switch"`
	Editable     bool   `json:"editable,omitempty" doc:"Text can be typed into it"`
	Protected    bool   `json:"protected,omitempty" doc:"Its value is a secret"`
}

// PolicyExplanation says how a call would be judged, and why.
type PolicyExplanation struct {
	Decision string       `json:"decision" enum:"allow,ask,deny"`
	AskAt    string       `json:"askAt,omitempty" enum:"act,wire"` // where people are asked: before the act, or before what it sends leaves the browser
	Risk     Risk         `json:"risk"`
	Rule     string       `json:"rule"` // which decided: a name of the built-in table, or rule.<number>
	Why      string       `json:"why"`
	Hint     string       `json:"hint,omitempty"` // of a refusal: what to do instead
	Builtin  PolicyReason `json:"builtin"`        // the verdict without configured rules
	Rules    []RuleTried  `json:"rules"`          // every configured rule, in order
	Assumed  []string     `json:"assumed"`        // what was not examined
	Policy   string       `json:"policy"`         // hash of the policy
}

// PolicyReason is a short form of a verdict.
type PolicyReason struct {
	Decision string `json:"decision" enum:"allow,ask,deny"`
	Risk     Risk   `json:"risk"`
	Rule     string `json:"rule"`
	Why      string `json:"why"`
}

// RuleTried is a configured rule, and whether it matched.
type RuleTried struct {
	Number      int    `json:"number"` // from 1, in the order of the file
	Description string `json:"description,omitempty"`
	Matched     bool   `json:"matched"`
	Why         string `json:"why"`
}

// PolicyView is the policy in force. Only operators see the patterns of rules.
type PolicyView struct {
	Policy    string         `json:"policy"`               // hash; equal policies have equal hashes
	File      string         `json:"file,omitempty"`       // the configuration file, for operators
	SHA256    string         `json:"fileSha256,omitempty"` // of the file
	Asking    bool           `json:"asking"`               // people can be asked; otherwise their questions are denied
	Timeouts  PolicyTimeouts `json:"timeouts"`
	Roles     []RoleClasses  `json:"roles"`
	Trusted   []string       `json:"trustedDomains"`
	Sensitive []string       `json:"sensitiveDomains"` // those configured, on top of the built-in ones
	Allowed   []string       `json:"allowedDomains"`   // where agents may go
	Rules     []PolicyRule   `json:"rules"`
}

// PolicyTimeouts is how long a question waits, in seconds.
type PolicyTimeouts struct {
	Medium   float64 `json:"medium"`
	High     float64 `json:"high"`
	Critical float64 `json:"critical"`
}

// RoleClasses lists the classes of verbs that a role may use.
type RoleClasses struct {
	Role    Role     `json:"role"`
	Classes []string `json:"classes"`
	Granted []string `json:"granted"` // verbs beyond them
}

// PolicyRule is a configured rule. Agents see only its number, action, risk and
// description.
type PolicyRule struct {
	Number      int      `json:"number"`
	Action      string   `json:"action,omitempty"`
	Risk        string   `json:"risk,omitempty" enum:"LOW,MEDIUM,HIGH,CRITICAL"`
	Description string   `json:"description,omitempty"`
	Tools       []string `json:"tools,omitempty"`
	Roles       []string `json:"roles,omitempty"`
	Hosts       []string `json:"hosts,omitempty"`
	Conditions  []string `json:"conditions,omitempty"` // in words
}
