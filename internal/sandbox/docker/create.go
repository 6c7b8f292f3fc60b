package docker

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/docker/go-units"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/client"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
)

// Labels of a container. None is taken from input. They cannot change, so the
// scope of a box that was assigned later is only in its name.
const (
	labelInstance = "glovebox.instance"
	labelBox      = "glovebox.box"
	labelScope    = "glovebox.scope" // hash
	labelSession  = "glovebox.session"
	labelLease    = "glovebox.lease"
	labelHeadless = "glovebox.headless"
	labelRequest  = "glovebox.request" // hash of the request that made the container
)

const (
	user = "10001:10001" // as in the image
	home = "/tmp"        // where the browser writes; the guest's default

	policyFile = "policy.json" // in the folder of the box's sockets
)

// tmpfs are the writable folders of a box. They are separate, so that a page that
// fills the profile does not fill the browser's other folders: with a single one,
// a full folder made the whole browser crash.
var tmpfs = map[string]string{
	home:           "rw,nosuid,nodev,noexec,size=64m,mode=1777",
	home + "/prof": "rw,nosuid,nodev,noexec,size=96m,mode=0700,uid=10001,gid=10001",

	home + "/" + sandbox.UploadFolder:   "rw,nosuid,nodev,noexec,size=64m,mode=0700,uid=10001,gid=10001",
	home + "/" + sandbox.DownloadFolder: "rw,nosuid,nodev,noexec,size=96m,mode=0700,uid=10001,gid=10001", // more than the page engine accepts as downloads
}

// boot returns the settings of the guest of a box.
func (d *Driver) boot(spec sandbox.Spec) bridge.Boot {
	return bridge.BootFor(spec, d.options.Key, d.options.Lease, d.options.RestartAttempts)
}

// createOptions returns the request that makes a box's container.
func (d *Driver) createOptions(spec sandbox.Spec) (client.ContainerCreateOptions, error) {
	limits, err := d.hostConfig(spec.ID)
	if err != nil {
		return client.ContainerCreateOptions{}, err
	}
	boot := d.boot(spec)
	config := &container.Config{
		Image: d.options.Image, Hostname: "box", User: user, WorkingDir: home,
		Env:             boot.Environ(),
		NetworkDisabled: true,
		Labels: map[string]string{
			labelInstance: d.options.Instance,
			labelBox:      spec.ID,
			labelScope:    boot.ScopeHash,
			labelSession:  spec.Session,
			labelLease:    d.options.Lease.String(),
			labelHeadless: strconv.FormatBool(spec.Headless),
		},
	}
	encoded, err := json.Marshal([]any{config, limits})
	if err != nil {
		return client.ContainerCreateOptions{}, fmt.Errorf("cannot encode the request for a container: %w", err)
	}
	sum := sha256.Sum256(encoded)
	config.Labels[labelRequest] = hex.EncodeToString(sum[:])
	return client.ContainerCreateOptions{Name: sandbox.BoxName(d.options.NamePrefix, boot.ScopeHash, spec.ID), Config: config, HostConfig: limits}, nil
}

// cpuPeriod is the period of a box's processor quota, the longest that the kernel
// accepts. A page loads in bursts of several threads with idle time between: with
// the engine's default of 100 ms most loads were throttled (docs/benchmarks.md).
// Over a second the box gets the same share.
const cpuPeriod = time.Second

// hostConfig returns the limits of a box's container.
func (d *Driver) hostConfig(id string) (*container.HostConfig, error) {
	profile, err := SeccompProfile()
	if err != nil {
		return nil, err
	}
	return &container.HostConfig{
		AutoRemove:     true, // the engine removes it when it ends, even without a gateway
		NetworkMode:    "none",
		IpcMode:        container.IPCModePrivate,
		CgroupnsMode:   container.CgroupnsModePrivate,
		ReadonlyRootfs: true,
		Tmpfs:          tmpfs,
		ShmSize:        d.options.ShmSize,
		CapDrop:        []string{"ALL"},
		SecurityOpt:    []string{"no-new-privileges", "seccomp=" + profile},
		OomScoreAdj:    500, // when memory runs out, kill a box before the gateway
		LogConfig: container.LogConfig{ // the guest's output, for docker logs while it runs
			Type: "json-file", Config: map[string]string{"max-size": "256k", "max-file": "1"},
		},
		Mounts: d.mounts(id),
		Resources: container.Resources{
			Memory:     d.options.Memory,
			MemorySwap: d.options.Memory, // memory and swap together: no swap
			CPUPeriod:  cpuPeriod.Microseconds(),
			CPUQuota:   int64(d.options.CPUs * float64(cpuPeriod.Microseconds())),
			PidsLimit:  &d.options.PidsLimit,
			Ulimits: []*units.Ulimit{ // set all of them: Podman's own choices can fail
				{Name: "core"}, // no core dumps: they would contain the memory of pages
				{Name: "msgqueue"},
				{Name: "nofile", Soft: 4096, Hard: 4096},
				{Name: "nproc", Soft: 32768, Hard: 32768}, // of all boxes together, which share a user id; PidsLimit applies to each box
			},
		},
	}, nil
}

// mounts returns the read-only mounts of a box: the folder of its sockets and, with
// Options.Policy, the policy file.
func (d *Driver) mounts(id string) []mount.Mount {
	all := []mount.Mount{bind(d.boxDir(id), bridge.MountPoint)}
	if d.options.Policy != nil {
		all = append(all, bind(filepath.Join(d.boxDir(id), policyFile), sandbox.TrustPolicyFile))
	}
	return all
}

func bind(source, target string) mount.Mount {
	return mount.Mount{
		Type: mount.TypeBind, Source: source, Target: target, ReadOnly: true,
		BindOptions: &mount.BindOptions{Propagation: mount.PropagationRPrivate},
	}
}

// writePolicy writes the policy file that mounts mounts.
func (d *Driver) writePolicy(id string) error {
	if d.options.Policy == nil {
		return nil
	}
	file := filepath.Join(d.boxDir(id), policyFile)
	if err := os.WriteFile(file, d.options.Policy, 0o644); err != nil { //nolint:gosec // the box's user reads it; only the gateway can enter the folder above
		return folderFault(d.boxDir(id), err)
	}
	if err := os.Chmod(file, 0o644); err != nil { //nolint:gosec // regardless of the umask
		return folderFault(d.boxDir(id), err)
	}
	return nil
}
