package image

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/moby/moby/client"
)

// importTar imports a tar stream as an image.
func importTar(ctx context.Context, engine *client.Client, tree io.Reader, name string, options Options) error {
	source := client.ImageImportSource{Source: tree, SourceName: "-"}
	answer, err := engine.ImageImport(ctx, source, name, client.ImageImportOptions{
		Message: "made by glovebox with debootstrap",
		Changes: []string{`CMD ["bash"]`},
	})
	if err != nil {
		return err
	}
	defer func() { _ = answer.Close() }()
	_, err = copyProgress(answer, options.Out)
	return err
}

// largeTempDir returns a folder for temporary files that can hold and execute a whole
// system. /tmp is often small and in memory.
func largeTempDir() string {
	if info, err := os.Stat("/var/tmp"); err == nil && info.IsDir() {
		return "/var/tmp"
	}
	return os.TempDir()
}

// removeTree removes the folder that debootstrap worked in. It first unmounts what an
// interrupted debootstrap left mounted, so that it removes nothing of the running
// system through such a mount.
func removeTree(dir string) error {
	mounts, err := mountsBelow(dir)
	if err != nil {
		return fmt.Errorf("%s is left behind: %w", dir, err)
	}
	for _, mount := range slices.Backward(mounts) {
		if err := exec.Command("umount", mount).Run(); err != nil {
			return fmt.Errorf("%s is left behind: %s cannot be unmounted: %w", dir, mount, err)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("%s is left behind: %w", dir, err)
	}
	return nil
}

// mountsBelow lists the mount points below dir, outermost first, from the fifth field
// of each line of proc_pid_mountinfo(5).
func mountsBelow(dir string) ([]string, error) {
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("cannot list mounts: %w", err)
	}
	dir, err = filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	var found []string
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line)
		if len(fields) > 4 && strings.HasPrefix(fields[4], dir+"/") {
			found = append(found, fields[4])
		}
	}
	return found, nil
}
