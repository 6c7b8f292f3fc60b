package install

import (
	"io/fs"
	"path"
	"strings"
)

// need is one requirement of a set. It is met if one of the programs exists, or a
// font file whose name has one of the prefixes.
type need struct {
	name     string
	programs []string
	fonts    []string
}

var (
	display = need{name: "Xvfb", programs: []string{"Xvfb"}}
	ffmpeg  = need{name: "ffmpeg", programs: []string{"ffmpeg"}}
)

var needs = map[Set][]need{
	Browser: {
		{name: "chromium", programs: []string{"chromium", "chromium-browser"}},
		display, ffmpeg,
		{name: "fonts (Latin)", fonts: []string{"Liberation", "DejaVu"}},
		{name: "fonts (Chinese, Japanese, Korean)", fonts: []string{"wqy-zenhei", "NotoSansCJK"}},
		{name: "fonts (emoji)", fonts: []string{"NotoColorEmoji", "Noto-COLRv1"}},
	},
	Desktop: {
		display, ffmpeg,
		{name: "openbox", programs: []string{"openbox"}},
		{name: "xdotool", programs: []string{"xdotool"}},
		{name: "xclip", programs: []string{"xclip"}},
		{name: "imagemagick", programs: []string{"magick", "convert"}},
		{name: "xrandr", programs: []string{"xrandr"}},
		{name: "dbus-launch", programs: []string{"dbus-launch"}},
		{name: "xauth", programs: []string{"xauth"}},
		{name: "fonts (Latin)", fonts: []string{"DejaVu", "Liberation"}},
	},
	Engine: {
		{name: "dockerd", programs: []string{"dockerd"}},
		{name: "iptables", programs: []string{"iptables"}},
		{name: "debootstrap", programs: []string{"debootstrap"}},
	},
}

// Missing lists what the machine lacks of a set.
func (m Machine) Missing(set Set) []string {
	fonts := m.fonts()
	missing := []string{}
	for _, n := range needs[set] {
		if !n.met(m.Has, fonts) {
			missing = append(missing, n.name)
		}
	}
	return missing
}

func (n need) met(has func(string) bool, fonts []string) bool {
	for _, program := range n.programs {
		if has(program) {
			return true
		}
	}
	for _, prefix := range n.fonts {
		for _, font := range fonts {
			if strings.HasPrefix(font, prefix) {
				return true
			}
		}
	}
	return false
}

// fonts lists the names of the machine's font files.
func (m Machine) fonts() []string {
	var names []string
	_ = fs.WalkDir(m.Files, "usr/share/fonts", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, path.Base(name))
		}
		return nil // a folder that cannot be read counts as empty
	})
	return names
}
