package bridge

import (
	"context"
	"errors"
	"syscall"
	"time"
)

const scarcityPause = 100 * time.Millisecond // before accepting again when the system has run short

// scarce reports whether a failed accept may be tried again, and waits a
// little: a process that is short of file descriptors or memory for a moment
// loses no box over it.
func scarce(ctx context.Context, err error) bool {
	for _, passing := range []error{
		syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED,
	} {
		if errors.Is(err, passing) {
			timer := time.NewTimer(scarcityPause)
			defer timer.Stop()
			select {
			case <-timer.C:
				return true
			case <-ctx.Done():
				return false
			}
		}
	}
	return false
}
