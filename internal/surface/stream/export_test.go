package stream

import "time"

// Hurry makes the limits of a server short, before it serves anybody.
func (s *Server) Hurry(connect, noPicture, write time.Duration) {
	s.limits.connect, s.limits.noPicture, s.limits.write = connect, noPicture, write
	s.limits.pingEvery, s.limits.pong = write, write
}

// QueueLength is how many events of a viewer may wait.
const QueueLength = queueLength
