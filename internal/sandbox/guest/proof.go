package guest

import (
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

const (
	settling = 500 * time.Millisecond // a renderer that starts enters its sandbox meanwhile
	sample   = 20 * time.Millisecond  // between two looks at one that has not
)

// proofs says of each renderer below the browser how /proc shows its sandbox.
// A renderer that has just been forked is not in it yet: one that looks weak is
// looked at again until it has had time.
func proofs(browser int) []sandbox.Proof {
	deadline := time.Now().Add(settling)
	for {
		found, weak := look(browser)
		if !weak || time.Now().After(deadline) {
			return found
		}
		time.Sleep(sample)
	}
}

func look(browser int) (found []sandbox.Proof, weak bool) {
	all, err := processes()
	if err != nil || browser == 0 {
		return nil, false
	}
	for pid, p := range all {
		if p.zombie || !descends(all, pid, browser) || !isRenderer(pid) {
			continue
		}
		if proof, err := prove(pid); err == nil { // else it has ended
			found = append(found, proof)
			weak = weak || !proof.Strong()
		}
	}
	return found, weak
}

func isRenderer(pid int) bool {
	line, err := os.ReadFile(procPath(pid, "cmdline"))
	return err == nil && strings.Contains(string(line), "--type=renderer")
}

// prove reads the sandbox of one process (proc(5)). A namespace that cannot be
// read counts as not its own.
func prove(pid int) (sandbox.Proof, error) {
	status, err := os.ReadFile(procPath(pid, "status"))
	if err != nil {
		return sandbox.Proof{}, err
	}
	proof := sandbox.Proof{PID: pid, OwnUserNS: ownNamespace(pid, "user"), OwnNetNS: ownNamespace(pid, "net")}
	for line := range strings.Lines(string(status)) {
		key, value, _ := strings.Cut(line, ":")
		switch value = strings.TrimSpace(value); key {
		case "Seccomp_filters":
			proof.SeccompFilters, _ = strconv.Atoi(value) // 0 refuses
		case "CapEff":
			proof.CapEff = value
		}
	}
	return proof, nil
}

func ownNamespace(pid int, kind string) bool {
	theirs, err := os.Readlink(procPath(pid, "ns/"+kind))
	if err != nil {
		return false
	}
	ours, err := os.Readlink("/proc/self/ns/" + kind)
	return err == nil && theirs != ours
}
