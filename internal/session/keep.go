package session

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/artifact"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// redacted is a session as it is stored: where its page is, what the page calls
// itself and what was said of it may be made of a secret.
func (w *saver) redacted(s action.Session, c pauseState) (action.Session, pauseState) {
	known := w.known.Of(s.ID)
	session, err := redact.Value(known, s)
	hands, failed := redact.Value(known, c)
	if err != nil || failed != nil {
		s.Page, c.Before, c.Notes = nil, view{}, nil
		return s, c
	}
	return session, hands
}

// save keeps a file of a session without the secrets of it, in name and
// content. The file that is returned is the one that was kept. Faults:
// redaction_failed for one that has a secret and is no text, and those of the
// artifacts.
func (f *fileStore) save(ctx context.Context, owner artifact.Owner, name, mediaType string, content []byte) (action.File, error) {
	name, content, err := f.known.Of(owner.Session).File(name, content)
	if err != nil {
		return action.File{}, fault.New(fault.RedactionFailed, "the file has a secret of this session, or cannot be looked through for one, and is neither kept nor handed out").
			Hinted("get what you need of it from the page").Because(err)
	}
	kept, err := f.artifacts.Save(ctx, owner, name, mediaType, content)
	return action.File{Artifact: kept, Bytes: content}, err
}
