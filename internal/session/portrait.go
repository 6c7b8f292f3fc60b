package session

import (
	"context"
	"fmt"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/artifact"
)

// TargetScreenshot keeps a picture of a page with what a pin names outlined, for the
// people who are asked about it: it may show what the agent may not read, so
// only operators can fetch the artifact whose id is returned. Faults:
// not_active, limit_reached, and those of the page engine.
func (r *Registry) TargetScreenshot(ctx context.Context, call action.Call, pin action.Pin) (string, error) {
	call.Session = pin.Session
	l, err := r.admit(ctx, call)
	if err != nil {
		return "", err
	}
	ctx, leave, err := l.enter(ctx, call)
	if err != nil {
		return "", err
	}
	defer leave()
	picture, err := l.stage().browser.Portrait(ctx, pin)
	if err != nil {
		return "", fmt.Errorf("cannot take the picture: %w", err)
	}
	owner := artifact.Owner{Scope: l.scope, Session: l.id, Private: true}
	kept, err := r.saved(ctx, owner, "question.jpeg", "image/jpeg", picture)
	if err != nil {
		return "", fmt.Errorf("cannot keep the picture: %w", err)
	}
	return kept.ID, nil
}
