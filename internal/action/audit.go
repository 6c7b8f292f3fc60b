package action

import (
	"context"
	"io"
	"net/http"
	"time"
)

// The verbs of this file.
var (
	VerbAuditQuery  = Define[AuditQuery, AuditPage](Verb{Name: "audit.query", Class: Admin, Risk: Low, Method: http.MethodGet, Path: "/audit", Command: "audit query", Summary: "Read the audit trail"})
	VerbAuditExport = Define[AuditExport, AuditFile](Verb{Name: "audit.export", Class: Admin, Risk: Low, Method: http.MethodGet, Path: "/audit/export", Command: "audit export", Summary: "Export the audit trail as a file"})
	VerbAuditVerify = Define[None, AuditVerdict](Verb{Name: "audit.verify", Class: Admin, Risk: Low, Method: http.MethodGet, Path: "/audit/verify", Command: "audit verify", Summary: "Verify the audit trail's hash chain"})
)

// AuditFilter says which records of the trail are wanted. Empty fields do not
// filter.
type AuditFilter struct {
	Session  string `json:"session,omitempty" query:"session" maxLength:"64" doc:"Id of a session"`
	Actor    string `json:"actor,omitempty" query:"actor" maxLength:"128" doc:"Whose token it was"`
	Verb     string `json:"verb,omitempty" query:"verb" maxLength:"64" doc:"Name of a verb" example:"page.click"`
	Event    string `json:"event,omitempty" query:"event" maxLength:"32" doc:"Kind of record: intent, outcome, session, box, blocked, question, answer, protocol, config, retention, refused, alert, token, injection, effect, navigation" example:"blocked"`
	Domain   string `json:"domain,omitempty" query:"domain" maxLength:"255" doc:"Host that a record is about" example:"app.example.com"`
	Risk     string `json:"risk,omitempty" query:"risk" enum:"LOW,MEDIUM,HIGH,CRITICAL" doc:"Risk of the call"`
	Decision string `json:"decision,omitempty" query:"decision" maxLength:"32" doc:"What people had to do with it: auto_approved, operator, approved, denied, expired, pending" example:"denied"`
	Result   string `json:"result,omitempty" query:"result" maxLength:"32" doc:"What became of it: ok, fault, pending, cancelled, lost; of an effect also unknown; of an injection used or purged" example:"fault"`
	From     string `json:"from,omitempty" query:"from" maxLength:"40" doc:"Not before this time (RFC 3339)" example:"2026-11-21T08:00:00Z"`
	To       string `json:"to,omitempty" query:"to" maxLength:"40" doc:"Before this time (RFC 3339)" example:"2026-11-22T00:00:00Z"`
	Unscoped bool   `json:"unscoped,omitempty" query:"unscoped" doc:"The records of no scope instead: the gateway's own, and calls of strangers"`
}

// AuditQuery asks for a part of the trail: the newest records, or those before
// or after a known one.
type AuditQuery struct {
	AuditFilter
	After  int64 `json:"after,omitempty" query:"after" minimum:"0" doc:"Only records with a greater sequence number"`
	Before int64 `json:"before,omitempty" query:"before" minimum:"0" doc:"Only records with a smaller sequence number"`
	Limit  int   `json:"limit,omitempty" query:"limit" minimum:"0" maximum:"1000" doc:"The newest so many, or with after the next so many; 100 when 0"`
}

// AuditPage is a part of the trail, in order.
type AuditPage struct {
	Records []Record `json:"records" doc:"In order; the page behind them is asked for with after, the one before them with before"`
	Last    int64    `json:"last" doc:"Sequence number of the newest record there is"`
}

// AuditExport asks for all records that match a filter, as a file.
type AuditExport struct {
	AuditFilter
	Format string `json:"format,omitempty" query:"format" enum:"jsonl,csv" doc:"jsonl when empty: a record in each line, as it is stored, with its hash"`
}

// AuditFile is an export. It is read from the trail while it is sent.
type AuditFile struct {
	Name      string `json:"name"`
	MediaType string `json:"mediaType"`

	// Send writes the file. It may be called once.
	Send func(ctx context.Context, to io.Writer) error `json:"-"`
}

// Record is one line of the audit trail; see docs/audit.md.
type Record struct {
	Seq           int64     `json:"seq" doc:"place in the trail, from 1, without gaps"`
	EventType     string    `json:"event_type" doc:"intent and outcome of a call, or what else happened"`
	CorrelationID string    `json:"correlation_id" doc:"the same in intent, outcome, log, trace and the answer's X-Request-Id"`
	Timestamp     time.Time `json:"timestamp" doc:"UTC, microseconds"`
	Actor         string    `json:"actor,omitempty" doc:"whose token it was; absent for strangers and for the gateway itself"`
	Role          Role      `json:"role,omitempty" doc:"agent, viewer or operator"`
	Scope         string    `json:"scope,omitempty" doc:"the user or tenant that the caller acts for"`
	SessionID     string    `json:"session_id,omitempty"`
	ContainerID   string    `json:"container_id,omitempty" doc:"the box"`
	Action        string    `json:"action,omitempty" doc:"the verb, such as page.click"`
	Surface       string    `json:"surface,omitempty" doc:"rest, mcp or cli"`
	URL           string    `json:"url,omitempty" doc:"of the page, token-like parameters masked"`
	Domain        string    `json:"domain,omitempty" doc:"host of target_url, or else of url"`
	TargetURL     string    `json:"target_url,omitempty" doc:"where it would lead, masked likewise"`
	TargetElement string    `json:"target_element,omitempty" doc:"role, name and ref as the page has them, or what the caller said"`
	InputValue    string    `json:"input_value,omitempty" doc:"what was typed or chosen, redacted"`
	Result        string    `json:"result,omitempty" doc:"of an outcome: ok, fault, pending, cancelled or lost; of an effect ok, fault or unknown; of an injection ok, fault, used or purged; of a session its state"`
	Error         string    `json:"error,omitempty" doc:"fault code and message"`
	Risk          string    `json:"risk,omitempty" enum:"LOW,MEDIUM,HIGH,CRITICAL" doc:"Of the call"`
	Rule          string    `json:"rule,omitempty" doc:"the rule of the policy that decided"`
	HITLDecision  string    `json:"hitl_decision,omitempty" doc:"what people had to do with it: auto_approved, operator, approved, denied, expired or pending"`
	AnsweredBy    string    `json:"answered_by,omitempty" doc:"who answered the question"`
	Screenshot    string    `json:"screenshot_path,omitempty" doc:"id of the artifact"`
	UserAgent     string    `json:"user_agent,omitempty" doc:"what the client says it is"`
	DurationMS    int64     `json:"duration_ms,omitempty" doc:"of the whole call, a person's answer included"`
	ApprovalID    string    `json:"approval_id,omitempty" doc:"of the question it is about"`
	Detail        string    `json:"detail,omitempty"`
	Hash          string    `json:"hash" doc:"SHA-256 over the hash of the record before, as 32 bytes, and this record without its hash; hex"`
}

// AuditVerdict is the result of a verification.
type AuditVerdict struct {
	OK          bool   `json:"ok"`
	Records     int64  `json:"records" doc:"How many were verified"`
	First       int64  `json:"first,omitempty" doc:"Number of the oldest record there is; above 1 where retention has removed some"`
	Head        string `json:"head" doc:"Hash of the newest record"`
	Checkpoints int64  `json:"checkpoints,omitempty" doc:"Signed checkpoints that the trail holds"`
	Signed      int64  `json:"signed,omitempty" doc:"Number of the newest record that a checkpoint is of"`
	Key         string `json:"key,omitempty" doc:"Id of the key that signed"`
	Broken      int64  `json:"broken,omitempty" doc:"Number of the record where the trail is not right any more"`
	Problem     string `json:"problem,omitempty" doc:"What is wrong there"`
}
