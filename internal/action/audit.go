package action

import (
	"context"
	"io"
)

// AuditFilter says which records of the trail are wanted. What is empty does
// not matter.
type AuditFilter struct {
	Session  string `json:"session,omitempty" query:"session" maxLength:"64"`
	Actor    string `json:"actor,omitempty" query:"actor" maxLength:"128"`
	Verb     string `json:"verb,omitempty" query:"verb" maxLength:"64" example:"page.click"`
	Event    string `json:"event,omitempty" query:"event" maxLength:"32" doc:"Kind of record: intent, outcome, session, box, blocked, question, answer, protocol, config, retention, refused, alert, token, injection" example:"blocked"`
	Domain   string `json:"domain,omitempty" query:"domain" maxLength:"255" doc:"Host that a record is about" example:"app.example.com"`
	Risk     string `json:"risk,omitempty" query:"risk" enum:"LOW,MEDIUM,HIGH,CRITICAL"`
	Decision string `json:"decision,omitempty" query:"decision" maxLength:"32" doc:"What people had to do with it: auto_approved, operator, approved, denied, expired, pending" example:"denied"`
	Result   string `json:"result,omitempty" query:"result" maxLength:"32" doc:"What became of it: ok, fault, pending, cancelled, lost" example:"fault"`
	From     string `json:"from,omitempty" query:"from" maxLength:"40" doc:"Not before this time (RFC 3339)" example:"2026-11-21T08:00:00Z"`
	To       string `json:"to,omitempty" query:"to" maxLength:"40" doc:"Before this time (RFC 3339)" example:"2026-11-22T00:00:00Z"`
	House    bool   `json:"house,omitempty" query:"house" doc:"The records of no scope instead: the gateway's own, and calls of strangers"`
}

// AuditQuery reads a piece of the trail: the newest records, or those before
// or after one that was read before.
type AuditQuery struct {
	AuditFilter
	After  int64 `json:"after,omitempty" query:"after" minimum:"0" doc:"Only records with a greater sequence number"`
	Before int64 `json:"before,omitempty" query:"before" minimum:"0" doc:"Only records with a smaller sequence number"`
	Limit  int   `json:"limit,omitempty" query:"limit" minimum:"0" maximum:"1000" doc:"The newest so many, or with after the next so many; 100 when 0"`
}

// AuditPage is a piece of the trail, in order.
type AuditPage struct {
	Records []Record `json:"records" doc:"In order; the page behind them is asked for with after, the one before them with before"`
	Last    int64    `json:"last" doc:"Sequence number of the newest record there is"`
}

// AuditExport asks for all records that a filter lets through, as a file.
type AuditExport struct {
	AuditFilter
	Format string `json:"format,omitempty" query:"format" enum:"jsonl,csv" doc:"jsonl when empty: a record in each line, as it is stored, with its hash"`
}

// AuditFile is an export: it is read from the trail while it is sent.
type AuditFile struct {
	Name      string `json:"name"`
	MediaType string `json:"mediaType"`

	// Send writes it; it may be called once.
	Send func(ctx context.Context, to io.Writer) error `json:"-"`
}
