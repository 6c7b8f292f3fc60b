// Package sight keeps the texts that agents were answered with, for the replay of
// their sessions: one file for each session, to which each text is appended.
package sight

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const (
	mostText    = 64 << 10 // bytes of one text; longer ones are cut
	mostSession = 16 << 20 // bytes of the file of one session; what comes later is not kept
)

// Store keeps texts in a folder. It is safe for concurrent use.
type Store struct {
	root *os.Root

	mu sync.Mutex // held while a text is appended, so that the limit of a session is exact
}

var sessionID = regexp.MustCompile(`^[A-Za-z0-9]{1,64}$`)

// Open opens the folder, and makes it if it does not exist.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the folder of what agents saw: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot open the folder of what agents saw: %w", err)
	}
	return &Store{root: root}, nil
}

// Close closes the folder.
func (s *Store) Close() error { return s.root.Close() }

// Keep appends a text to the file of a session. It survives a crash of the process,
// but perhaps not a power failure. A session that has reached its limit keeps no more.
func (s *Store) Keep(session string, seen action.Sight) error {
	if !sessionID.MatchString(session) {
		return errors.New("this is no id of a session")
	}
	if len(seen.Text) > mostText {
		seen.Text, seen.Cut = strings.ToValidUTF8(seen.Text[:mostText], ""), true
	}
	text, err := json.Marshal(seen)
	if err != nil {
		return fmt.Errorf("cannot encode what an agent saw: %w", err)
	}
	line := append(append([]byte{'\n'}, text...), '\n') // an incomplete line before it does not harm this one
	s.mu.Lock()
	defer s.mu.Unlock()
	file, err := s.root.OpenFile(session, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("cannot keep what an agent saw: %w", err)
	}
	info, err := file.Stat()
	if err == nil && info.Size()+int64(len(line)) <= mostSession {
		_, err = file.Write(line)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("cannot keep what an agent saw: %w", err)
	}
	return nil
}

// Read returns the texts of a session that are wanted, in the order of their calls.
// A line that is incomplete is left out.
func (s *Store) Read(session string, wanted func(correlation string) bool) ([]action.Sight, error) {
	all := []action.Sight{}
	if !sessionID.MatchString(session) {
		return all, nil
	}
	file, err := s.root.Open(session)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read what an agent saw: %w", err)
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, mostSession)
	for lines.Scan() {
		var seen action.Sight
		if json.Unmarshal(lines.Bytes(), &seen) == nil && wanted(seen.CorrelationID) {
			all = append(all, seen)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("cannot read what an agent saw: %w", err)
	}
	return all, nil
}

// Prune removes the files to which nothing was appended since a time.
func (s *Store) Prune(before time.Time) error {
	files, err := fs.ReadDir(s.root.FS(), ".")
	if err != nil {
		return fmt.Errorf("cannot list what agents saw: %w", err)
	}
	var faults []error
	for _, file := range files {
		s.mu.Lock()
		if info, err := file.Info(); err == nil && info.ModTime().Before(before) {
			faults = append(faults, s.root.Remove(file.Name()))
		}
		s.mu.Unlock()
	}
	return errors.Join(faults...)
}
