// Package replay writes what happened in a session as one HTML file, which needs
// no gateway. The script of the file plays the records and verifies their hashes.
package replay

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"regexp"
	"slices"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

var (
	//go:embed page.html
	page string
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// What the file has of a picture.
const (
	embedded = "embedded"
	removed  = "removed" // retention has removed it
	leftOut  = "left out"
)

// mediaTypes are the types of the pictures that a file shows.
var mediaTypes = []string{"image/png", "image/jpeg", "image/webp"}

var artifactID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// content is what the script of the file reads.
type content struct {
	Exported  time.Time           `json:"exported"`
	Session   action.Session      `json:"session"`
	Trail     *action.ReplayTrail `json:"trail"`
	Records   []line              `json:"records"`
	Seen      []action.Sight      `json:"seen"`
	Questions []action.Question   `json:"questions"`
	Pictures  map[string]string   `json:"pictures"` // artifact: embedded, removed or left out
}

// line is a record as it was hashed; record is set where that is not known.
type line struct {
	Line     string         `json:"line,omitempty"`
	Record   *action.Record `json:"record,omitempty"`
	Hash     string         `json:"hash"`
	Previous string         `json:"previous"`
}

// Pictures returns the picture of an artifact. Fault: not_found if it was removed.
type Pictures func(artifact string) (action.File, error)

// Write writes a whole replay as an HTML file. If pictures is nil, the file has
// none. Faults: those of pictures.
func Write(to io.Writer, r *action.Replay, pictures Pictures, now time.Time) error {
	c := content{Exported: now.UTC(), Session: r.Session, Trail: r.Trail, Records: make([]line, len(r.Records)), Seen: r.Seen, Questions: r.Questions, Pictures: map[string]string{}}
	for i := range r.Records {
		record := &r.Records[i]
		c.Records[i] = line{Line: record.Line, Hash: record.Hash, Previous: record.Previous}
		if record.Line == "" {
			c.Records[i].Record = &record.Record
		}
	}
	if _, err := fmt.Fprintf(to, page, sourceOf(script), sourceOf(style), html.EscapeString(r.Session.ID), style); err != nil {
		return err
	}
	for _, p := range r.Pictures {
		if c.Pictures[p.Artifact] != "" || !artifactID.MatchString(p.Artifact) {
			continue
		}
		var err error
		if c.Pictures[p.Artifact], err = writePicture(to, p.Artifact, pictures); err != nil {
			return err
		}
	}
	data, err := json.Marshal(c) // escapes <, > and &, so that no text ends the element
	if err != nil {
		return fmt.Errorf("cannot write the records: %w", err)
	}
	_, err = fmt.Fprintf(to, "<script type=\"application/json\" id=\"data\">%s</script>\n<script>%s</script>\n</body>\n</html>\n", data, script)
	return err
}

// writePicture writes a picture as an element that shows nothing by itself, so that
// the browser decodes only the picture that is looked at.
func writePicture(to io.Writer, artifact string, pictures Pictures) (state string, err error) {
	if pictures == nil {
		return leftOut, nil
	}
	file, err := pictures(artifact)
	switch {
	case fault.CodeOf(err) == fault.NotFound:
		return removed, nil
	case err != nil:
		return "", err
	case !slices.Contains(mediaTypes, file.MediaType):
		return leftOut, nil
	}
	_, err = fmt.Fprintf(to, "<script type=\"text/plain\" id=\"p-%s\">data:%s;base64,%s</script>\n", artifact, file.MediaType, base64.StdEncoding.EncodeToString(file.Bytes))
	return embedded, err
}

// sourceOf returns the source expression of Content-Security-Policy that allows an
// element with this text.
func sourceOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
