package session

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/profile"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// profileKeeper loads profiles into boxes and saves them at the end of sessions.
type profileKeeper struct {
	profiles *profile.Store
	audit    auditor
	log      *slog.Logger
}

// profileLimit is how long a session's end waits for its profile: 10 s for the
// end of the browser, the rest for its files.
const profileLimit = 20 * time.Second

// idOf returns the id of the scope's profile with this id or name; empty for
// none. Faults: not_found.
func (k *profileKeeper) idOf(ctx context.Context, scope, key string) (string, error) {
	if key == "" {
		return "", nil
	}
	p, err := k.profiles.Find(ctx, scope, key)
	return p.ID, err
}

// loader returns a function that writes a profile into a starting box; nil for no
// profile.
func (k *profileKeeper) loader(id string) sandbox.Profile {
	if id == "" {
		return nil
	}
	return func(w io.Writer) error {
		return k.profiles.Load(context.Background(), id, w) // the start of the box limits it by closing w
	}
}

// checkProfileFree refuses a second session with a profile until the first one
// has saved it. Faults: already_active.
func checkProfileFree(record, other action.Session) error {
	if record.Profile == "" || record.Profile != other.Profile {
		return nil
	}
	return profileInUse(other)
}

func profileInUse(by action.Session) error {
	return fault.New(fault.AlreadyActive, "the profile is in use by session %s", label(by)).
		Hinted("close that session and wait until it has ended").With("session", by.ID)
}

// keep saves a session's profile before its box ends. If that fails, which is
// recorded, the profile is not changed.
func (k *profileKeeper) keep(ctx context.Context, sess *openSession, how ending, unpurged error) {
	at := sess.snapshot()
	id, box := at.record.Profile, at.box
	if id == "" || box == nil {
		return
	}
	if how.discard {
		k.audit.event(sess.now(), how.call, "its profile was left as it was")
		return
	}
	began := time.Now()
	err := errors.Join(unpurged, k.rememberOrigins(ctx, sess))
	if err == nil {
		err = k.save(ctx, id, box)
	}
	if err != nil {
		k.log.ErrorContext(ctx, "a profile was not saved", "session", sess.id, "profile", id, "error", err)
		k.audit.event(sess.now(), how.call, "its profile was not saved: "+fault.From(err).Message)
		return
	}
	k.log.InfoContext(ctx, "profile saved", "session", sess.id, "profile", id, "took", time.Since(began))
	k.audit.event(sess.now(), how.call, "its profile was saved")
}

// rememberOrigins stores the origins of a session's documents, whose storage is
// in the profile.
func (k *profileKeeper) rememberOrigins(ctx context.Context, sess *openSession) error {
	at := sess.snapshot()
	id, browser := at.record.Profile, at.browser
	if id == "" || browser == nil {
		return nil
	}
	return k.profiles.Visited(ctx, id, browser.Origins())
}

// save copies a profile out of a box. The browser has ended afterwards.
func (k *profileKeeper) save(ctx context.Context, id string, box sandbox.Box) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), profileLimit)
	defer cancel()
	files, err := box.Profile(ctx)
	if err != nil {
		return err
	}
	return errors.Join(k.profiles.Save(ctx, id, files), files.Close())
}

// rescue saves the profile of a session whose browser had ended when the gateway
// was killed, just before saving it.
func (k *profileKeeper) rescue(ctx context.Context, e entry, box sandbox.Box) {
	if e.terms.Profile == "" || box == nil {
		return
	}
	err := k.saveRescued(ctx, e, box)
	if err == nil {
		k.audit.event(e.Session, "", "its profile was saved after a restart of the gateway")
		return
	}
	k.audit.event(e.Session, "", "its profile was not saved: "+fault.From(err).Message)
	k.log.ErrorContext(ctx, "a profile was not saved", "session", e.ID, "profile", e.terms.Profile, "error", err)
}

// saveRescued saves the profile unless it contains what must not be stored: the
// browser has ended, so nothing can be removed from it any more.
func (k *profileKeeper) saveRescued(ctx context.Context, e entry, box sandbox.Box) error {
	keeps, err := k.keeps(ctx, e.terms)
	if err == nil && len(e.terms.Credentialed) > 0 && !keeps {
		err = unkeepable()
	}
	if err != nil {
		return err
	}
	return k.save(ctx, e.terms.Profile, box)
}

// keeps reports whether a session's credentials of the vault are saved in its
// profile. Before that it stores their domains.
func (k *profileKeeper) keeps(ctx context.Context, t terms) (bool, error) {
	if t.Profile == "" || len(t.Credentialed) == 0 {
		return false, nil
	}
	p, err := k.profiles.ByID(ctx, t.Profile)
	if err != nil || !p.KeepCredentials {
		return false, err
	}
	return true, k.profiles.Holds(ctx, p.ID, t.domains())
}

// inherit marks a starting session as credentialed if its profile contains
// credentials of earlier sessions or an imported login.
func (k *profileKeeper) inherit(ctx context.Context, t *terms) error {
	if t.Profile == "" {
		return nil
	}
	p, err := k.profiles.ByID(ctx, t.Profile)
	if err != nil || len(p.Credentialed)+len(p.Imported) == 0 {
		return err
	}
	t.Imported = p.Imported
	t.Credentialed = map[string]string{}
	for _, domain := range p.Credentialed {
		t.Credentialed[domain] = "" // an unknown version, so that it is injected at the first visit
	}
	return nil
}

func unkeepable() error {
	return fault.New(fault.CredentialsUnavailable, "it may hold stored credentials, and was not made to keep them").
		Hinted("glovebox profile create --keep-credentials makes one that may")
}
