package local

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

const installCommand = "glovebox install browser --yes"

var _ sandbox.Checker = (*Driver)(nil)

// programFiles are the programs of a box and the paths at which they must exist.
var programFiles = map[string]string{"chromium": "/usr/lib/chromium/chromium", "Xvfb": "/usr/bin/Xvfb"}

// Check checks everything that a box needs of the container, and reports which
// protections it cannot have. It starts no box.
func (d *Driver) Check(context.Context) []sandbox.Finding {
	findings := []sandbox.Finding{
		{Name: "container", OK: true, Detail: "this is one, by its processes, its root and its IPC namespace"},
		programsFinding(),
	}
	w, err := d.detectIsolation()
	if err != nil {
		f := fault.From(err)
		return append(findings, sandbox.Finding{Name: "walls", Detail: f.Message, Repair: f.Hint})
	}
	return append(findings,
		egressFinding(w.sealed),
		filesFinding(w),
		sandbox.Finding{Name: "limits", OK: true, Detail: fmt.Sprintf(
			"%d tasks a box; memory, CPU and disk are the container's, for all boxes and the gateway together", d.options.PidsLimit)},
	)
}

// Missing returns the programs that are missing, and what the container does not
// allow (sandbox.Checker).
func (d *Driver) Missing(context.Context) []sandbox.MissingDependency {
	var missing []sandbox.MissingDependency
	for _, name := range missingPrograms() {
		missing = append(missing, sandbox.MissingDependency{Name: name, Repair: installCommand})
	}
	if _, err := d.detectIsolation(); err != nil {
		missing = append(missing, sandbox.MissingDependency{Name: "walls", Repair: fault.From(err).Hint})
	}
	return missing
}

func missingPrograms() (missing []string) {
	for _, name := range slices.Sorted(maps.Keys(programFiles)) {
		if _, err := os.Stat(programFiles[name]); err != nil {
			missing = append(missing, name)
		}
	}
	return missing
}

func programsFinding() sandbox.Finding {
	missing := missingPrograms()
	if len(missing) == 0 {
		return sandbox.Finding{Name: "programs", OK: true, Detail: "Chromium and Xvfb are there"}
	}
	return sandbox.Finding{
		Name: "programs", Detail: strings.Join(missing, " and ") + " is missing", Repair: installCommand,
	}
}

// egressFinding reports whether a box can have a network namespace. Without one the
// finding is OK, but its text, and every session, shows that egress is best-effort.
func egressFinding(sealed bool) sandbox.Finding {
	f := sandbox.Finding{Name: "network", OK: true, Detail: "egress: sealed; a box has a network namespace with loopback alone"}
	if !sealed {
		f.Detail = "egress: best-effort; a box shares the container's network, and only its browser's flags make it use the egress proxy"
	}
	return f
}

func filesFinding(w isolation) sandbox.Finding {
	var by []string
	if w.users {
		by = append(by, "a user of each box's own")
	}
	if w.files {
		by = append(by, fmt.Sprintf("Landlock (version %d)", landlockVersion()))
	}
	if len(by) == 0 {
		return sandbox.Finding{
			Name: "files", OK: true, // allowed by configuration
			Detail: "the gateway's files are open to a box that has fallen: allowed by browser.sandbox.allow_weak_sandbox",
		}
	}
	return sandbox.Finding{Name: "files", OK: true, Detail: "the gateway's files are closed to boxes by " + strings.Join(by, " and ")}
}
