package auth

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/randid"
)

// The files of the two tokens made at the first start, in the state folder.
const (
	OperatorFile = "operator.token"
	AgentFile    = "agent.token"
)

// DefaultScope is the scope of the two tokens made at the first start.
const DefaultScope = "default"

var written = regexp.MustCompile(`^gbx_(op|ag)_[a-z2-7]{52}$`) // 32 bytes in base32

// Open makes a book of the operator's and the agent's token in stateDir, which
// are created where they do not exist (mode 0600, the folder 0700), and of
// entries. A token file that others may read, or that holds something else, is
// an error that says what to do.
func Open(stateDir string, entries ...Entry) (*Book, error) {
	if err := os.MkdirAll(stateDir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the state folder: %w", err)
	}
	own := []struct {
		file, prefix string
		role         action.Role
	}{{OperatorFile, prefixes[action.Operator], action.Operator}, {AgentFile, prefixes[action.Agent], action.Agent}}
	book := &Book{}
	for _, o := range own {
		token, err := keep(filepath.Join(stateDir, o.file), o.prefix)
		if err != nil {
			return nil, err
		}
		hash := sha256.Sum256([]byte(token))
		entry := Entry{Name: string(o.role), Role: o.role, Scope: DefaultScope, SHA256: hex.EncodeToString(hash[:])}
		if err := book.add(FromFile, entry); err != nil {
			return nil, err
		}
	}
	return book, book.add(FromConfig, entries...)
}

// keep reads the token in path; where there is none it writes one first. Of
// two gateways that start at once, one writes and both read the same.
func keep(path, prefix string) (string, error) {
	token, err := read(path, prefix)
	if !errors.Is(err, fs.ErrNotExist) {
		return token, err
	}
	if err := create(path, prefix); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("cannot write a new token: %w", err)
	}
	return read(path, prefix)
}

func read(path, prefix string) (string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0) // neither a link nor a pipe that waits
	if err != nil {
		return "", fmt.Errorf("cannot read a token: %w", err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("cannot read a token: %w", err)
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("%s may be read by others: run chmod 600 on it, or delete it to get a new token", path)
	}
	text, err := io.ReadAll(io.LimitReader(f, mostToken))
	if err != nil {
		return "", fmt.Errorf("cannot read a token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if !written.MatchString(token) || !strings.HasPrefix(token, prefix) {
		return "", fmt.Errorf("%s holds no token of ours: delete it to get a new one", path)
	}
	return token, nil
}

// create writes a new token whole or not at all: into a file of another name,
// which is then linked to path. An existing path is fs.ErrExist.
func create(path, prefix string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".token-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.WriteString(randid.Secret(prefix) + "\n")
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Link(f.Name(), path)
}

// Check reports the first entry that cannot be a token beside those before it
// and the two that a gateway makes, without making anything.
func Check(entries ...Entry) error {
	book := &Book{}
	own := []Entry{
		{Name: string(action.Operator), Role: action.Operator, Scope: DefaultScope, SHA256: strings.Repeat("0", 2*sha256.Size)},
		{Name: string(action.Agent), Role: action.Agent, Scope: DefaultScope, SHA256: strings.Repeat("f", 2*sha256.Size)},
	}
	if err := book.add(FromFile, own...); err != nil {
		return err
	}
	return book.add(FromConfig, entries...)
}
