package stream

import (
	"cmp"
	"time"
)

// Limits are short limits of a server. Those that are zero are too long to be
// reached, however slow the machine is.
type Limits struct{ Connect, NoPicture, Write, Pong, Silence time.Duration }

// NewWithLimits makes a server with limits for tests.
func NewWithLimits(options Options, short Limits) (*Server, error) {
	const never = time.Hour
	l := defaultLimits()
	l.connect, l.noPicture = cmp.Or(short.Connect, never), cmp.Or(short.NoPicture, never)
	l.write, l.pong, l.pingEvery = cmp.Or(short.Write, never), cmp.Or(short.Pong, never), cmp.Or(short.Pong, l.pingEvery)
	l.call, l.silence = never, cmp.Or(short.Silence, never)
	if short.Write > 0 {
		l.tcpBuffer = 4096
	}
	return newServer(options, l)
}
