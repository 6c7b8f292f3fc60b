package bridge

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

const fileTimeout = 60 * time.Second // for a file of MaxUpload bytes on a busy machine

// Put writes a file into a new folder of the box (sandbox.Box). The path is made
// here and not taken from the guest, which is not trusted.
func (l *Link) Put(ctx context.Context, name string, content []byte) (string, error) {
	if !isFileName(name) || len(content) > MaxUpload {
		return "", fault.New(fault.InvalidRequest, "a file to upload has one plain name and %d bytes at most", MaxUpload).
			Hinted("give it a name without a path")
	}
	folder := sandbox.NewID()
	ctx, cancel := context.WithTimeout(ctx, fileTimeout)
	defer cancel()
	res, err := l.fileRequest(ctx, http.MethodPut, "/upload/"+folder+"/"+url.PathEscape(name), content)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	switch res.StatusCode {
	case http.StatusOK:
		return path.Join(l.options.Home, sandbox.UploadFolder, folder, name), nil
	case http.StatusInsufficientStorage:
		return "", fault.New(fault.LimitReached, "box %s has no room for a file of %d bytes", l.options.Box, len(content)).
			Hinted("upload less at a time").With("limit", "upload folder")
	}
	return "", refusalFault(l.options.Box, res)
}

// Fetch reads a downloaded file (sandbox.Box).
func (l *Link) Fetch(ctx context.Context, id string, most int64) ([]byte, error) {
	if !downloadPattern.MatchString(id) {
		return nil, downloadNotFound()
	}
	ctx, cancel := context.WithTimeout(ctx, fileTimeout)
	defer cancel()
	res, err := l.fileRequest(ctx, http.MethodGet, "/download/"+id, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	switch res.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound:
		return nil, downloadNotFound()
	default:
		return nil, refusalFault(l.options.Box, res)
	}
	content, err := io.ReadAll(io.LimitReader(res.Body, most+1))
	switch {
	case err != nil:
		return nil, noAnswer(l.options.Box).Because(err)
	case int64(len(content)) > most:
		return nil, fault.New(fault.LimitReached, "the file has more than %d bytes", most).
			Hinted("download a smaller one").With("max", most)
	}
	return content, nil
}

func downloadNotFound() *fault.Fault {
	return fault.New(fault.NotFound, "nothing was downloaded as that").Hinted("list the downloads there are")
}

// Remove removes a file (sandbox.Box).
func (l *Link) Remove(ctx context.Context, file string) error {
	at := "/download/" + file
	if rest, found := strings.CutPrefix(file, path.Join(l.options.Home, sandbox.UploadFolder)+"/"); found {
		folder, name, _ := strings.Cut(rest, "/")
		if !folderPattern.MatchString(folder) || !isFileName(name) {
			return fault.New(fault.InvalidRequest, "that is no file of the box").Hinted("give a path that Put returned")
		}
		at = "/upload/" + folder + "/" + url.PathEscape(name)
	} else if !downloadPattern.MatchString(file) {
		return downloadNotFound()
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return l.call(ctx, http.MethodDelete, at, nil, nil)
}

// fileRequest sends one request whose request body or response body is a file.
func (l *Link) fileRequest(ctx context.Context, method, at string, content []byte) (*http.Response, error) {
	guest, err := l.waitGuest(ctx)
	if err != nil {
		return nil, err
	}
	req, err := l.newRequest(ctx, method, at, nil)
	if err != nil {
		return nil, err
	}
	if method == http.MethodPut {
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(content)), int64(len(content))
		if len(content) == 0 {
			req.Body = http.NoBody
		}
	}
	res, err := guest.client.Do(req)
	if err != nil {
		return nil, noAnswer(l.options.Box).Because(fmt.Errorf("%s: %w", method, err))
	}
	return res, nil
}
