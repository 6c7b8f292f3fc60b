package forward

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const saveLimit = time.Minute // to fetch one file from the gateway

var idShape = regexp.MustCompile(`^[0-9a-f-]{36}$`)

// saver puts files that pages downloaded into the folder that the client named
// to the browser, under the names that the browser would have given them there.
type saver struct {
	gateway Gateway
	session string
	log     *slog.Logger

	mu     sync.Mutex
	folder string // empty: the client named none
}

// fromClient looks in a message of the client for the folder of its downloads.
func (s *saver) fromClient(_ context.Context, message []byte) {
	if !bytes.Contains(message, []byte(`"Browser.setDownloadBehavior"`)) {
		return
	}
	var m struct {
		Method string `json:"method"`
		Params struct {
			Folder string `json:"downloadPath"`
		} `json:"params"`
	}
	if json.Unmarshal(message, &m) != nil || m.Method != "Browser.setDownloadBehavior" || !filepath.IsAbs(m.Params.Folder) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.folder = m.Params.Folder
}

// fromBrowser looks in a message of the browser for a download that is complete. It
// is saved before the client gets the message.
func (s *saver) fromBrowser(ctx context.Context, message []byte) {
	if !bytes.Contains(message, []byte(`"Browser.downloadProgress"`)) {
		return
	}
	var m struct {
		Method string `json:"method"`
		Params struct {
			ID    string `json:"guid"`
			State string `json:"state"`
		} `json:"params"`
	}
	if json.Unmarshal(message, &m) != nil || m.Method != "Browser.downloadProgress" || m.Params.State != "completed" || !idShape.MatchString(m.Params.ID) {
		return
	}
	s.mu.Lock()
	folder := s.folder
	s.mu.Unlock()
	if folder == "" {
		return
	}
	if err := s.save(ctx, folder, m.Params.ID); err != nil {
		s.log.Warn("a download could not be put where the client looks for it", "download", m.Params.ID, "error", err)
	}
}

func (s *saver) save(ctx context.Context, folder, id string) error {
	ctx, cancel := context.WithTimeout(ctx, saveLimit)
	defer cancel()
	result, err := s.gateway.Call(ctx, action.Call{Verb: action.VerbDownloadGet.Name, Session: s.session, Args: &action.ByID{ID: id}})
	if err != nil {
		return err
	}
	file, ok := result.Data.(*action.File)
	if !ok {
		return fault.New(fault.NotFound, "the gateway has no such file").Hinted("list downloads to see them")
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, id), file.Bytes, 0o600)
}
