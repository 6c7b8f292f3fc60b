package local

import (
	"context"
	"os/exec"
)

// Behind runs this program confined like a box with the given folders, and returns
// its output.
func (d *Driver) Behind(ctx context.Context, sockets, home string, arguments ...string) ([]byte, error) {
	w, err := d.survey()
	if err != nil {
		return nil, err
	}
	user, err := d.takeUser()
	if err != nil {
		return nil, err
	}
	defer d.giveUser(user)
	where, err := Place{Sockets: sockets, Home: home, Sealed: w.sealed, Files: w.files, Tasks: uint64(d.o.PidsLimit)}.environ()
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, "/proc/self/exe")
	command.Args, command.Env, command.Dir = append([]string{"glovebox"}, arguments...), []string{where}, "/"
	command.SysProcAttr = attributes(w.sealed, user)
	return command.CombinedOutput()
}
