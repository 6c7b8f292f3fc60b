package session

import (
	"bytes"
	"compress/gzip"
	"io"
)

// gunzip unpacks a file, at most as far as a file may be long: a small one can
// hold a thousand times as much.
func gunzip(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, maxFile))
}
