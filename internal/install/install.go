// Package install finds out which packages of a Linux distribution a browser, a
// desktop or a container engine needs, and which commands install them, and runs
// these commands. A plan depends only on a description of the machine, so it can
// be printed and tested without changing anything.
package install

import (
	"strings"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Set is what to install.
type Set string

// The sets of packages.
const (
	Browser Set = "browser" // Chromium, a display, fonts, ffmpeg
	Desktop Set = "desktop" // a display with a window manager, and tools to control it
	Engine  Set = "engine"  // a container engine, and debootstrap to make a base image without a registry
)

// Manager is a package manager.
type Manager string

// The supported package managers.
const (
	APT Manager = "apt" // Debian, Ubuntu
	DNF Manager = "dnf" // Fedora, CentOS, RHEL
	APK Manager = "apk" // Alpine
)

// program is the manager's command.
func (m Manager) program() string {
	if m == APT {
		return "apt-get"
	}
	return string(m)
}

// Command is a program and its arguments, none of which needs quoting.
type Command []string

// String returns the command as it is typed in a shell.
func (c Command) String() string { return strings.Join(c, " ") }

// MarshalText returns the command as it is typed in a shell.
func (c Command) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Plan lists what must be done to install a set on a machine.
type Plan struct {
	Set      Set       `json:"set"`
	Manager  Manager   `json:"packageManager"`
	Missing  []string  `json:"missing"`  // what the machine lacks; if it is empty, there is nothing to do
	Packages []string  `json:"packages"` // all of the set; the package manager skips installed ones
	Commands []Command `json:"commands"` // in order, each only if the one before succeeded
	Notes    []string  `json:"notes,omitempty"`
}

// Make plans how to install a set on a machine with its own package manager, or
// with asked if that is not empty. Faults: invalid_request for an unknown set or
// manager, install_required if the set cannot be installed on this machine.
func Make(set Set, asked Manager, m Machine) (Plan, error) {
	if _, known := tables[set]; !known {
		return Plan{}, fault.New(fault.InvalidRequest, "there is nothing of that name to install").
			Hinted("install browser, desktop or engine")
	}
	if m.OS != "linux" {
		return Plan{}, fault.New(fault.InstallRequired, "packages can be installed on Linux only, and this is %s", m.OS).
			Hinted("run it on the Linux machine, or in the container, that the browsers run on")
	}
	manager, err := m.manager(asked)
	if err != nil {
		return Plan{}, err
	}
	d := m.distribution()
	if why, instead := d.lacks(set, manager); why != "" {
		return Plan{}, fault.New(fault.InstallRequired, "%s", why).Hinted("%s", instead)
	}
	p := Plan{Set: set, Manager: manager, Missing: m.Missing(set), Packages: packages(set, manager, d)}
	p.Commands = commands(set, manager, d, p.Packages, m.init())
	if m.UID != 0 {
		for i, c := range p.Commands {
			p.Commands[i] = append(Command{"sudo"}, c...)
		}
	}
	p.Notes = notes(set, manager, d, m)
	return p, nil
}

// Again returns the command line that installs a set without asking.
func Again(set Set) string { return "glovebox install " + string(set) + " --yes" }

func commands(set Set, manager Manager, d distribution, names []string, init string) []Command {
	var all []Command
	switch manager {
	case APT:
		all = append(all, Command{"apt-get", "update"},
			append(Command{"env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "--no-install-recommends"}, names...))
	case DNF:
		if d.rebuild() {
			all = append(all, Command{"dnf", "install", "-y", "epel-release"})
		}
		all = append(all, append(Command{"dnf", "install", "-y", "--setopt=install_weak_deps=False"}, names...))
	case APK:
		all = append(all, append(Command{"apk", "add", "--no-cache"}, names...))
	}
	if set != Engine {
		return all
	}
	switch init {
	case "systemd":
		all = append(all, Command{"systemctl", "enable", "--now", "docker"})
	case "openrc":
		all = append(all, Command{"rc-update", "add", "docker", "default"}, Command{"rc-service", "docker", "start"})
	}
	return all
}

func notes(set Set, manager Manager, d distribution, m Machine) []string {
	var all []string
	if d.ID == "rhel" && manager == DNF {
		all = append(all, "some of the packages are in EPEL, which has to be enabled first: docs.fedoraproject.org/en-US/epel")
	}
	if set == Browser && manager == APT && d.ID == "debian" && !m.hasSecuritySuite() {
		all = append(all, "apt's sources name no security suite, where Chromium's fixes come from: add it first (www.debian.org/security)")
	}
	if manager == APK {
		all = append(all, "the packages are in Alpine's main and community repositories: both must be in /etc/apk/repositories")
	}
	if set == Browser {
		all = append(all, "sessions in containers bring their own browser (glovebox image build): this is for a machine that is itself the container")
	}
	if set == Engine && m.UID != 0 {
		all = append(all, "to use the engine: sudo usermod -aG docker $USER, then log in again; members of that group are as good as root")
	}
	if set == Engine && m.init() == "" {
		all = append(all, "no service manager runs here: start the engine yourself, with dockerd")
	}
	return all
}
