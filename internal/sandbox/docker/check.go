package docker

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/system"
	"github.com/moby/moby/client"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// Finding is one line of the report of glovebox doctor.
type Finding = sandbox.Finding

// Check checks everything that a box needs of this machine. It changes nothing and
// starts no box. Without an engine it returns that finding only.
func (d *Driver) Check(ctx context.Context) []Finding {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	answer, err := d.engine.Info(ctx, client.InfoOptions{})
	if err != nil {
		f := fault.From(d.engineFault(err, "answer"))
		return []Finding{{Name: "engine", Detail: f.Message, Repair: f.Hint}}
	}
	info := answer.Info
	return []Finding{
		engineFinding(info),
		d.imageFinding(ctx),
		{Name: "storage", OK: true, Detail: info.Driver},
		limitsFinding(info),
		seccompFinding(info),
		namespacesFinding(),
	}
}

// Missing returns whether the engine or the image is missing (sandbox.Checker).
func (d *Driver) Missing(ctx context.Context) []sandbox.MissingDependency {
	var missing []sandbox.MissingDependency
	for _, f := range d.Check(ctx) {
		if !f.OK && (f.Name == "engine" || f.Name == "image") {
			missing = append(missing, sandbox.MissingDependency{Name: f.Name, Repair: f.Repair})
		}
	}
	return missing
}

func engineFinding(info system.Info) Finding {
	f := Finding{Name: "engine", OK: true, Detail: fmt.Sprintf("%s on %s", info.ServerVersion, info.OperatingSystem)}
	if info.OSType != "linux" {
		f.OK, f.Repair = false, "switch the engine to Linux containers"
	}
	return f
}

func (d *Driver) imageFinding(ctx context.Context) Finding {
	found, err := d.engine.ImageInspect(ctx, d.options.Image)
	switch {
	case errdefs.IsNotFound(err):
		return Finding{Name: "image", Detail: d.options.Image + " is not there", Repair: buildCommand}
	case err != nil:
		f := fault.From(d.engineFault(err, "look for the image"))
		return Finding{Name: "image", Detail: f.Message, Repair: f.Hint}
	}
	return Finding{Name: "image", OK: true, Detail: fmt.Sprintf("%s of %s", d.options.Image, found.Created)}
}

// limitsFinding reports the limits that the engine cannot set. When it makes a
// container it only warns about them.
func limitsFinding(info system.Info) Finding {
	var missing []string
	for name, available := range map[string]bool{
		"memory": info.MemoryLimit, "swap": info.SwapLimit, "cpu": info.CPUCfsQuota, "pids": info.PidsLimit,
	} {
		if !available {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	f := Finding{Name: "limits", OK: len(missing) == 0, Detail: fmt.Sprintf("cgroup v%s (%s)", info.CgroupVersion, info.CgroupDriver)}
	if !f.OK {
		f.Detail += ", without " + strings.Join(missing, ", ")
		f.Repair = "boot with cgroup_enable=memory swapaccount=1, or use cgroup v2"
	}
	return f
}

func seccompFinding(info system.Info) Finding {
	for _, option := range info.SecurityOptions {
		if strings.Contains(option, "name=seccomp") {
			return Finding{Name: "seccomp", OK: true, Detail: "the engine filters system calls"}
		}
	}
	return Finding{
		Name: "seccomp", Detail: "the engine does not filter system calls",
		Repair: "use a kernel with CONFIG_SECCOMP_FILTER and an engine built with seccomp",
	}
}

// namespacesFinding checks the namespaces that Chromium's own sandbox uses. It
// assumes that the engine runs on this machine.
func namespacesFinding() Finding {
	limit, err := os.ReadFile("/proc/sys/user/max_user_namespaces")
	if err != nil {
		return Finding{Name: "user namespaces", OK: true, Detail: "not to be seen from here; each start proves them"}
	}
	if strings.TrimSpace(string(limit)) == "0" {
		return Finding{
			Name: "user namespaces", Detail: "none may be made, so Chromium has no sandbox",
			Repair: "sudo sysctl -w user.max_user_namespaces=15000",
		}
	}
	allowed, err := os.ReadFile("/proc/sys/kernel/unprivileged_userns_clone")
	if err == nil && strings.TrimSpace(string(allowed)) == "0" {
		return Finding{
			Name: "user namespaces", Detail: "only root may make them, so Chromium has no sandbox",
			Repair: "sudo sysctl -w kernel.unprivileged_userns_clone=1",
		}
	}
	return Finding{Name: "user namespaces", OK: true, Detail: strings.TrimSpace(string(limit)) + " may be made"}
}
