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

// Files in the state folder with the two tokens that are created at the first
// start.
const (
	OperatorFile = "operator.token"
	AgentFile    = "agent.token"
)

// DefaultScope is the scope of the two tokens that are created at the first
// start.
const DefaultScope = "default"

var written = regexp.MustCompile(`^gbx_(op|ag)_[a-z2-7]{52}$`) // 32 bytes in base32

// Open returns a store with the entries, the operator's token and the agent's
// token. The files of these two are in stateDir. Missing ones are created (mode
// 0600, the folder 0700). A token file that others can read, or that contains
// something else, is an error with a hint.
func Open(stateDir string, entries ...Entry) (*TokenStore, error) {
	if err := os.MkdirAll(stateDir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the state folder: %w", err)
	}
	own := []struct {
		file, prefix string
		role         action.Role
	}{{OperatorFile, prefixes[action.Operator], action.Operator}, {AgentFile, prefixes[action.Agent], action.Agent}}
	tokenStore := &TokenStore{}
	for _, o := range own {
		token, err := keep(filepath.Join(stateDir, o.file), o.prefix)
		if err != nil {
			return nil, err
		}
		hash := sha256.Sum256([]byte(token))
		entry := Entry{Name: string(o.role), Role: o.role, Scope: DefaultScope, SHA256: hex.EncodeToString(hash[:])}
		if err := tokenStore.add(FromFile, entry); err != nil {
			return nil, err
		}
	}
	return tokenStore, tokenStore.add(FromConfig, entries...)
}

// keep reads the token in path. If there is none, it writes one first. If two
// gateways start at once, one of them writes and both read the same token.
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
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0) // not a link, and not a pipe, which would block
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
	text, err := io.ReadAll(io.LimitReader(f, maxTokenBytes))
	if err != nil {
		return "", fmt.Errorf("cannot read a token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if !written.MatchString(token) || !strings.HasPrefix(token, prefix) {
		return "", fmt.Errorf("%s holds no token of ours: delete it to get a new one", path)
	}
	return token, nil
}

// create writes a new token, complete or not at all: into a temporary file, which
// is then linked to path. If path exists, the error is fs.ErrExist.
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

// Check reports the first entry that New or Open would refuse. It creates
// nothing.
func Check(entries ...Entry) error {
	tokenStore := &TokenStore{}
	own := []Entry{
		{Name: string(action.Operator), Role: action.Operator, Scope: DefaultScope, SHA256: strings.Repeat("0", 2*sha256.Size)},
		{Name: string(action.Agent), Role: action.Agent, Scope: DefaultScope, SHA256: strings.Repeat("f", 2*sha256.Size)},
	}
	if err := tokenStore.add(FromFile, own...); err != nil {
		return err
	}
	return tokenStore.add(FromConfig, entries...)
}
