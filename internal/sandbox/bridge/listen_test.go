package bridge

import (
	"context"
	"fmt"
	"net"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestAcceptIsRetriedOnlyForTemporaryShortage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		if !retryAccept(t.Context(), &net.OpError{Op: "accept", Err: fmt.Errorf("accept4: %w", syscall.EMFILE)}) {
			t.Error("too many open files ends a box")
		}
		if time.Since(begin) != acceptRetryDelay {
			t.Errorf("waited %v", time.Since(begin))
		}
		if retryAccept(t.Context(), net.ErrClosed) || time.Since(begin) != acceptRetryDelay {
			t.Error("a closed listener is tried again")
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if retryAccept(ctx, syscall.ENFILE) {
			t.Error("the end of the link is not heard")
		}
	})
}
