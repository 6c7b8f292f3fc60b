package session

import (
	"context"
	"log/slog"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/artifact"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// fileStore keeps the files of sessions as artifacts, without the secrets that
// the session knows.
type fileStore struct {
	artifacts *artifact.Store
	known     *redact.SecretStore
	sessions  *directory
	log       *slog.Logger
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

// keep saves a file as an artifact. One that cannot be kept is still returned,
// with a note.
func (f *fileStore) keep(ctx context.Context, sess *openSession, name, mediaType string, content []byte, result *action.Result) {
	kept, err := f.save(ctx, artifact.Owner{Scope: sess.scope, Session: sess.id}, name, mediaType, content)
	if err != nil {
		f.log.WarnContext(ctx, "cannot keep a file", "name", name, "session", sess.id, "error", err)
		what, _, _ := strings.Cut(name, ".")
		result.Notes = append(result.Notes, "the "+what+" was not kept: "+fault.From(err).Message)
		return
	}
	result.Artifacts = append(result.Artifacts, kept.Artifact)
}

// fileOf is the file that a result holds, if it is one to keep.
func fileOf(data any) (name, mediaType string, content []byte) {
	switch file := data.(type) {
	case *action.Screenshot:
		if file != nil {
			format := strings.ToLower(file.Format)
			return "screenshot." + format, "image/" + format, file.Bytes
		}
	case *action.HAR:
		if file != nil && !file.Headers { // what operators alone may read is not kept where agents can fetch it
			return "session.har", "application/json", file.Bytes
		}
	case *action.PDF:
		if file != nil {
			return action.VerbPagePDF.Name, "application/pdf", file.Bytes
		}
	}
	return "", "", nil
}

func (f *fileStore) list(ctx context.Context, call action.Call) (action.Result, error) {
	record, _, err := f.sessions.recordOf(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	list, err := f.artifacts.List(ctx, artifact.Owner{Scope: record.Scope, Session: record.ID, Private: call.Caller.Role == action.Operator})
	if err != nil {
		return action.Result{}, err
	}
	return action.Result{Session: record.ID, Data: &action.ArtifactListing{Artifacts: list}}, nil
}

// put keeps a file that a caller sends, with a session that is open:
// what an ended one left stays as it was. Faults: not_active,
// session_not_found, invalid_request, limit_reached.
func (f *fileStore) put(ctx context.Context, call action.Call, args *action.NewFile) (action.Result, error) {
	if len(args.Bytes) > action.MostUpload {
		return action.Result{}, tooMuch()
	}
	sess, err := f.sessions.admit(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	ctx, leave, err := sess.enter(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	defer leave()
	owner := artifact.Owner{Scope: sess.scope, Session: sess.id}
	kept, err := f.save(ctx, owner, untrusted.FileName(args.Name), args.MediaType, args.Bytes)
	if err != nil {
		return action.Result{}, err
	}
	return action.Result{Session: sess.id, Data: &kept.Artifact}, nil
}

func (f *fileStore) lookAt(ctx context.Context, call action.Call) (action.Facts, action.Pin, error) {
	args, err := argsOf[action.ByID](call)
	if err != nil {
		return action.Facts{}, action.Pin{}, err
	}
	find := f.artifacts.Find
	if call.Caller.Role == action.Operator {
		find = f.artifacts.FindAny
	}
	a, err := find(ctx, call.Caller.Scope, args.ID)
	return action.Facts{Session: action.SessionFacts{ID: a.Session}}, action.Pin{Session: a.Session}, err
}

func (f *fileStore) get(ctx context.Context, call action.Call, args *action.ByID) (action.Result, error) {
	load := f.artifacts.Load
	if call.Caller.Role == action.Operator {
		load = f.artifacts.LoadAny
	}
	file, err := load(ctx, call.Caller.Scope, args.ID)
	if err != nil {
		return action.Result{}, err
	}
	return action.Result{Session: file.Session, Data: &file}, nil
}
