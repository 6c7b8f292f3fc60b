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
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// inspectedBox is a running box as the engine describes it.
type inspectedBox struct {
	t         *testing.T
	box       sandbox.Box
	options   docker.Options
	container container.InspectResponse
}

// benchmarkChecks are checks of a box against the recommendations of the benchmark. Each
// returns the difference, or nothing.
var benchmarkChecks = map[string]func(inspectedBox) string{
	"5.1": func(i inspectedBox) string {
		info, err := engineClient(i.t).Info(testwait.Context(i.t), client.InfoOptions{})
		if err != nil {
			i.t.Fatal(err)
		}
		return mismatch(info.Info.Swarm.LocalNodeState, "inactive")
	},
	"5.4": func(i inspectedBox) string {
		return mismatch(i.container.HostConfig.CapDrop, "[ALL]") + mismatch(i.container.HostConfig.CapAdd, "[]")
	},
	"5.5":  func(i inspectedBox) string { return mismatch(i.container.HostConfig.Privileged, "false") },
	"5.6":  ownMount,
	"5.7":  noServer,
	"5.8":  noPorts,
	"5.9":  noPorts,
	"5.10": noNetwork,
	"5.11": func(i inspectedBox) string {
		return mismatch(i.container.HostConfig.Memory, fmt.Sprint(i.options.Memory)) + mismatch(i.container.HostConfig.MemorySwap, fmt.Sprint(i.options.Memory))
	},
	"5.12": func(i inspectedBox) string {
		return mismatch(float64(i.container.HostConfig.CPUQuota)/float64(i.container.HostConfig.CPUPeriod), fmt.Sprint(i.options.CPUs))
	},
	"5.13": func(i inspectedBox) string { return mismatch(i.container.HostConfig.ReadonlyRootfs, "true") },
	"5.14": noPorts,
	"5.15": func(i inspectedBox) string {
		return mismatch(i.container.HostConfig.RestartPolicy.MaximumRetryCount, "0") + mismatch(i.container.HostConfig.RestartPolicy.IsNone(), "true")
	},
	"5.16": func(i inspectedBox) string { return mismatch(i.container.HostConfig.PidMode, "") },
	"5.17": func(i inspectedBox) string { return mismatch(i.container.HostConfig.IpcMode, "private") },
	"5.18": func(i inspectedBox) string {
		return mismatch(len(i.container.HostConfig.Devices)+len(i.container.HostConfig.DeviceRequests)+len(i.container.HostConfig.DeviceCgroupRules), "0")
	},
	"5.19": ulimits,
	"5.20": func(i inspectedBox) string {
		return mismatch(i.container.Mounts[0].Propagation, string(mount.PropagationRPrivate))
	},
	"5.21": func(i inspectedBox) string { return mismatch(i.container.HostConfig.UTSMode, "") },
	"5.22": confined,
	"5.23": noExec,
	"5.24": noExec,
	"5.25": func(i inspectedBox) string {
		return mismatch(i.container.HostConfig.CgroupParent, "") + mismatch(i.container.HostConfig.CgroupnsMode, "private")
	},
	"5.26": func(i inspectedBox) string {
		return mismatch(strings.Contains(strings.Join(i.container.HostConfig.SecurityOpt, " "), "no-new-privileges"), "true")
	},
	"5.29": func(i inspectedBox) string {
		return mismatch(*i.container.HostConfig.PidsLimit, fmt.Sprint(i.options.PidsLimit))
	},
	"5.30": noNetwork,
	"5.31": func(i inspectedBox) string {
		return mismatch(i.container.HostConfig.UsernsMode, "") + mismatch(i.container.Config.User, "10001:10001")
	},
	"5.32": ownMount,
}

// mismatch describes a difference between got and want, or returns nothing.
func mismatch(got any, want string) string {
	if text := fmt.Sprint(got); text != want {
		return fmt.Sprintf("it is %q, want %q; ", text, want)
	}
	return ""
}

func ownMount(i inspectedBox) string {
	if len(i.container.Mounts) != 1 {
		return fmt.Sprintf("there are the mounts %+v", i.container.Mounts)
	}
	m := i.container.Mounts[0]
	return mismatch(m.Source, filepath.Join(i.options.SocketDir, i.box.Info().ID)) + mismatch(m.RW, "false") + mismatch(m.Type, "bind") + mismatch(i.container.HostConfig.Binds, "[]")
}

func noServer(i inspectedBox) string {
	found, _ := execInBox(i.t, i.box, "command -v sshd; ls /usr/sbin/sshd 2>/dev/null; grep -lz sshd /proc/[0-9]*/comm 2>/dev/null")
	return mismatch(found, "")
}

func noPorts(i inspectedBox) string {
	return mismatch(len(i.container.HostConfig.PortBindings), "0") + mismatch(i.container.HostConfig.PublishAllPorts, "false") + mismatch(len(i.container.NetworkSettings.Ports), "0")
}

func noNetwork(i inspectedBox) string {
	all := ""
	for name := range i.container.NetworkSettings.Networks {
		all += mismatch(name, "none")
	}
	return all + mismatch(i.container.HostConfig.NetworkMode, "none")
}

func ulimits(i inspectedBox) string {
	var all []string
	for _, u := range i.container.HostConfig.Ulimits {
		all = append(all, fmt.Sprintf("%s %d", u.Name, u.Hard))
	}
	return mismatch(strings.Join(all, ", "), "core 0, msgqueue 0, nofile 4096, nproc 32768")
}

func confined(i inspectedBox) string {
	for _, option := range i.container.HostConfig.SecurityOpt {
		if profile, found := strings.CutPrefix(option, "seccomp="); found {
			return mismatch(strings.Contains(profile, `"defaultAction":"SCMP_ACT_ERRNO"`), "true")
		}
	}
	return "there is no seccomp profile"
}

func noExec(i inspectedBox) string { return mismatch(len(i.container.ExecIDs), "0") }

// TestBoxFollowsTheCISBenchmark checks what the engine reports about a running box.
func TestBoxFollowsTheCISBenchmark(t *testing.T) {
	o := testOptions(t)
	box := startBox(t, openDriver(t, o), sandboxtest.Spec("alice"))
	answer, err := engineClient(t).ContainerInspect(testwait.Context(t), box.Info().Name, client.ContainerInspectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	i := inspectedBox{t, box, o, answer.Container}
	for _, check := range escapetest.Benchmark() {
		run := benchmarkChecks[check.ID]
		switch {
		case (run == nil) != (check.Exception != ""), (check.InBox == "") != (check.Exception != ""):
			t.Errorf("%s has neither a check nor a reason for its exception, or both", check.ID)
		case run != nil:
			if problem := run(i); problem != "" {
				t.Errorf("%s %s: %s", check.ID, check.Title, problem)
			}
		}
	}
}
