package local

import (
	"context"
	"os/exec"
)

// RunConfined runs this program confined like a box with the given folders, and returns
// its output.
func (d *Driver) RunConfined(ctx context.Context, sockets, home string, arguments ...string) ([]byte, error) {
	w, err := d.detectIsolation()
	if err != nil {
		return nil, err
	}
	user, err := d.allocateUser()
	if err != nil {
		return nil, err
	}
	defer d.releaseUser(user)
	variable, err := BoxConfig{Sockets: sockets, Home: home, Sealed: w.sealed, Files: w.files, Tasks: uint64(d.options.PidsLimit)}.environ()
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, "/proc/self/exe")
	command.Args, command.Env, command.Dir = append([]string{"glovebox"}, arguments...), []string{variable}, "/"
	command.SysProcAttr = sysProcAttr(w.sealed, user)
	return command.CombinedOutput()
}
