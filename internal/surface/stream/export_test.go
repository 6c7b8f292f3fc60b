package stream

import "time"

// NewImpatient makes a server with short limits.
func NewImpatient(options Options, connect, noPicture, write time.Duration) (*Server, error) {
	l := defaultLimits()
	l.connect, l.noPicture, l.write, l.pingEvery, l.pong = connect, noPicture, write, write, write
	l.silence, l.tcpBuffer = time.Second, 4096
	return newServer(options, l)
}
