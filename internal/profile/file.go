package profile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"filippo.io/age"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox/bundle"
)

const suffix = ".age"

func (s *Store) path(id string) string { return filepath.Join(s.dir, id+suffix) }

// seal is written before the bundle, inside the encryption. It shows if the file
// of another profile was put in this one's place.
func seal(id string) string { return "glovebox profile 1 " + id + "\n" }

// Save replaces the content of a profile by a bundle that is read from a box.
// Until the new file is complete, the old one stays. Faults: invalid_request if
// it is not a valid bundle, not_found if the profile was deleted.
func (s *Store) Save(ctx context.Context, id string, from io.Reader) error {
	temporary, err := os.CreateTemp(s.dir, id+".*.part") // mode 0600
	if err != nil {
		return fmt.Errorf("cannot make a profile's file: %w", err)
	}
	defer func() { _ = os.Remove(temporary.Name()) }() // after the rename there is nothing to remove
	if err := errors.Join(s.write(temporary, id, from), temporary.Close()); err != nil {
		return err
	}
	info, err := os.Stat(temporary.Name())
	if err != nil {
		return fmt.Errorf("cannot look at a profile's file: %w", err)
	}
	return s.replace(ctx, id, temporary.Name(), info.Size())
}

// write encrypts a bundle into a file, and returns when the file is on disk.
func (s *Store) write(file *os.File, id string, from io.Reader) error {
	out, err := age.Encrypt(file, s.key.Recipient())
	if err != nil {
		return fmt.Errorf("cannot encrypt a profile: %w", err)
	}
	if _, err := io.WriteString(out, seal(id)); err != nil {
		return fmt.Errorf("cannot write a profile: %w", err)
	}
	if err := bundle.Copy(out, from); err != nil {
		return err
	}
	if err := errors.Join(out.Close(), file.Sync()); err != nil {
		return fmt.Errorf("cannot write a profile: %w", err)
	}
	return nil
}

// replace renames a complete file to the profile's file.
func (s *Store) replace(ctx context.Context, id, file string, size int64) error {
	if _, found, err := s.row(ctx, `WHERE id = ?`, id); err != nil || !found {
		return errors.Join(err, missing())
	}
	if err := os.Rename(file, s.path(id)); err != nil {
		return fmt.Errorf("cannot put a profile's file in its place: %w", err)
	}
	if err := syncFolder(s.dir); err != nil {
		return err
	}
	_, err := s.db.Writer.ExecContext(ctx, `UPDATE profiles SET saved = ?, size = ? WHERE id = ?`, time.Now().UnixNano(), size, id)
	if err != nil {
		return fmt.Errorf("cannot record a saved profile: %w", err)
	}
	return nil
}

func syncFolder(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("cannot open the folder of profiles: %w", err)
	}
	if err := errors.Join(folder.Sync(), folder.Close()); err != nil {
		return fmt.Errorf("cannot write the folder of profiles: %w", err)
	}
	return nil
}

// Load writes the bundle of a profile, an empty one if nothing was saved yet. If
// Load faults, what was written to to must not be used. Faults: not_found if the
// profile was deleted, start_failed if its file was changed or is encrypted with
// another key.
func (s *Store) Load(ctx context.Context, id string, to io.Writer) error {
	p, found, err := s.row(ctx, `WHERE id = ?`, id)
	if err != nil || !found {
		return errors.Join(err, missing())
	}
	file, err := os.Open(s.path(id))
	if errors.Is(err, os.ErrNotExist) && p.Saved == nil {
		return bundle.Copy(to, eof{})
	}
	if err != nil {
		return damaged("cannot be read", err)
	}
	defer func() { _ = file.Close() }()
	plain, err := age.Decrypt(file, s.key)
	if other := (*age.NoIdentityMatchError)(nil); errors.As(err, &other) {
		return fault.New(fault.StartFailed, "the profile was encrypted under another key").
			Hinted("put back the profiles.key it was saved with, or GLOVEBOX_PROFILE_KEY; without it delete the profile").Because(err)
	}
	if err != nil {
		return damaged("is damaged", err)
	}
	return unseal(id, plain, to)
}

func unseal(id string, plain io.Reader, to io.Writer) error {
	in := bufio.NewReader(plain)
	head := make([]byte, len(seal(id)))
	if _, err := io.ReadFull(in, head); err != nil {
		return damaged("is damaged", err)
	}
	if string(head) != seal(id) {
		return damaged("is another profile's", nil)
	}
	if err := bundle.Copy(to, in); err != nil {
		return damaged("is damaged", err)
	}
	if _, err := io.Copy(io.Discard, in); err != nil { // age authenticates the end of the file
		return damaged("is damaged", err)
	}
	return nil
}

func damaged(how string, cause error) error {
	return fault.New(fault.StartFailed, "the profile's file %s", how).
		Hinted("put its file back from a copy, or delete the profile and create it anew").Because(cause)
}

type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }
