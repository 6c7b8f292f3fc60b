package install_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/install"
)

// machine is a machine of a distribution that has some programs. files are
// further files.
func machine(id, version string, uid int, files []string, programs ...string) install.Machine {
	root := fstest.MapFS{"etc/os-release": {Data: []byte("NAME=x\nID=" + id + "\nVERSION_ID=\"" + version + "\"\n")}}
	for _, name := range files {
		root[name] = &fstest.MapFile{}
	}
	return install.Machine{
		OS: "linux", UID: uid, Files: root,
		Has: func(program string) bool { return slices.Contains(programs, program) },
	}
}

const (
	aptInstall = "env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "
	dnfInstall = "dnf install -y --setopt=install_weak_deps=False "
	fonts      = " ca-certificates fontconfig fonts-liberation fonts-wqy-zenhei fonts-noto-color-emoji"
)

func TestCommandsOfEachDistribution(t *testing.T) {
	systemd, openrc := []string{"run/systemd/system/x"}, []string{"run/openrc/x"}
	for name, c := range map[string]struct {
		set     install.Set
		asked   install.Manager
		machine install.Machine
		want    []string
	}{
		"browser, Debian 12": {install.Browser, "", machine("debian", "12", 0, nil, "apt-get"), []string{
			"apt-get update",
			aptInstall + "chromium chromium-sandbox libnss3 libatk-bridge2.0-0 libdrm2 libxcomposite1 libxdamage1 libxrandr2 libgbm1 libasound2 libpangocairo-1.0-0 libgtk-3-0 xvfb ffmpeg" + fonts,
		}},
		"browser, Debian 13, not root": {install.Browser, "", machine("debian", "13", 1000, nil, "apt-get"), []string{
			"sudo apt-get update",
			"sudo " + aptInstall + "chromium chromium-sandbox libnss3 libatk-bridge2.0-0t64 libdrm2 libxcomposite1 libxdamage1 libxrandr2 libgbm1 libasound2t64 libpangocairo-1.0-0 libgtk-3-0t64 xvfb ffmpeg" + fonts,
		}},
		"browser, Fedora": {install.Browser, "", machine("fedora", "43", 0, nil, "dnf"), []string{
			dnfInstall + "chromium xorg-x11-server-Xvfb ffmpeg-free ca-certificates fontconfig liberation-fonts google-noto-sans-cjk-fonts google-noto-color-emoji-fonts",
		}},
		"browser, Rocky 9": {install.Browser, "", machine("rocky", "9.4", 1000, nil, "dnf"), []string{
			"sudo dnf install -y epel-release",
			"sudo " + dnfInstall + "chromium xorg-x11-server-Xvfb ffmpeg-free ca-certificates fontconfig liberation-fonts google-noto-sans-cjk-fonts google-noto-emoji-color-fonts",
		}},
		"browser, Alpine": {install.Browser, "", machine("alpine", "3.22.1", 0, nil, "apk"), []string{
			"apk add --no-cache chromium nss xvfb ffmpeg ca-certificates fontconfig font-liberation font-noto-cjk font-noto-emoji",
		}},
		"desktop, Ubuntu 24.04": {install.Desktop, "", machine("ubuntu", "24.04", 0, nil, "apt-get"), []string{
			"apt-get update",
			aptInstall + "xvfb openbox xdotool xclip imagemagick ffmpeg x11-xserver-utils dbus-x11 xauth fonts-dejavu-core",
		}},
		"desktop, asked for dnf": {install.Desktop, install.DNF, machine("debian", "12", 0, nil, "apt-get"), []string{
			dnfInstall + "xorg-x11-server-Xvfb openbox xdotool xclip ImageMagick ffmpeg-free xrandr dbus-x11 xauth dejavu-sans-fonts",
		}},
		"desktop, Alpine": {install.Desktop, "", machine("alpine", "3.22.1", 0, nil, "apk"), []string{
			"apk add --no-cache xvfb openbox xdotool xclip imagemagick ffmpeg xrandr dbus-x11 xauth font-dejavu",
		}},
		"engine, Debian in a container": {install.Engine, "", machine("debian", "12", 0, nil, "apt-get"), []string{
			"apt-get update", aptInstall + "docker.io iptables debootstrap ca-certificates",
		}},
		"engine, Fedora": {install.Engine, "", machine("fedora", "43", 1000, systemd, "dnf"), []string{
			"sudo " + dnfInstall + "moby-engine debootstrap ca-certificates", "sudo systemctl enable --now docker",
		}},
		"engine, Alpine": {install.Engine, "", machine("alpine", "3.22.1", 0, openrc, "apk"), []string{
			"apk add --no-cache docker iptables debootstrap ca-certificates", "rc-update add docker default", "rc-service docker start",
		}},
	} {
		plan, err := install.Make(c.set, c.asked, c.machine)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for _, command := range plan.Commands {
			got = append(got, command.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\ngot  %s\nwant %s", name, strings.Join(got, "\n     "), strings.Join(c.want, "\n     "))
		}
	}
}

func TestUnsupportedMachinesGiveAFault(t *testing.T) {
	mac := machine("", "", 0, nil)
	mac.OS = "darwin"
	for name, c := range map[string]struct {
		set     install.Set
		asked   install.Manager
		machine install.Machine
		code    fault.Code
		says    string
	}{
		"another system":     {install.Browser, "", mac, fault.InstallRequired, "Linux only"},
		"no manager":         {install.Browser, "", machine("arch", "", 0, nil, "pacman"), fault.InstallRequired, "no package manager"},
		"unknown manager":    {install.Browser, "pip", machine("debian", "12", 0, nil, "apt-get"), fault.InvalidRequest, "not known"},
		"unknown set":        {"kitchen", "", machine("debian", "12", 0, nil, "apt-get"), fault.InvalidRequest, "nothing of that name"},
		"Ubuntu's snap":      {install.Browser, "", machine("ubuntu", "24.04", 0, nil, "apt-get"), fault.InstallRequired, "snap"},
		"RHEL has no engine": {install.Engine, "", machine("rhel", "9.4", 0, nil, "dnf"), fault.InstallRequired, "RHEL"},
		"the zero machine":   {install.Browser, "", install.Machine{}, fault.InstallRequired, "Linux only"},
	} {
		_, err := install.Make(c.set, c.asked, c.machine)
		f := fault.From(err)
		if err == nil || f.Code != c.code || !strings.Contains(f.Message, c.says) || f.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if exit := fault.InstallRequired.Info().Exit; exit != 8 {
		t.Errorf("install_required exits with %d", exit)
	}
}

func TestMissingListsWhatTheMachineLacks(t *testing.T) {
	all := []string{"usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf", "usr/share/fonts/a/NotoSansCJK-Regular.ttc", "usr/share/fonts/NotoColorEmoji.ttf"}
	for name, c := range map[string]struct {
		set     install.Set
		machine install.Machine
		want    []string
	}{
		"bare":          {install.Browser, machine("debian", "12", 0, nil), []string{"chromium", "Xvfb", "ffmpeg", "fonts (Latin)", "fonts (Chinese, Japanese, Korean)", "fonts (emoji)"}},
		"all":           {install.Browser, machine("alpine", "3", 0, all, "chromium-browser", "Xvfb", "ffmpeg"), []string{}},
		"fonts only":    {install.Browser, machine("debian", "12", 0, all), []string{"chromium", "Xvfb", "ffmpeg"}},
		"all but emoji": {install.Browser, machine("debian", "12", 0, all[:2], "chromium", "Xvfb", "ffmpeg"), []string{"fonts (emoji)"}},
		"engine":        {install.Engine, machine("debian", "12", 0, nil, "dockerd", "iptables"), []string{"debootstrap"}},
		"desktop":       {install.Desktop, machine("debian", "12", 0, all, "Xvfb", "ffmpeg", "openbox", "xdotool", "convert", "xauth"), []string{"xclip", "xrandr", "dbus-launch"}},
	} {
		if got := c.machine.Missing(c.set); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestNotesAppearOnlyWhereTheyApply(t *testing.T) {
	for says, c := range map[string]struct{ with, without install.Machine }{
		"security suite": {machine("debian", "12", 0, nil, "apt-get"), secured(machine("debian", "12", 0, nil, "apt-get"))},
		"EPEL":           {machine("rhel", "9.4", 0, nil, "dnf"), machine("fedora", "43", 0, nil, "dnf")},
		"community":      {machine("alpine", "3.22", 0, nil, "apk"), machine("fedora", "43", 0, nil, "dnf")},
	} {
		if !strings.Contains(notesFor(t, c.with), says) {
			t.Errorf("the notes do not mention %s", says)
		}
		if got := notesFor(t, c.without); strings.Contains(got, says) {
			t.Errorf("the note does not apply: %s", got)
		}
	}
	for uid, want := range map[int]int{0: 0, 1000: 1} {
		plan, err := install.Make(install.Engine, "", machine("debian", "12", uid, []string{"run/systemd/system/x"}, "apt-get"))
		if err != nil || len(plan.Notes) != want {
			t.Errorf("for user %d: %q %v", uid, plan.Notes, err)
		}
	}
}

func notesFor(t *testing.T, m install.Machine) string {
	t.Helper()
	plan, err := install.Make(install.Browser, "", m)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(plan.Notes, "\n")
}

func secured(m install.Machine) install.Machine {
	m.Files.(fstest.MapFS)["etc/apt/sources.list.d/debian.sources"] = &fstest.MapFile{Data: []byte("Suites: bookworm-security\n")}
	return m
}

func TestPlansAreJSON(t *testing.T) {
	plan, err := install.Make(install.Engine, install.APK, machine("alpine", "3.22", 0, nil, "apk", "dockerd", "iptables", "debootstrap"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(plan)
	if err != nil || !strings.Contains(string(got), `"missing":[],`) || !strings.Contains(string(got), `"commands":["apk add --no-cache docker iptables debootstrap ca-certificates"]`) {
		t.Errorf("%s %v", got, err)
	}
}
