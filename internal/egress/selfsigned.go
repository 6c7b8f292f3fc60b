package egress

import (
	"net"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// SelfSigned reads the entries of security.network.allow_self_signed: hosts, or
// host:port, in the spelling that browsers use afterwards. What cannot be read
// is listed, and left out.
func SelfSigned(entries []string) (action.SelfSigned, []Problem) {
	var all action.SelfSigned
	var wrong []Problem
	for i, entry := range entries {
		read, ok := selfSigned(entry)
		if !ok {
			wrong = append(wrong, Problem{
				"allow_self_signed[" + strconv.Itoa(i) + "]",
				strconv.Quote(entry) + " is not a valid entry; write one host like nas.example.com, or host:port; \"*\" stands for nothing here",
			})
			continue
		}
		all = append(all, read)
	}
	return all, wrong
}

// selfSigned reads one entry. A host without a port is written as lists of hosts
// are, with a port as allow_private is.
func selfSigned(entry string) (string, bool) {
	if p, err := parsePattern(entry); err == nil {
		return p.host, true
	}
	p, err := parseAuthority("https", entry)
	if err != nil || !strings.HasSuffix(entry, ":"+strconv.Itoa(int(p.port))) {
		return "", false
	}
	return net.JoinHostPort(p.host, strconv.Itoa(int(p.port))), true
}
