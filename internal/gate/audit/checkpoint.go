package audit

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// checkpointType is the first field of every checkpoint, so that its signature cannot be
// used for anything else.
const checkpointType = "glovebox audit checkpoint"

// Checkpoint is the state of the trail at a time: one line of JSON in a second place,
// signed with Ed25519 over the line without its signature. It shows a cut tail and a
// rewritten trail, which the chain alone does not show.
type Checkpoint struct {
	Type      string    `json:"type"`
	Seq       int64     `json:"seq"`  // the newest record then
	Hash      string    `json:"hash"` // of that record
	Time      time.Time `json:"time"`
	Count     int64     `json:"count"` // records since the checkpoint before
	Key       string    `json:"key"`   // see KeyID
	Signature []byte    `json:"signature,omitempty"`
}

// KeyID identifies a public key: the first 16 hex digits of its SHA-256.
func KeyID(public ed25519.PublicKey) string {
	sum := sha256.Sum256(public)
	return hex.EncodeToString(sum[:8])
}

// FileName is the name of the file with the checkpoints that a key signed. Each key has a
// file of its own, so that gateways can share a folder.
func FileName(public ed25519.PublicKey) string { return "audit-" + KeyID(public) + ".jsonl" }

// message returns what is signed.
func (c Checkpoint) message() ([]byte, error) {
	c.Signature = nil
	text, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("cannot encode a checkpoint: %w", err)
	}
	return text, nil
}

// sign returns the checkpoint's line, with a line break.
func (c Checkpoint) sign(key ed25519.PrivateKey) ([]byte, error) {
	text, err := c.message()
	if err != nil {
		return nil, err
	}
	c.Signature = ed25519.Sign(key, text)
	line, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("cannot encode a checkpoint: %w", err)
	}
	return append(line, '\n'), nil
}

// readCheckpoint reads and verifies a line, which must be byte for byte as sign wrote it.
func readCheckpoint(line []byte, public ed25519.PublicKey) (Checkpoint, error) {
	var c Checkpoint
	if err := json.Unmarshal(line, &c); err != nil {
		return c, errors.New("is no checkpoint")
	}
	again, err := json.Marshal(c)
	if err != nil || !bytes.Equal(again, line) || c.Type != checkpointType {
		return c, errors.New("was changed")
	}
	if c.Key != KeyID(public) {
		return c, fmt.Errorf("was signed with another key, %s", c.Key)
	}
	text, err := c.message()
	if err != nil || !ed25519.Verify(public, text, c.Signature) {
		return c, errors.New("was changed or forged: its signature does not hold")
	}
	return c, nil
}

// readCheckpoints reads a file of checkpoints up to the first problem in it. A file that
// does not exist has no checkpoints.
func readCheckpoints(path string, public ed25519.PublicKey) (points []Checkpoint, problem string, err error) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("cannot read the checkpoints: %w", err)
	}
	var last Checkpoint
	for n := 1; len(text) > 0; n++ {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole {
			return points, fmt.Sprintf("line %d of the checkpoints is cut off, after that of record %d", n, last.Seq), nil
		}
		c, err := readCheckpoint(line, public)
		if err != nil {
			return points, fmt.Sprintf("line %d of the checkpoints, after that of record %d of %s, %s", n, last.Seq, clock(last.Time), err), nil
		}
		if c.Seq-c.Count != last.Seq || c.Count <= 0 {
			return points, fmt.Sprintf("checkpoints are missing between those of record %d and record %d of %s", last.Seq, c.Seq, clock(c.Time)), nil
		}
		points, last, text = append(points, c), c, rest
	}
	return points, "", nil
}

// appendLine adds a line to a file and flushes it to the disk. It removes an unfinished
// line that an interrupted append left.
func appendLine(path string, line []byte) (err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("cannot open the checkpoints: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	size, err := wholeLines(file)
	if err != nil {
		return err
	}
	if _, err := file.WriteAt(line, size); err != nil {
		return errors.Join(fmt.Errorf("cannot write a checkpoint: %w", err), file.Truncate(size))
	}
	if err := file.Sync(); err != nil {
		return fmt.Errorf("cannot flush a checkpoint: %w", err)
	}
	if size == 0 {
		return syncFolder(filepath.Dir(path))
	}
	return nil
}

// wholeLines truncates a file behind its last line break and returns its size.
func wholeLines(file *os.File) (int64, error) {
	info, err := file.Stat()
	if err != nil {
		return 0, fmt.Errorf("cannot look at the checkpoints: %w", err)
	}
	tail := make([]byte, min(info.Size(), maxLine))
	if _, err := file.ReadAt(tail, info.Size()-int64(len(tail))); err != nil {
		return 0, fmt.Errorf("cannot read the checkpoints: %w", err)
	}
	end := bytes.LastIndexByte(tail, '\n') + 1
	size := info.Size() - int64(len(tail)) + int64(end)
	if size == info.Size() {
		return size, nil
	}
	if end == 0 && size > 0 {
		return 0, errors.New("what stands in the place of the checkpoints are none")
	}
	if err := file.Truncate(size); err != nil {
		return 0, fmt.Errorf("cannot repair the checkpoints: %w", err)
	}
	return size, nil
}

const maxLine = 1024 // bytes of a checkpoint's line; it has about 330

// syncFolder flushes a folder, so that the name of a new file survives a power cut.
func syncFolder(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("cannot open the folder of the checkpoints: %w", err)
	}
	if err := errors.Join(folder.Sync(), folder.Close()); err != nil {
		return fmt.Errorf("cannot flush the folder of the checkpoints: %w", err)
	}
	return nil
}

// clock formats a time in findings.
func clock(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
