package action

// Kinds of record of the audit trail (Record.EventType). Each call has one intent and
// one outcome; the others are events.
const (
	EventIntent     = "intent"     // what a call asks for, and what was decided
	EventOutcome    = "outcome"    // what became of it
	EventSession    = "session"    // a session began, ended, or was found again after a restart
	EventBox        = "box"        // a box began or ended
	EventBlocked    = "blocked"    // a request was refused by the egress proxy or the page engine
	EventQuestion   = "question"   // a person was asked
	EventAnswer     = "answer"     // a person answered
	EventAlert      = "alert"      // a session was paused or failed, or a person is asked for: somebody should look
	EventProtocol   = "protocol"   // a client of the browser's protocol did something, or was refused it
	EventConfig     = "config"     // a configuration was loaded
	EventRefused    = "refused"    // calls that were refused before the gate, counted
	EventRetention  = "retention"  // old records were removed
	EventToken      = "token"      // a token was made or revoked
	EventEffect     = "effect"     // a request that may change something left, was refused, or was answered
	EventNavigation = "navigation" // a document was requested
	EventInjection  = "injection"  // credentials were put into a session, could not be, or were removed
)

// AuditEvents are all kinds of record.
var AuditEvents = []string{
	EventIntent, EventOutcome, EventSession, EventBox, EventBlocked, EventQuestion, EventAnswer, EventProtocol, EventConfig,
	EventRetention, EventRefused, EventAlert, EventToken, EventInjection, EventEffect, EventNavigation,
}
