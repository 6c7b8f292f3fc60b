package install

import (
	"bufio"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"runtime"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Machine describes the machine to install on. On the zero Machine nothing can be
// installed.
type Machine struct {
	OS    string // as in runtime.GOOS
	UID   int    // of this process
	Files fs.FS  // of the root folder
	Has   func(program string) bool
}

// Here is the machine this process runs on.
func Here() Machine {
	return Machine{OS: runtime.GOOS, UID: os.Geteuid(), Files: os.DirFS("/"), Has: has}
}

// has reports whether a program exists. It also looks in the folders of system
// programs, which a user's PATH often lacks.
func has(program string) bool {
	if _, err := exec.LookPath(program); err == nil {
		return true
	}
	for _, dir := range []string{"/usr/local/sbin", "/usr/sbin", "/sbin"} {
		if info, err := os.Stat(path.Join(dir, program)); err == nil && info.Mode()&0o111 != 0 {
			return true
		}
	}
	return false
}

// manager returns the package manager to use. Faults: invalid_request,
// install_required.
func (m Machine) manager(asked Manager) (Manager, error) {
	known := []Manager{APT, DNF, APK}
	for _, candidate := range known {
		if asked == candidate || asked == "" && m.Has(candidate.program()) {
			return candidate, nil
		}
	}
	if asked != "" {
		return "", fault.New(fault.InvalidRequest, "that package manager is not known").Hinted("it is apt, dnf or apk")
	}
	return "", fault.New(fault.InstallRequired, "this machine has no package manager that is known").
		Hinted("see what apt would do (--print-only --package-manager apt) and install the like by hand")
}

// init returns the init system, "systemd" or "openrc"; empty if it is unknown.
func (m Machine) init() string {
	for _, candidate := range []struct{ name, path string }{{"systemd", "run/systemd/system"}, {"openrc", "run/openrc"}} {
		if info, err := fs.Stat(m.Files, candidate.path); err == nil && info.IsDir() {
			return candidate.name
		}
	}
	return ""
}

// distribution reads os-release(5). If there is none, the result is empty.
func (m Machine) distribution() distribution {
	var d distribution
	for _, name := range []string{"etc/os-release", "usr/lib/os-release"} {
		file, err := m.Files.Open(name)
		if err != nil {
			continue
		}
		defer file.Close()
		for lines := bufio.NewScanner(file); lines.Scan(); {
			key, value, _ := strings.Cut(lines.Text(), "=")
			value = strings.Trim(strings.TrimSpace(value), `"'`)
			switch key {
			case "ID":
				d.ID = strings.ToLower(value)
			case "VERSION_ID":
				d.Version = value
			}
		}
		return d
	}
	return d
}

// hasSecuritySuite reports whether apt's sources (sources.list(5)) contain a
// security suite.
func (m Machine) hasSecuritySuite() bool {
	files, _ := fs.Glob(m.Files, "etc/apt/sources.list.d/*") // fails only for bad patterns
	for _, name := range append(files, "etc/apt/sources.list") {
		text, err := fs.ReadFile(m.Files, name)
		if err == nil && strings.Contains(string(text), "-security") {
			return true
		}
	}
	return false
}
