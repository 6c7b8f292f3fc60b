package audit

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	signRecords = 100              // records after which the trail is signed
	signEvery   = 60 * time.Second // after which it is signed when there are new records
	signRetry   = time.Second      // between attempts while checkpoints cannot be written
)

// Signing is how a trail is signed.
type Signing struct {
	Key    ed25519.PrivateKey
	Folder string // of the checkpoints: the second place; created when it does not exist
}

// signer signs checkpoints of a log, in a goroutine that close ends.
type signer struct {
	l      *Log
	key    ed25519.PrivateKey
	path   string
	due    chan struct{} // gets a value when a checkpoint is requested
	ended  chan struct{}
	done   chan struct{}
	ending sync.Once

	signing sync.Mutex // held while a checkpoint is made; guards the next two
	newest  Checkpoint // as in the table
	waiting []byte     // its line, while the second place does not have it

	mu        sync.Mutex
	signed    int64 // newest.Seq
	requested int64 // the record at which noteGrowth last requested a checkpoint
	failed    error // of the last attempt
}

// newSigner makes a signer that continues after the newest checkpoint of the table. If a
// process ended before it wrote that to the second place, it is written now.
func newSigner(ctx context.Context, l *Log, o Signing) (*signer, error) {
	if len(o.Key) != ed25519.PrivateKeySize || o.Folder == "" {
		return nil, errors.New("the key or the folder of the checkpoints is missing")
	}
	public, _ := o.Key.Public().(ed25519.PublicKey)
	s := &signer{
		l: l, key: o.Key, path: filepath.Join(o.Folder, FileName(public)),
		due: make(chan struct{}, 1), ended: make(chan struct{}), done: make(chan struct{}),
	}
	state, err := readState(ctx, l.db.Reader)
	if err != nil {
		return nil, err
	}
	if c, err := readCheckpoint([]byte(state.checkpoint), public); err == nil {
		s.newest, s.signed = c, c.Seq
		s.resume(public, state.checkpoint)
	}
	go s.run()
	return s, nil
}

// resume writes the newest checkpoint to the second place if it is missing there and
// directly follows the last one there. Another gap is left for verification to find.
func (s *signer) resume(public ed25519.PublicKey, line string) {
	points, problem, err := readCheckpoints(s.path, public)
	var last Checkpoint
	if len(points) > 0 {
		last = points[len(points)-1]
	}
	interrupted := problem == "" || strings.Contains(problem, "is cut off")
	if err == nil && interrupted && last.Seq == s.newest.Seq-s.newest.Count {
		s.waiting = []byte(line + "\n")
		s.requestSign()
	}
}

func (s *signer) run() {
	defer close(s.done)
	ticker := time.NewTicker(signEvery)
	defer ticker.Stop()
	for {
		retry := time.NewTimer(signRetry)
		if s.failure() == nil {
			retry.Stop()
		}
		select {
		case <-s.ended:
			retry.Stop()
			return
		case <-s.due:
		case <-ticker.C:
		case <-retry.C:
		}
		retry.Stop()
		s.signPending()
	}
}

// close ends the goroutine and signs a last checkpoint.
func (s *signer) close() {
	s.ending.Do(func() { close(s.ended) })
	<-s.done
	s.signPending()
}

// requestSign asks for a checkpoint soon.
func (s *signer) requestSign() {
	select {
	case s.due <- struct{}{}:
	default: // one is requested already
	}
}

// noteGrowth requests a checkpoint when enough records were stored since the last one.
func (s *signer) noteGrowth(seq int64) {
	s.mu.Lock()
	due := seq-max(s.signed, s.requested) >= signRecords && s.failed == nil
	if due {
		s.requested = seq
	}
	s.mu.Unlock()
	if due {
		s.requestSign()
	}
}

// failure is the error of the last attempt to sign; nil for none.
func (s *signer) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// signPending signs the trail if there are new records. It logs when that begins to fail
// and when it works again.
func (s *signer) signPending() error {
	s.signing.Lock()
	defer s.signing.Unlock()
	err := s.trySign()
	s.mu.Lock()
	before := s.failed
	s.failed, s.signed = err, s.newest.Seq
	s.mu.Unlock()
	switch {
	case err != nil && before == nil:
		s.l.log.Error("the audit trail cannot be signed; calls that change something are refused until it can", "path", s.path, "error", err)
	case err == nil && before != nil:
		s.l.log.Info("the audit trail is signed again", "path", s.path)
	}
	return err
}

// trySign writes the newest checkpoint to the second place. It is stored in the table
// first, which flushes all records before it: a power cut must not remove what was
// signed.
func (s *signer) trySign() error {
	if s.waiting == nil {
		end := s.l.end()
		if end.seq == s.newest.Seq {
			return nil
		}
		if err := s.makeCheckpoint(end); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return fmt.Errorf("cannot make the folder of the checkpoints: %w", err)
	}
	if err := appendLine(s.path, s.waiting); err != nil {
		return err
	}
	s.waiting = nil
	return nil
}

// makeCheckpoint signs a new checkpoint and stores it in the table.
func (s *signer) makeCheckpoint(end chainHead) error {
	public, _ := s.key.Public().(ed25519.PublicKey)
	c := Checkpoint{
		Type: checkpointType, Seq: end.seq, Hash: hex.EncodeToString(end.hash[:]), Key: KeyID(public),
		Time: s.l.now().UTC().Truncate(time.Microsecond), Count: end.seq - s.newest.Seq,
	}
	line, err := c.sign(s.key)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), commitTimeout)
	defer cancel()
	if _, err := s.l.db.Writer.ExecContext(ctx, flushing(true)+`UPDATE audit_state SET checkpoint = ?`, string(line[:len(line)-1])); err != nil {
		return fmt.Errorf("cannot keep a checkpoint: %w", err)
	}
	s.newest, s.waiting = c, line
	return nil
}

// endsSession reports whether a record is about the end of a session. The trail is signed
// then.
func endsSession(r action.Record) bool {
	return r.EventType == action.EventSession && (r.Result == "closed" || r.Result == "failed")
}

// Sign signs the trail as it is now, in the table and in the second place. Without a key
// it does nothing. Fault: audit_unavailable.
func (l *Log) Sign() error {
	if l.signer == nil {
		return nil
	}
	if err := l.signer.signPending(); err != nil {
		return unsigned(err)
	}
	return nil
}

// unsigned is the fault of a trail whose checkpoints cannot be written.
func unsigned(err error) *fault.Fault {
	return fault.New(fault.AuditUnavailable, "the audit trail's checkpoints cannot be written").
		Hinted("nothing is changed that cannot be proven: see that audit.checkpoint_dir can be written and has room").
		Because(err)
}
