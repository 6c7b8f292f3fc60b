package install

import (
	"slices"
	"strconv"
	"strings"
)

// tables lists the packages of each set by package manager. For a browser these
// are the packages of Chromium, followed by those that the gateway needs besides
// (as in images/browser/Dockerfile).
var tables = map[Set]map[Manager][]string{
	Browser: {
		APT: {
			"chromium", "chromium-sandbox", "libnss3", "libatk-bridge2.0-0", "libdrm2", "libxcomposite1", "libxdamage1", "libxrandr2",
			"libgbm1", "libasound2", "libpangocairo-1.0-0", "libgtk-3-0",
			"xvfb", "ffmpeg", "ca-certificates", "fontconfig", "fonts-liberation", "fonts-wqy-zenhei", "fonts-noto-color-emoji",
		},
		DNF: {
			"chromium",
			"xorg-x11-server-Xvfb", "ffmpeg-free", "ca-certificates", "fontconfig",
			"liberation-fonts", "google-noto-sans-cjk-fonts", "google-noto-color-emoji-fonts",
		},
		APK: {
			"chromium", "nss",
			"xvfb", "ffmpeg", "ca-certificates", "fontconfig", "font-liberation", "font-noto-cjk", "font-noto-emoji",
		},
	},
	Desktop: {
		APT: {"xvfb", "openbox", "xdotool", "xclip", "imagemagick", "ffmpeg", "x11-xserver-utils", "dbus-x11", "xauth", "fonts-dejavu-core"},
		DNF: {"xorg-x11-server-Xvfb", "openbox", "xdotool", "xclip", "ImageMagick", "ffmpeg-free", "xrandr", "dbus-x11", "xauth", "dejavu-sans-fonts"},
		APK: {"xvfb", "openbox", "xdotool", "xclip", "imagemagick", "ffmpeg", "xrandr", "dbus-x11", "xauth", "font-dejavu"},
	},
	Engine: {
		APT: {"docker.io", "iptables", "debootstrap", "ca-certificates"},
		DNF: {"moby-engine", "debootstrap", "ca-certificates"},
		APK: {"docker", "iptables", "debootstrap", "ca-certificates"},
	},
}

// packages returns what a distribution calls the packages of a set.
func packages(set Set, manager Manager, d distribution) []string {
	names := slices.Clone(tables[set][manager])
	for i, name := range names {
		switch {
		case manager == APT && d.wideTime() && slices.Contains([]string{"libatk-bridge2.0-0", "libasound2", "libgtk-3-0"}, name):
			names[i] = name + "t64"
		case manager == DNF && d.redHat() && d.major() < 10 && name == "google-noto-color-emoji-fonts":
			names[i] = "google-noto-emoji-color-fonts" // renamed in Fedora since
		}
	}
	return names
}

// distribution is the content of os-release(5).
type distribution struct {
	ID      string
	Version string // VERSION_ID; empty in rolling ones
}

func (d distribution) major() int {
	text, _, _ := strings.Cut(d.Version, ".")
	n, _ := strconv.Atoi(text) // 0 where there is none
	return n
}

// wideTime reports whether libraries have the package names of the change to
// 64-bit time: Debian since 13, Ubuntu since 24.04.
func (d distribution) wideTime() bool {
	switch d.ID {
	case "debian":
		return d.Version == "" || d.major() >= 13
	case "ubuntu":
		return d.major() >= 24
	}
	return false
}

// redHat reports whether it is RHEL or a rebuild of it.
func (d distribution) redHat() bool { return d.ID == "rhel" || d.rebuild() }

// rebuild reports whether the distribution has a package for EPEL.
func (d distribution) rebuild() bool {
	return slices.Contains([]string{"centos", "almalinux", "rocky"}, d.ID)
}

// lacks returns why a distribution's own packages are not sufficient, and what to
// do instead.
func (d distribution) lacks(set Set, manager Manager) (why, instead string) {
	switch {
	case d.ID == "ubuntu" && manager == APT && set == Browser:
		return "Ubuntu has Chromium as a snap only, which does not run in a container",
			"run sessions in boxes (glovebox image build), or use a container made from Debian"
	case d.redHat() && manager == DNF && set == Engine:
		return "RHEL and its like have no package of the container engine",
			"add its vendor's repository: docs.docker.com/engine/install"
	}
	return "", ""
}
