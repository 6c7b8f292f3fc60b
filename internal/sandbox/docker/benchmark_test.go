package docker_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/client"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/docker"
	"github.com/gloveboxhq/glovebox/internal/sandbox/escapetest"
	"github.com/gloveboxhq/glovebox/internal/sandbox/sandboxtest"
)

// inspected is a running box as the engine describes it.
type inspected struct {
	t   *testing.T
	box sandbox.Box
	o   docker.Options
	c   container.InspectResponse
}

// proofs are checks of a box against the recommendations of the benchmark. Each
// returns the difference, or nothing.
var proofs = map[string]func(inspected) string{
	"5.1": func(i inspected) string {
		info, err := engine(i.t).Info(bounded(i.t), client.InfoOptions{})
		if err != nil {
			i.t.Fatal(err)
		}
		return unlike(info.Info.Swarm.LocalNodeState, "inactive")
	},
	"5.4": func(i inspected) string {
		return unlike(i.c.HostConfig.CapDrop, "[ALL]") + unlike(i.c.HostConfig.CapAdd, "[]")
	},
	"5.5":  func(i inspected) string { return unlike(i.c.HostConfig.Privileged, "false") },
	"5.6":  ownMount,
	"5.7":  noServer,
	"5.8":  noPorts,
	"5.9":  noPorts,
	"5.10": noNetwork,
	"5.11": func(i inspected) string {
		return unlike(i.c.HostConfig.Memory, fmt.Sprint(i.o.Memory)) + unlike(i.c.HostConfig.MemorySwap, fmt.Sprint(i.o.Memory))
	},
	"5.12": func(i inspected) string {
		return unlike(float64(i.c.HostConfig.CPUQuota)/float64(i.c.HostConfig.CPUPeriod), fmt.Sprint(i.o.CPUs))
	},
	"5.13": func(i inspected) string { return unlike(i.c.HostConfig.ReadonlyRootfs, "true") },
	"5.14": noPorts,
	"5.15": func(i inspected) string {
		return unlike(i.c.HostConfig.RestartPolicy.MaximumRetryCount, "0") + unlike(i.c.HostConfig.RestartPolicy.IsNone(), "true")
	},
	"5.16": func(i inspected) string { return unlike(i.c.HostConfig.PidMode, "") },
	"5.17": func(i inspected) string { return unlike(i.c.HostConfig.IpcMode, "private") },
	"5.18": func(i inspected) string {
		return unlike(len(i.c.HostConfig.Devices)+len(i.c.HostConfig.DeviceRequests)+len(i.c.HostConfig.DeviceCgroupRules), "0")
	},
	"5.19": ulimits,
	"5.20": func(i inspected) string { return unlike(i.c.Mounts[0].Propagation, string(mount.PropagationRPrivate)) },
	"5.21": func(i inspected) string { return unlike(i.c.HostConfig.UTSMode, "") },
	"5.22": confined,
	"5.23": noExec,
	"5.24": noExec,
	"5.25": func(i inspected) string {
		return unlike(i.c.HostConfig.CgroupParent, "") + unlike(i.c.HostConfig.CgroupnsMode, "private")
	},
	"5.26": func(i inspected) string {
		return unlike(strings.Contains(strings.Join(i.c.HostConfig.SecurityOpt, " "), "no-new-privileges"), "true")
	},
	"5.29": func(i inspected) string { return unlike(*i.c.HostConfig.PidsLimit, fmt.Sprint(i.o.PidsLimit)) },
	"5.30": noNetwork,
	"5.31": func(i inspected) string {
		return unlike(i.c.HostConfig.UsernsMode, "") + unlike(i.c.Config.User, "10001:10001")
	},
	"5.32": ownMount,
}

// unlike describes a difference between got and want, or returns nothing.
func unlike(got any, want string) string {
	if text := fmt.Sprint(got); text != want {
		return fmt.Sprintf("it is %q, want %q; ", text, want)
	}
	return ""
}

func ownMount(i inspected) string {
	if len(i.c.Mounts) != 1 {
		return fmt.Sprintf("there are the mounts %+v", i.c.Mounts)
	}
	m := i.c.Mounts[0]
	return unlike(m.Source, filepath.Join(i.o.SocketDir, i.box.Info().ID)) + unlike(m.RW, "false") + unlike(m.Type, "bind") + unlike(i.c.HostConfig.Binds, "[]")
}

func noServer(i inspected) string {
	found, _ := inside(i.t, i.box, "command -v sshd; ls /usr/sbin/sshd 2>/dev/null; grep -lz sshd /proc/[0-9]*/comm 2>/dev/null")
	return unlike(found, "")
}

func noPorts(i inspected) string {
	return unlike(len(i.c.HostConfig.PortBindings), "0") + unlike(i.c.HostConfig.PublishAllPorts, "false") + unlike(len(i.c.NetworkSettings.Ports), "0")
}

func noNetwork(i inspected) string {
	all := ""
	for name := range i.c.NetworkSettings.Networks {
		all += unlike(name, "none")
	}
	return all + unlike(i.c.HostConfig.NetworkMode, "none")
}

func ulimits(i inspected) string {
	var all []string
	for _, u := range i.c.HostConfig.Ulimits {
		all = append(all, fmt.Sprintf("%s %d", u.Name, u.Hard))
	}
	return unlike(strings.Join(all, ", "), "core 0, msgqueue 0, nofile 4096, nproc 32768")
}

func confined(i inspected) string {
	for _, option := range i.c.HostConfig.SecurityOpt {
		if profile, found := strings.CutPrefix(option, "seccomp="); found {
			return unlike(strings.Contains(profile, `"defaultAction":"SCMP_ACT_ERRNO"`), "true")
		}
	}
	return "there is no seccomp profile"
}

func noExec(i inspected) string { return unlike(len(i.c.ExecIDs), "0") }

// TestABoxFollowsTheBenchmark checks what the engine reports about a running box.
func TestABoxFollowsTheBenchmark(t *testing.T) {
	o := options(t)
	box := start(t, open(t, o), sandboxtest.Spec("alice"))
	answer, err := engine(t).ContainerInspect(bounded(t), box.Info().Name, client.ContainerInspectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	i := inspected{t, box, o, answer.Container}
	for _, check := range escapetest.Benchmark() {
		prove := proofs[check.ID]
		switch {
		case (prove == nil) != (check.Except != ""), (check.Here == "") != (check.Except != ""):
			t.Errorf("%s has neither a check nor a reason for its exception, or both", check.ID)
		case prove != nil:
			if problem := prove(i); problem != "" {
				t.Errorf("%s %s: %s", check.ID, check.Title, problem)
			}
		}
	}
}
