package engine

import (
	"strings"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Headers of an answer that the egress door wrote itself in a server's place.
// It strips them from what servers send, and only plain HTTP can carry them:
// a TLS connection that the door refuses fails as a tunnel.
const (
	refusedHeader = "x-glovebox-refused"
	failedHeader  = "x-glovebox-failed"
)

// turnedAway returns the fault of a document that the egress door answered for
// itself, nil for every other.
func turnedAway(address string, headers map[string]string) error {
	if !strings.HasPrefix(address, "http://") {
		return nil
	}
	for name, words := range headers {
		switch strings.ToLower(name) {
		case refusedHeader:
			return fault.New(fault.BlockedDomain, "%s is not allowed: %s", host(address), words).
				Hinted("stay on the hosts the session allows; an operator can add hosts to security.network")
		case failedHeader:
			return unloaded(address, words)
		}
	}
	return nil
}
