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

// programs are what a box runs, with the files that are looked for.
var programs = map[string]string{"chromium": "/usr/lib/chromium/chromium", "Xvfb": "/usr/bin/Xvfb"}

// Check looks at everything a box needs of the container, and says plainly
// what it cannot have. It makes no box.
func (d *Driver) Check(context.Context) []sandbox.Finding {
	findings := []sandbox.Finding{
		{Name: "container", OK: true, Detail: "this is one, by its processes, its root and its IPC namespace"},
		programsFinding(),
	}
	w, err := d.survey()
	if err != nil {
		f := fault.From(err)
		return append(findings, sandbox.Finding{Name: "walls", Detail: f.Message, Repair: f.Hint})
	}
	return append(findings,
		egressFinding(w.sealed),
		filesFinding(w),
		sandbox.Finding{Name: "limits", OK: true, Detail: fmt.Sprintf(
			"%d tasks a box; memory, CPU and disk are the container's, for all boxes and the gateway together", d.o.PidsLimit)},
	)
}

// Missing says which programs are not there, or which wall the container does
// not permit (sandbox.Checker).
func (d *Driver) Missing(context.Context) []sandbox.Lack {
	var lacks []sandbox.Lack
	for _, name := range missingPrograms() {
		lacks = append(lacks, sandbox.Lack{Name: name, Repair: installCommand})
	}
	if _, err := d.survey(); err != nil {
		lacks = append(lacks, sandbox.Lack{Name: "walls", Repair: fault.From(err).Hint})
	}
	return lacks
}

func missingPrograms() (missing []string) {
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		if _, err := os.Stat(programs[name]); err != nil {
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

// egressFinding is no failure where the container does not permit a network
// namespace: it is said, here and wherever a session is shown.
func egressFinding(sealed bool) sandbox.Finding {
	f := sandbox.Finding{Name: "network", OK: true, Detail: "egress: sealed; a box has a network namespace with loopback alone"}
	if !sealed {
		f.Detail = "egress: best-effort; a box shares the container's network, and only its browser's flags hold it to the egress door"
	}
	return f
}

func filesFinding(w walls) sandbox.Finding {
	var by []string
	if w.users {
		by = append(by, "a user of each box's own")
	}
	if w.files {
		by = append(by, fmt.Sprintf("Landlock (version %d)", landlock()))
	}
	if len(by) == 0 {
		return sandbox.Finding{
			Name: "files", OK: true, // allowed by configuration, or there were no walls to look at
			Detail: "the gateway's files are open to a box that has fallen: allowed by browser.sandbox.allow_weak_sandbox",
		}
	}
	return sandbox.Finding{Name: "files", OK: true, Detail: "the gateway's files are closed to boxes by " + strings.Join(by, " and ")}
}
