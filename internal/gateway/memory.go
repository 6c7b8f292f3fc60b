package gateway

import (
	"os"
	"runtime/debug"
)

// gcPercent is how much may lie around before it is collected, in percent of
// what is in use: half of Go's own. A gateway allocates little and lives for
// long; a snapshot of a large page is what makes it grow.
const gcPercent = 50

// tuneGC makes the garbage collector keep memory low, unless $GOGC says otherwise.
func tuneGC() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}

// freeMemory returns to the system what only the start needed. Pools, as the one
// of 8 MiB in which migrations are read, give way at the second collection.
func freeMemory() {
	debug.FreeOSMemory()
	debug.FreeOSMemory()
}
