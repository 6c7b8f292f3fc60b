package engine

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Filling is what page.fill_secret is done with: the caller's words, and what
// only the gateway knows. Look takes the caller's words alone.
type Filling struct {
	action.FillSecret
	Value  credentials.Secret
	Origin string // scheme://host[:port]; no other gets it
}

// fill gives a protected field its secret. The page gets it in one go, and only
// while document, element and origin are those that were judged. Faults:
// page_changed, not_actionable, denied_by_policy.
func (in *input) fill(ctx context.Context, t *tab, a *Filling, pin action.Pin) (any, error) {
	before := in.effects.mark(t)
	at, err := in.takeFocused(ctx, t, pin, injected.ForType, injected.Focus{}, a.Timing)
	if err != nil {
		return nil, err
	}
	acted := in.acted(at, pin)
	if err := in.focus(ctx, t, at, injected.Focus{}); err != nil {
		return nil, err
	}
	q := injected.Filling{Node: at.node, Print: pin.Print, Origin: a.Origin, Value: a.Value.Reveal()}
	filled, err := at.place.world.Fill(ctx, q)
	if err != nil {
		return nil, err
	}
	if err := unfilled(filled); err != nil {
		return nil, err
	}
	out := &action.Filled{OK: true, Secret: a.Secret, Domain: a.Domain, Element: acted.Element, Matches: acted.Matches}
	_, err = in.effects.settleBy(ctx, t, &at.place, before, glance)
	return out, err
}

// unfilled says why a field has no secret.
func unfilled(f injected.Filled) error {
	switch {
	case f.OK:
		return nil
	case f.Error == "origin":
		return fault.New(fault.DeniedByPolicy, "the page, or one it is in, is not of the origin that the secret is for").
			Hinted("go to the site's own login page").With("rule", "secret.origin")
	case f.Error == "form":
		return fault.New(fault.DeniedByPolicy, "the form may be sent to another origin than the one that the secret is for").
			Hinted("leave this to a person, who is asked for with session.request_human").With("rule", "secret.form")
	case f.Error == "shown":
		return fault.New(fault.NotActionable, "the page showed what the field holds, so it was emptied again").
			Hinted("leave this to a person, who is asked for with session.request_human").With("reason", "shown")
	}
	return errChanged
}
