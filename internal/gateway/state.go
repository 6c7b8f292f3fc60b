package gateway

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/randid"
)

// instance returns the id of the gateway of this state directory, 16 hex digits,
// which it creates once. It labels the gateway's boxes.
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

// lock locks the state directory for this process. Otherwise two gateways on one
// directory would remove each other's boxes. The lock ends with the process.
func lock(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fault.New(fault.StartFailed, "cannot make the state directory %s", dir).
			Hinted("set server.state_dir to a folder that can be written").Because(err)
	}
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fault.New(fault.StartFailed, "cannot write to the state directory %s", dir).
			Hinted("set server.state_dir to a folder that can be written").Because(err)
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		_ = file.Close()
		return nil, fault.New(fault.AlreadyActive, "another gateway uses the state directory %s", dir).
			Hinted("end it, or give this one another server.state_dir and server.listen")
	}
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("cannot lock the state directory: %w", err)
	}
	return file, nil
}
