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

// endBrowserTimeout limits how long a browser may take to write its data and exit.
const endBrowserTimeout = 12 * time.Second

// maxTarPadding limits the padding that may follow the end of a tar.
const maxTarPadding = 1 << 20

// ErrNoProfile is wrapped by the errors of a Guest that cannot load or save a
// profile: its box has none, or it is too late.
var ErrNoProfile = errors.New("no profile")

func (e *endpoint) loadProfile(w http.ResponseWriter, r *http.Request) {
	err := e.guest.LoadProfile(r.Body)
	// A tar ends before its stream does. A response sent before the rest is read
	// closes the connection, which the gateway would report as a failure.
	_, _ = io.CopyN(io.Discard, r.Body, maxTarPadding)
	switch {
	case errors.Is(err, ErrNoProfile):
		writeError(w, http.StatusForbidden, "no_profile")
	case err != nil:
		writeError(w, http.StatusBadRequest, "profile_not_taken")
	default:
		writeJSON(w, struct{}{})
	}
}

// saveProfile sends the profile when the browser has exited. A later error
// aborts the response, so that the gateway does not accept a partial profile.
func (e *endpoint) saveProfile(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), endBrowserTimeout)
	defer cancel()
	switch err := e.guest.EndBrowser(ctx); {
	case errors.Is(err, ErrNoProfile):
		writeError(w, http.StatusForbidden, "no_profile")
		return
	case err != nil:
		writeError(w, http.StatusServiceUnavailable, "browser_not_ended")
		return
	}
	w.Header().Set("Content-Type", "application/x-tar")
	if err := e.guest.SaveProfile(w); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// sendProfile sends the guest the profile that the browser starts with. It
// returns a fault of Options.Profile unchanged.
func (l *Link) sendProfile(ctx context.Context) error {
	r, w := io.Pipe()
	wrote := make(chan error, 1)
	go func() {
		err := l.options.Profile(w)
		wrote <- err
		_ = w.CloseWithError(err)
	}()
	res, err := l.streamRequest(ctx, "/profile/take", r)
	_ = r.Close() // makes a pending write fail
	if cause := <-wrote; cause != nil && !errors.Is(cause, io.ErrClosedPipe) {
		err = cause
	}
	if res != nil {
		_ = res.Body.Close()
	}
	return err
}

// Profile shuts the browser down and returns its profile as a tar, which can be
// read while ctx lasts. The tar is untrusted and can have any size. Faults:
// invalid_request for a box without a profile, cdp_error.
func (l *Link) Profile(ctx context.Context) (io.ReadCloser, error) {
	res, err := l.streamRequest(ctx, "/profile/give", nil)
	if err != nil {
		return nil, err
	}
	return res.Body, nil
}

// streamRequest sends a request whose request body or response body is a stream.
func (l *Link) streamRequest(ctx context.Context, path string, body io.Reader) (*http.Response, error) {
	guest, err := l.waitGuest(ctx)
	if err != nil {
		return nil, err
	}
	req, err := l.newRequest(ctx, http.MethodPost, path, nil)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Body = io.NopCloser(body)
	}
	res, err := guest.client.Do(req)
	if err != nil {
		return nil, noAnswer(l.options.Box).Because(err)
	}
	if res.StatusCode == http.StatusOK {
		return res, nil
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode == http.StatusForbidden {
		return nil, fault.New(fault.InvalidRequest, "box %s keeps no profile", l.options.Box).
			Hinted("start a session with a profile").Because(fmt.Errorf("%s: %s", path, res.Status))
	}
	return nil, refusalFault(l.options.Box, res)
}
