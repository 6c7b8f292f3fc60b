package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// giveLimit bounds how long a browser may take to write what it knows and end.
const giveLimit = 12 * time.Second

// restOfTar is how much may follow the end of a tar: padding.
const restOfTar = 1 << 20

// ErrNoProfile is in the chain of what a Guest returns that has no profile to
// take or give, or not any more.
var ErrNoProfile = errors.New("no profile")

func (e *endpoint) takeProfile(w http.ResponseWriter, r *http.Request) {
	err := e.guest.TakeProfile(r.Body)
	// A tar ends before its stream does. An answer given before the rest was
	// read closes the connection, and the gateway would take that for a failure.
	_, _ = io.CopyN(io.Discard, r.Body, restOfTar)
	switch {
	case errors.Is(err, ErrNoProfile):
		refuse(w, http.StatusForbidden, "no_profile")
	case err != nil:
		refuse(w, http.StatusBadRequest, "profile_not_taken")
	default:
		answer(w, struct{}{})
	}
}

// giveProfile answers when the browser has ended. What breaks afterwards breaks
// the answer off, so that half a profile does not pass for a whole one.
func (e *endpoint) giveProfile(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), giveLimit)
	defer cancel()
	switch err := e.guest.EndBrowser(ctx); {
	case errors.Is(err, ErrNoProfile):
		refuse(w, http.StatusForbidden, "no_profile")
		return
	case err != nil:
		refuse(w, http.StatusServiceUnavailable, "browser_not_ended")
		return
	}
	w.Header().Set("Content-Type", "application/x-tar")
	if err := e.guest.GiveProfile(w); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// sendProfile gives the guest what the browser starts with. A fault of who
// writes it comes back as it is.
func (l *Link) sendProfile(ctx context.Context) error {
	r, w := io.Pipe()
	wrote := make(chan error, 1)
	go func() {
		err := l.o.Profile(w)
		wrote <- err
		_ = w.CloseWithError(err)
	}()
	res, err := l.exchange(ctx, "/profile/take", r)
	_ = r.Close() // whoever still writes is told so
	if cause := <-wrote; cause != nil && !errors.Is(cause, io.ErrClosedPipe) {
		err = cause
	}
	if res != nil {
		_ = res.Body.Close()
	}
	return err
}

// Profile ends the browser in order and returns its profile as a tar; ctx is
// for reading it too. It is hostile input, of any size. Faults:
// invalid_request for a box that keeps none, cdp_error.
func (l *Link) Profile(ctx context.Context) (io.ReadCloser, error) {
	res, err := l.exchange(ctx, "/profile/give", nil)
	if err != nil {
		return nil, err
	}
	return res.Body, nil
}

// exchange makes a request whose body or answer is a stream.
func (l *Link) exchange(ctx context.Context, path string, body io.Reader) (*http.Response, error) {
	w, err := l.wire(ctx)
	if err != nil {
		return nil, err
	}
	req, err := l.request(ctx, http.MethodPost, path, nil)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Body = io.NopCloser(body)
	}
	res, err := w.client.Do(req)
	if err != nil {
		return nil, silent(l.o.Box).Because(err)
	}
	if res.StatusCode == http.StatusOK {
		return res, nil
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode == http.StatusForbidden {
		return nil, fault.New(fault.InvalidRequest, "box %s keeps no profile", l.o.Box).
			Hinted("start a session with a profile").Because(fmt.Errorf("%s: %s", path, res.Status))
	}
	return nil, refused(l.o.Box, res)
}
