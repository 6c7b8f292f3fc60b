package artifact

import "mime"

const unknownType = "application/octet-stream"

// cleanType returns the media type, or application/octet-stream if it does not
// parse.
func cleanType(mediaType string) string {
	parsed, params, err := mime.ParseMediaType(mediaType)
	if err != nil {
		return unknownType
	}
	if formatted := mime.FormatMediaType(parsed, params); formatted != "" {
		return formatted
	}
	return unknownType
}
