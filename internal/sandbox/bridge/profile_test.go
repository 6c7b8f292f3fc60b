package bridge

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

const someProfile = "cookies and all that"

func withProfile(text string, err error) func(*LinkOptions) {
	return func(o *LinkOptions) {
		o.Headless = true
		o.Profile = func(w io.Writer) error {
			_, failed := io.WriteString(w, text)
			return errors.Join(err, failed)
		}
	}
}

func TestProfileIsLoadedBeforeTheBrowserAndSavedAfterIt(t *testing.T) {
	r := newTestBox(t, 10*time.Second)
	r.guest.profile = &bytes.Buffer{}
	l := r.listen(withProfile(someProfile, nil))
	r.dial()
	var phases []string
	if err := l.WaitReady(r.context(), func(phase string) { phases = append(phases, phase) }); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(phases, ", "); !strings.Contains(got, "guest, unpacking the profile, waiting for the browser") {
		t.Errorf("phases %s", got)
	}
	back, err := l.Profile(r.context())
	if err != nil {
		t.Fatal(err)
	}
	defer back.Close()
	if got, err := io.ReadAll(back); string(got) != someProfile || err != nil {
		t.Errorf("%q came back, %v", got, err)
	}
}

func TestFaultOfTheProfileIsReturnedUnchanged(t *testing.T) {
	r := newTestBox(t, 10*time.Second)
	r.guest.profile = &bytes.Buffer{}
	l := r.listen(withProfile("half of i", fault.New(fault.NotFound, "no such profile").Hinted("list them")))
	r.dial()
	if err := l.WaitReady(r.context(), nil); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("ready: %v", err)
	}
}

func TestBoxWithoutAProfileLoadsAndSavesNone(t *testing.T) {
	r := newTestBox(t, 10*time.Second)
	l := r.listen(withProfile(someProfile, nil))
	r.dial()
	if err := l.WaitReady(r.context(), nil); fault.CodeOf(err) != fault.InvalidRequest {
		t.Errorf("took it: %v", err)
	}
	if _, err := l.Profile(r.context()); fault.CodeOf(err) != fault.InvalidRequest {
		t.Errorf("gave one: %v", err)
	}
}

func TestBrowserThatDoesNotExitReturnsNoProfile(t *testing.T) {
	r := newTestBox(t, 10*time.Second)
	r.guest.profile, r.guest.endErr = bytes.NewBufferString(someProfile), errors.New("hangs")
	l := r.listen(nil)
	r.dial()
	if _, err := l.Profile(r.context()); fault.CodeOf(err) != fault.CDPError {
		t.Errorf("gave one: %v", err)
	}
}

func TestPartialProfileIsAnError(t *testing.T) {
	r := newTestBox(t, 10*time.Second)
	r.guest.profile, r.guest.profileErr = bytes.NewBufferString(strings.Repeat(someProfile, 1000)), errors.New("breaks off")
	l := r.listen(nil)
	r.dial()
	back, err := l.Profile(r.context())
	if err != nil {
		return // the connection broke before the response began
	}
	defer back.Close()
	if got, err := io.ReadAll(back); err == nil {
		t.Errorf("%d bytes came as a whole", len(got))
	}
}
