package action

import (
	"net/http"
	"time"
)

// The verbs of this file.
var (
	VerbApprovalStatus = Define[ByID, Question](Verb{Name: "approval.status", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/approvals/{id}/status", Tool: "browser_approval_status", Summary: "Say whether a question was answered"})
	VerbApprovalList   = Define[ApprovalList, QuestionListing](Verb{Name: "approval.list", Class: Admin, Risk: Low, Method: http.MethodGet, Path: "/approvals", Command: "approvals list", Summary: "List questions that wait for a person"})
	VerbApprovalShow   = Define[ByID, Question](Verb{Name: "approval.show", Class: Admin, Risk: Low, Method: http.MethodGet, Path: "/approvals/{id}", Command: "approvals show", Summary: "Show a question"})
	VerbApprovalAnswer = Define[Answer, Question](Verb{Name: "approval.answer", Class: Admin, Risk: Low, Method: http.MethodPost, Path: "/approvals/{id}/answer", Command: "approvals approve", Summary: "Approve or deny a question"})
	VerbGrantList      = Define[None, GrantListing](Verb{Name: "grant.list", Class: Admin, Risk: Low, Method: http.MethodGet, Path: "/sessions/{session}/grants", Command: "approvals grants", Summary: "List what people allowed for the rest of a session"})
	VerbGrantRevoke    = Define[ByID, Revoked](Verb{Name: "grant.revoke", Class: Admin, Risk: Low, Method: http.MethodDelete, Path: "/sessions/{session}/grants/{id}", Command: "approvals revoke", Summary: "Take back what was allowed for the rest of a session"})
)

// EventKinds are the kinds of event.
var EventKinds = []string{"session", "question", "answer", "action", "alert", "config"}

// Grant is an answer that covers later calls: of one verb, on one host, for the
// rest of its session.
type Grant struct {
	ID        string    `json:"id"` // of the question that it answers
	Session   string    `json:"session"`
	Verb      string    `json:"verb"`
	Host      string    `json:"host"`
	Granted   time.Time `json:"granted"`
	GrantedBy string    `json:"grantedBy"`
	Reason    string    `json:"reason,omitempty"`
}

// GrantListing is a list of grants, oldest first.
type GrantListing struct {
	Grants []Grant `json:"grants"`
}

// Revoked says that a grant is no longer valid.
type Revoked struct {
	OK bool `json:"ok"`
}

// ApprovalList filters questions.
type ApprovalList struct {
	State string `json:"state,omitempty" query:"state" enum:"pending,approved,denied,expired,used,all" doc:"pending when empty"`
}

// Answer answers a question. An approval of a CRITICAL call needs a reason.
type Answer struct {
	ID         string `json:"id" path:"id" minLength:"1" maxLength:"64" doc:"Of the question"`
	Approve    bool   `json:"approve" doc:"true lets the call through, false denies it"`
	Reason     string `json:"reason,omitempty" maxLength:"1000" doc:"Why, for the record; a CRITICAL call needs one" example:"the customer asked for it"`
	ForSession bool   `json:"forSession,omitempty" doc:"Cover later calls of this kind in the session; MEDIUM, or page.fill_secret"`
	Only       []int  `json:"only,omitempty" maxItems:"20" doc:"Of a question about several requests: approve those with these numbers, from 1, and deny the others"`
}

// Question is a request to a person for approval.
type Question struct {
	ID         string     `json:"id"`
	State      string     `json:"state" example:"pending"` // pending, approved, denied, expired, used
	Session    string     `json:"session"`
	Scope      string     `json:"scope"`
	Actor      string     `json:"actor"`
	Verb       string     `json:"verb"`
	Risk       Risk       `json:"risk"`
	Rule       string     `json:"rule"` // the rule that asks
	Why        string     `json:"why"`  // why it is asked, for people
	Element    *Element   `json:"element,omitempty"`
	Page       Page       `json:"page"`
	Input      string     `json:"input,omitempty"`      // typed text, redacted
	Request    *Held      `json:"request,omitempty"`    // the request that would leave the browser, where that is asked about
	Requests   []Held     `json:"requests,omitempty"`   // all requests that one act makes at once, if there are several; the answer is for all of them, or for those in only
	Within     string     `json:"within,omitempty"`     // labels, headings and short texts around the element, which tell it from others like it
	Screenshot string     `json:"screenshot,omitempty"` // artifact id of a picture with the element outlined; operators alone may fetch it
	Asked      time.Time  `json:"asked"`
	Expires    time.Time  `json:"expires"`
	Answered   *time.Time `json:"answered,omitempty"`
	AnsweredBy string     `json:"answeredBy,omitempty"`
	Reason     string     `json:"reason,omitempty"`
	Only       []int      `json:"only,omitempty"` // numbers of the requests that were approved, from 1; the others were denied
}

// QuestionListing is a list of questions, oldest first.
type QuestionListing struct {
	Questions []Question `json:"questions"`
}

// Sound refuses a denial for the session, because a denial applies only to this
// call.
func (a *Answer) Sound() error {
	if a.Approve {
		return nil
	}
	return Without(a, "a denial", "forSession", "only")
}
