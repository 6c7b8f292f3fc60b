package gateway

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/randid"
)

// instance returns the id of the gateway of this state directory, which labels
// its boxes: 16 hex digits, made once.
func instance(dir string) (string, error) {
	path := filepath.Join(dir, "instance")
	data, err := os.ReadFile(path)
	if err == nil {
		return strings.TrimSpace(string(data)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("cannot read the instance id: %w", err)
	}
	id := randid.New("", 8)
	if err := os.WriteFile(path, []byte(id+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("cannot keep the instance id: %w", err)
	}
	return id, nil
}
