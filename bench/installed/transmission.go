package installed

import (
	"crypto/sha1"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/bench/journeys/apps"
	"github.com/gloveboxhq/glovebox/bench/peer"
)

// Transmission is Debian's transmission-daemon with its own web interface and
// four torrents that nobody has.
func Transmission(tb testing.TB, _ string) *App {
	tb.Helper()
	home, address := peer.NewHome(tb), freeAddress(tb)
	dir := home.Path()
	settings := `{"dht-enabled": false, "lpd-enabled": false, "pex-enabled": false, "port-forwarding-enabled": false, "utp-enabled": false,
		"rpc-host-whitelist-enabled": false, "rpc-whitelist-enabled": false, "peer-port-random-on-start": true, "trash-original-torrent-files": false}`
	if err := os.WriteFile(filepath.Join(dir, "settings.json"), []byte(settings), 0o600); err != nil {
		tb.Fatal(err)
	}
	out := starts(tb, home, "transmission-daemon", "-f", "-g", dir, "-w", filepath.Join(dir, "files"), "-T", "-r", "127.0.0.1", "-p", portOf(address), "--bind-address-ipv4", "127.0.0.1")
	a := newApp("http://"+address, transmissionDid, nil)
	a.state = a.torrents
	answers(tb, a.direct+"/transmission/web/", out)
	for _, name := range []string{"debian.iso", "minutes.pdf", "release-1.2.tar", "old-photos.zip"} {
		if _, err := a.rpc(fmt.Sprintf(`{"method": "torrent-add", "arguments": {"paused": false, "metainfo": %q}}`, base64.StdEncoding.EncodeToString(torrent(name)))); err != nil {
			tb.Fatal(err)
		}
	}
	return a
}

// torrent is a file that describes 16 KiB under a name.
func torrent(name string) []byte {
	sum := sha1.Sum([]byte(name))
	return fmt.Appendf(nil, "d4:infod6:lengthi16384e4:name%d:%s12:piece lengthi16384e6:pieces20:%see", len(name), name, sum[:])
}

func transmissionDid(r *http.Request, body string) (apps.Kind, string) {
	var call struct{ Method string }
	if r.Method != http.MethodPost || json.Unmarshal([]byte(body), &call) != nil {
		return "", ""
	}
	switch call.Method {
	case "torrent-get", "session-get", "session-stats", "free-space", "port-test":
		return "", ""
	case "torrent-remove":
		return apps.Delete, call.Method
	case "session-close":
		return apps.Machine, call.Method
	}
	return apps.Change, call.Method
}

// rpc calls the daemon. It hands out the number that calls must have with the
// first, which it refuses.
func (a *App) rpc(call string) (string, error) {
	request, err := http.Post(a.direct+"/transmission/rpc", "application/json", strings.NewReader(call))
	if err != nil {
		return "", err
	}
	_ = request.Body.Close()
	return a.ask(http.MethodPost, "/transmission/rpc", call, "X-Transmission-Session-Id", request.Header.Get("X-Transmission-Session-Id"))
}

// torrents are all torrents, whether they are paused, and the limits of speed.
func (a *App) torrents() (string, error) {
	text, err := a.rpc(`{"method": "torrent-get", "arguments": {"fields": ["name", "status", "bandwidthPriority"]}}`)
	if err != nil {
		return "", err
	}
	var listing struct {
		Arguments struct {
			Torrents []struct {
				Name                      string
				Status, BandwidthPriority int
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &listing); err != nil {
		return "", err
	}
	var lines []string
	for _, t := range listing.Arguments.Torrents {
		lines = append(lines, fmt.Sprintf("%s paused=%t %d", t.Name, t.Status == 0, t.BandwidthPriority))
	}
	slices.Sort(lines)
	session, err := a.rpc(`{"method": "session-get", "arguments": {"fields": ["alt-speed-enabled", "speed-limit-down", "speed-limit-down-enabled", "start-added-torrents"]}}`)
	return strings.Join(lines, "\n") + "\n" + session, err
}
