package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// maxUsers limits the search for a free user id for a box.
const maxUsers = 1000

// record is what a restarted gateway must know about a box.
type record struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	ScopeHash string    `json:"scope"`
	Session   string    `json:"session"`
	Headless  bool      `json:"headless"`
	Sealed    bool      `json:"sealed"`
	User      int       `json:"user"` // user id of its processes, outside of its user namespace
	Created   time.Time `json:"created"`
	Guest     process   `json:"guest"` // zero until it is started
}

func (d *Driver) info(r record) sandbox.Info {
	i := sandbox.Info{
		ID: r.ID, Name: r.Name, ScopeHash: r.ScopeHash, Session: r.Session, Created: r.Created,
		State: "running", Egress: sandbox.EgressSealed, Dir: d.homeDir(r.ID),
	}
	if !r.Sealed {
		i.Egress = sandbox.EgressBestEffort
	}
	switch {
	case r.Guest.PID == 0:
		i.State = "created"
	case !r.Guest.alive():
		i.State = "exited"
	}
	return i
}

// Paths of a box. Its id is secret from other boxes, which cannot list the folder.
func (d *Driver) instanceDir() string         { return filepath.Join(d.options.Dir, d.options.Instance) }
func (d *Driver) socketDir(id string) string  { return filepath.Join(d.instanceDir(), id) }
func (d *Driver) homeDir(id string) string    { return filepath.Join(d.instanceDir(), id+".home") }
func (d *Driver) recordFile(id string) string { return filepath.Join(d.instanceDir(), id+".json") }
func (d *Driver) logFile(id string) string    { return filepath.Join(d.instanceDir(), id+".log") }
func (d *Driver) userFile(uid int) string {
	return filepath.Join(d.options.Dir, "users", strconv.Itoa(uid))
}

// makeFolders makes the folders of a box. The folders above can be entered by other
// users but not listed.
func (d *Driver) makeFolders(id string, user int) error {
	for _, dir := range []string{d.options.Dir, d.instanceDir(), filepath.Dir(d.userFile(0))} {
		if err := os.MkdirAll(dir, 0o711); err != nil {
			return folderFault(dir, err)
		}
		if err := os.Chmod(dir, 0o711); err != nil { // regardless of the umask
			return folderFault(dir, err)
		}
	}
	for dir, owner := range map[string]int{d.socketDir(id): os.Geteuid(), d.homeDir(id): user} {
		if err := os.Mkdir(dir, 0o750); err != nil {
			return folderFault(dir, err)
		}
		if err := os.Chown(dir, owner, groupID(user)); err != nil {
			return folderFault(dir, err)
		}
	}
	return nil
}

// allocateUser reserves a user id for a box when the gateway is root, and otherwise
// returns the gateway's. releaseUser releases it.
func (d *Driver) allocateUser() (int, error) {
	if os.Geteuid() != 0 {
		return os.Geteuid(), nil
	}
	if err := os.MkdirAll(filepath.Dir(d.userFile(0)), 0o711); err != nil {
		return 0, folderFault(d.options.Dir, err)
	}
	for uid := boxUser; uid < boxUser+maxUsers; uid++ {
		mark, err := os.OpenFile(d.userFile(uid), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return 0, folderFault(d.options.Dir, err)
		}
		return uid, mark.Close()
	}
	return 0, folderFault(d.options.Dir, errors.New("every user is taken"))
}

func (d *Driver) releaseUser(uid int) {
	if err := os.Remove(d.userFile(uid)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.options.Log.Error("the user of a box stays taken", "user", uid, "reason", err)
	}
}

// saveRecord stores a record atomically.
func (d *Driver) saveRecord(r record) error {
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("cannot encode the record of box %s: %w", r.ID, err)
	}
	if err := os.WriteFile(d.recordFile(r.ID)+".new", data, 0o600); err != nil {
		return folderFault(d.instanceDir(), err)
	}
	if err := os.Rename(d.recordFile(r.ID)+".new", d.recordFile(r.ID)); err != nil {
		return folderFault(d.instanceDir(), err)
	}
	return nil
}

// loadRecord returns the record of a box of this instance. It reports false when there is
// none.
func (d *Driver) loadRecord(id string) (record, bool, error) {
	data, err := os.ReadFile(d.recordFile(id))
	if errors.Is(err, fs.ErrNotExist) {
		return record{}, false, nil
	}
	if err != nil {
		return record{}, false, folderFault(d.instanceDir(), err)
	}
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		return record{}, false, folderFault(d.instanceDir(), err)
	}
	return r, true, nil
}

// loadRecords returns the records of all boxes of this instance.
func (d *Driver) loadRecords() ([]record, error) {
	entries, err := os.ReadDir(d.instanceDir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, folderFault(d.instanceDir(), err)
	}
	var all []record
	for _, entry := range entries {
		id, isRecord := strings.CutSuffix(entry.Name(), ".json")
		if !isRecord || !sandbox.ValidID(id) {
			continue
		}
		if r, there, err := d.loadRecord(id); err != nil {
			return nil, err
		} else if there {
			all = append(all, r)
		}
	}
	return all, nil
}

// removeFolders removes all files of a box, the record last.
func (d *Driver) removeFolders(id string) error {
	for _, path := range []string{d.socketDir(id), d.homeDir(id), d.logFile(id), d.recordFile(id) + ".new", d.recordFile(id)} {
		if err := os.RemoveAll(path); err != nil {
			return folderFault(path, err)
		}
	}
	return nil
}
