package engine

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/download"
)

// Files carries files between callers and the box of a browser. It must be
// safe for concurrent use.
type Files interface {
	// Stage puts the files of an upload where the browser can read them, and
	// returns them in order. Faults: not_found, invalid_request, limit_reached.
	Stage(ctx context.Context, a *action.Upload) ([]action.SentFile, error)
	download.Store
}

const mostQuote = 80 // characters of a file name in a note
