// Package replay writes what happened in a session as one HTML file, which needs
// no gateway. The script of the file plays the records and verifies their hashes.
package replay

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

var (
	//go:embed page.html
	page string
	//go:embed page.css
	style string
	//go:embed verify.js
	verifyScript string
	//go:embed page.js
	pageScript string
	script     = verifyScript + pageScript
)

// mediaTypes are the types of the pictures that a file shows.
var mediaTypes = []string{"image/png", "image/jpeg", "image/webp"}

var artifactID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// Pictures returns the picture of an artifact. Fault: not_found if it was removed.
type Pictures func(artifact string) (action.File, error)

// Write writes the parts of a whole replay as an HTML file. The file has nothing of
// the replay but the fields that the gateway signed and the pictures whose hashes they
// have. If pictures is nil, the file has none. Faults: those of pictures; internal if a
// part is not what the gateway signed.
func Write(to io.Writer, parts []*action.Replay, pictures Pictures) error {
	if _, err := fmt.Fprintf(to, page, sourceOf(script), sourceOf(style), style); err != nil {
		return err
	}
	written := map[string]bool{}
	for _, part := range parts {
		for _, p := range part.Pictures {
			if pictures == nil || written[p.Artifact] || !artifactID.MatchString(p.Artifact) {
				continue
			}
			written[p.Artifact] = true
			if err := writePicture(to, p.Artifact, pictures); err != nil {
				return err
			}
		}
	}
	for i, part := range parts {
		if err := writePart(to, i, part); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(to, "<script>%s</script>\n</body>\n</html>\n", script)
	return err
}

// writePicture writes a picture as an element that shows nothing by itself, so that
// the browser decodes only the picture that is looked at. A picture that retention has
// removed, or of another type, is left out.
func writePicture(to io.Writer, artifact string, pictures Pictures) error {
	file, err := pictures(artifact)
	switch {
	case fault.CodeOf(err) == fault.NotFound:
		return nil
	case err != nil:
		return err
	case !slices.Contains(mediaTypes, file.MediaType):
		return nil
	}
	_, err = fmt.Fprintf(to, "<script type=\"text/plain\" data-picture=\"%s\">%s</script>\n", artifact, base64.StdEncoding.EncodeToString(file.Bytes))
	return err
}

// writePart writes the fields of a part, each as an element with the text that was
// signed, and the signature as another.
func writePart(to io.Writer, number int, part *action.Replay) error {
	texts, err := part.Fields()
	if err != nil {
		return err
	}
	if part.Seal != nil {
		if err := isSealed(texts, part.Seal); err != nil {
			return err
		}
		seal, err := json.Marshal(part.Seal) // escapes <, > and &, as Fields does
		if err != nil {
			return fmt.Errorf("cannot write the signature: %w", err)
		}
		texts[sealField] = string(seal)
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if _, err := fmt.Fprintf(to, "<script type=\"application/json\" data-part=\"%d\" data-field=\"%s\">%s</script>\n", number, name, texts[name]); err != nil {
			return err
		}
	}
	return nil
}

// sealField is the element with the signature of a part; no field has this name.
const sealField = "seal"

// isSealed reports whether the signed statement has these fields: a gateway of another
// version may have written them in another way. The signature itself is verified when
// the file is opened.
func isSealed(texts map[string]string, seal *action.ReplaySeal) error {
	var statement action.ReplayStatement
	err := json.Unmarshal([]byte(seal.Statement), &statement)
	same := err == nil && len(statement.Fields) == len(texts)
	for name, text := range texts {
		sum := sha256.Sum256([]byte(text))
		same = same && statement.Fields[name] == hex.EncodeToString(sum[:])
	}
	if !same {
		return fault.New(fault.Internal, "the replay that was received is not the one that the gateway signed").
			Hinted("use the same version of glovebox for gateway and client, and export it again")
	}
	return nil
}

// sourceOf returns the source expression of Content-Security-Policy that allows an
// element with this text.
func sourceOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
