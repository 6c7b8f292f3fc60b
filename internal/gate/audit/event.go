package audit

// The kinds of record. Each call leaves one intent and one
// outcome; the others are events.
const (
	Intent     = "intent"     // what a call asks for, and what was decided
	Outcome    = "outcome"    // what became of it
	Session    = "session"    // a session began, ended, was found again
	Box        = "box"        // a box began or ended
	Blocked    = "blocked"    // a request was refused by the egress proxy or the page engine
	Question   = "question"   // a person was asked
	Answer     = "answer"     // a person answered
	Alert      = "alert"      // a session was paused or failed, or a person is wanted: somebody should look
	Protocol   = "protocol"   // what a client of the browser's protocol did, and what it was refused
	Config     = "config"     // a configuration was loaded
	Refused    = "refused"    // calls that were refused before the gate and only counted
	Retention  = "retention"  // old records were removed
	Token      = "token"      // a token was made or revoked
	Effect     = "effect"     // a request that may have changed something left, was refused, or got its answer
	Navigation = "navigation" // a document was asked for
	Injection  = "injection"  // credentials were put into a session, could not be, or were taken out
)

// Events are all kinds of record.
var Events = []string{Intent, Outcome, Session, Box, Blocked, Question, Answer, Protocol, Config, Refused, Retention, Alert, Token, Injection, Effect, Navigation}
