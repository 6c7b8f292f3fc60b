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

// mostUsers limits the search for a free user id for a box.
const mostUsers = 1000

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
		State: "running", Egress: sandbox.EgressSealed, Dir: d.home(r.ID),
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
func (d *Driver) own() string              { return filepath.Join(d.o.Dir, d.o.Instance) }
func (d *Driver) sockets(id string) string { return filepath.Join(d.own(), id) }
func (d *Driver) home(id string) string    { return filepath.Join(d.own(), id+".home") }
func (d *Driver) file(id string) string    { return filepath.Join(d.own(), id+".json") }
func (d *Driver) log(id string) string     { return filepath.Join(d.own(), id+".log") }
func (d *Driver) user(uid int) string      { return filepath.Join(d.o.Dir, "users", strconv.Itoa(uid)) }

// makeFolders makes the folders of a box. The folders above can be entered by other
// users but not listed.
func (d *Driver) makeFolders(id string, user int) error {
	for _, dir := range []string{d.o.Dir, d.own(), filepath.Dir(d.user(0))} {
		if err := os.MkdirAll(dir, 0o711); err != nil {
			return noDir(dir, err)
		}
		if err := os.Chmod(dir, 0o711); err != nil { // regardless of the umask
			return noDir(dir, err)
		}
	}
	for dir, owner := range map[string]int{d.sockets(id): os.Geteuid(), d.home(id): user} {
		if err := os.Mkdir(dir, 0o750); err != nil {
			return noDir(dir, err)
		}
		if err := os.Chown(dir, owner, group(user)); err != nil {
			return noDir(dir, err)
		}
	}
	return nil
}

// takeUser reserves a user id for a box when the gateway is root, and otherwise
// returns the gateway's. giveUser releases it.
func (d *Driver) takeUser() (int, error) {
	if os.Geteuid() != 0 {
		return os.Geteuid(), nil
	}
	if err := os.MkdirAll(filepath.Dir(d.user(0)), 0o711); err != nil {
		return 0, noDir(d.o.Dir, err)
	}
	for uid := boxUser; uid < boxUser+mostUsers; uid++ {
		mark, err := os.OpenFile(d.user(uid), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return 0, noDir(d.o.Dir, err)
		}
		return uid, mark.Close()
	}
	return 0, noDir(d.o.Dir, errors.New("every user is taken"))
}

func (d *Driver) giveUser(uid int) {
	if err := os.Remove(d.user(uid)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.o.Log.Error("the user of a box stays taken", "user", uid, "reason", err)
	}
}

// keep stores a record atomically.
func (d *Driver) keep(r record) error {
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("cannot encode the record of box %s: %w", r.ID, err)
	}
	if err := os.WriteFile(d.file(r.ID)+".new", data, 0o600); err != nil {
		return noDir(d.own(), err)
	}
	if err := os.Rename(d.file(r.ID)+".new", d.file(r.ID)); err != nil {
		return noDir(d.own(), err)
	}
	return nil
}

// read returns the record of a box of this instance. It reports false when there is
// none.
func (d *Driver) read(id string) (record, bool, error) {
	data, err := os.ReadFile(d.file(id))
	if errors.Is(err, fs.ErrNotExist) {
		return record{}, false, nil
	}
	if err != nil {
		return record{}, false, noDir(d.own(), err)
	}
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		return record{}, false, noDir(d.own(), err)
	}
	return r, true, nil
}

// all returns the records of all boxes of this instance.
func (d *Driver) all() ([]record, error) {
	entries, err := os.ReadDir(d.own())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, noDir(d.own(), err)
	}
	var all []record
	for _, entry := range entries {
		id, isRecord := strings.CutSuffix(entry.Name(), ".json")
		if !isRecord || !sandbox.ValidID(id) {
			continue
		}
		if r, there, err := d.read(id); err != nil {
			return nil, err
		} else if there {
			all = append(all, r)
		}
	}
	return all, nil
}

// removeFolders removes all files of a box, the record last.
func (d *Driver) removeFolders(id string) error {
	for _, place := range []string{d.sockets(id), d.home(id), d.log(id), d.file(id) + ".new", d.file(id)} {
		if err := os.RemoveAll(place); err != nil {
			return noDir(place, err)
		}
	}
	return nil
}
