package action

import "net/http"

// VerbSessionReplay reads what happened in a session from the audit trail.
var VerbSessionReplay = Define[SessionReplay, Replay](Verb{Name: "session.replay", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/sessions/{session}/replay", Command: "session replay", Summary: "Read what happened in a session: its records in order, with pictures and questions"})

// SessionReplay asks for a part of a session's replay.
type SessionReplay struct {
	Cursor string `json:"cursor,omitempty" query:"cursor" maxLength:"37" pattern:"^[0-9]{1,18}-[0-9]{1,18}$" doc:"Where to go on: next of the answer before; the beginning when empty" example:"1200-4711"`
	Limit  int    `json:"limit,omitempty" query:"limit" minimum:"0" maximum:"1000" doc:"So many records at most; 200 when 0"`
}

// Replay is a part of what happened in a session, in order.
type Replay struct {
	Session   Session         `json:"session" doc:"As it is now"`
	Trail     *ReplayTrail    `json:"trail,omitempty" doc:"What the whole replay has; only in the answer to a call without cursor"`
	Records   []ReplayRecord  `json:"records" doc:"In order"`
	Pictures  []ReplayPicture `json:"pictures" doc:"Pictures of these records; retention may have removed some"`
	Seen      []Sight         `json:"seen" doc:"What an agent saw of the page in the calls whose outcome is among these records"`
	Questions []Question      `json:"questions" doc:"Questions of these records, with their answers, as they are now"`
	Next      string          `json:"next,omitempty" doc:"Cursor of the next part; absent in the last one"`
	Seal      *ReplaySeal     `json:"seal,omitempty" doc:"The gateway's signature of this part"`
}

// ReplayTrail describes all records of a replay. The records that are stored
// after the first part was read do not belong to it.
type ReplayTrail struct {
	Seq     int64            `json:"seq" doc:"Number of the session's newest record"`
	Hash    string           `json:"hash" doc:"Its hash"`
	Count   int64            `json:"count" doc:"How many records there are"`
	Digest  string           `json:"digest" doc:"SHA-256 over the hashes of all records in order, each as 32 bytes; hex"`
	Events  map[string]int64 `json:"events" doc:"How many records there are of each kind"`
	Results map[string]int64 `json:"results" doc:"How many calls had each result"`
}

// ReplayRecord is a record with what is needed to verify its hash.
type ReplayRecord struct {
	Record
	Previous string `json:"previous" doc:"Hash of the record before it in the trail, which may be of another session; empty if retention has removed that one"`
	Line     string `json:"line" doc:"The record byte for byte as it was hashed, without its hash; empty if something in it had to be redacted after it was stored, so that its hash cannot be verified"`
}

// Sight is the text of a page that an agent was answered with: a snapshot, a
// report of changes, or the page as text or markdown.
type Sight struct {
	CorrelationID string `json:"correlation_id" doc:"Of the call"`
	Text          string `json:"text" doc:"Redacted"`
	Cut           bool   `json:"cut,omitempty" doc:"The agent was shown more"`
}

// ReplayPicture is the picture of a record.
type ReplayPicture struct {
	Seq      int64  `json:"seq" doc:"Number of the record"`
	Artifact string `json:"artifact" doc:"Id of the picture"`
	Address  string `json:"address" doc:"Where it is fetched" example:"/v1/artifacts/7c2e9b0d4a6f8135e7c9b1d3f5a70264"`
	SHA256   string `json:"sha256,omitempty" doc:"Of the picture; absent if it was removed"`
}
