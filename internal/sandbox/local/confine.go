package local

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// envBoxConfig is the environment variable with the configuration of a box's process. It
// is not passed as arguments, because every process can read those, and a box must
// not learn the folder names of another. It holds nothing else that is secret.
const envBoxConfig = "GLOVEBOX_BOX_PLACE"

const (
	boxUser     = 10001 // user id inside the box's user namespace, as in the docker driver's image
	proxyPort   = 3128  // of the browser's proxy, on the box's own loopback
	openFiles   = 4096  // of one process, as in a container
	oomScoreAdj = 500   // oom_score_adj: when memory runs out, kill a box before the gateway
)

// BoxConfig is the configuration of a box's process.
type BoxConfig struct {
	Sockets  string `json:"sockets"` // folder of the gateway's sockets
	Home     string `json:"home"`    // the folder that the box may write to
	Sealed   bool   `json:"sealed"`  // it has its own network namespace
	Tasks    uint64 `json:"tasks"`   // limit of its processes and threads
	Files    bool   `json:"files"`   // restrict its files with Landlock
	Probe    bool   `json:"probe"`   // exit once it is confined
	Confined bool   `json:"walled"`  // it is confined already
}

// ProxyPort returns the port of the browser's proxy: fixed on the box's own loopback,
// otherwise 0, for a port that the system chooses.
func (c BoxConfig) ProxyPort() int {
	if c.Sealed {
		return proxyPort
	}
	return 0
}

func (c BoxConfig) environ() (string, error) {
	data, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("cannot encode the configuration of a box: %w", err)
	}
	return envBoxConfig + "=" + string(data), nil
}

// Enter must be called first by a process that may be a box's. It returns false in
// any other process. In a box's process it sets up the confinement that a process must
// set up by itself, and executes the program again; in the new program it returns
// the configuration. Faults: invalid_request, start_failed when the process cannot be
// confined.
func Enter() (BoxConfig, bool, error) {
	text, set := os.LookupEnv(envBoxConfig)
	if !set {
		return BoxConfig{}, false, nil
	}
	var p BoxConfig
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return BoxConfig{}, false, fault.New(fault.InvalidRequest, "%s is malformed", envBoxConfig).
			Hinted("a box is started by a sandbox driver, which sets it").Because(err)
	}
	if p.Confined {
		return p, true, nil
	}
	runtime.LockOSThread() // the confinement applies to this thread, which executes the program again
	if err := p.confine(); err != nil {
		return BoxConfig{}, false, fault.New(fault.StartFailed, "the box's process cannot be confined").
			Hinted("glovebox doctor says what this container lacks").Because(err)
	}
	if p.Probe {
		os.Exit(0)
	}
	return BoxConfig{}, false, p.reexec()
}

// confine confines this thread. It drops the capabilities last, because the other steps
// need them.
func (c BoxConfig) confine() error {
	if c.Sealed {
		if err := loopbackUp(); err != nil {
			return fmt.Errorf("cannot bring loopback up: %w", err)
		}
	}
	if err := os.WriteFile("/proc/self/oom_score_adj", fmt.Append(nil, oomScoreAdj), 0); err != nil {
		return fmt.Errorf("cannot set the OOM score: %w", err)
	}
	for resource, most := range map[int]uint64{
		unix.RLIMIT_CORE: 0, unix.RLIMIT_NOFILE: openFiles, unix.RLIMIT_NPROC: c.Tasks, unix.RLIMIT_MSGQUEUE: 0,
	} {
		if err := lowerLimit(resource, most); err != nil {
			return err
		}
	}
	for what, option := range map[string]int{"new privileges": unix.PR_SET_NO_NEW_PRIVS, "orphans": unix.PR_SET_CHILD_SUBREAPER} {
		if err := unix.Prctl(option, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("cannot set %s: %w", what, err)
		}
	}
	if c.Files {
		if err := c.restrictFiles(); err != nil {
			return err
		}
	}
	return dropCapabilities()
}

// lowerLimit lowers a resource limit, and keeps one that is lower already.
func lowerLimit(resource int, most uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(resource, &now); err != nil {
		return fmt.Errorf("cannot read limit %d: %w", resource, err)
	}
	most = min(most, now.Max)
	if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: most, Max: most}); err != nil {
		return fmt.Errorf("cannot set limit %d: %w", resource, err)
	}
	return nil
}

// loopbackUp brings up the loopback interface of a new network namespace
// (netdevice(7)).
func loopbackUp() error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(socket) }()
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	if err := unix.IoctlIfreq(socket, unix.SIOCGIFFLAGS, request); err != nil {
		return err
	}
	request.SetUint16(request.Uint16() | unix.IFF_UP)
	return unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request)
}

// dropCapabilities drops the capabilities that this thread has in the box's user
// namespace (capabilities(7)).
func dropCapabilities() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("cannot give up ambient capabilities: %w", err)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("cannot give up capabilities: %w", err)
	}
	return nil
}

// reexec executes this program again after it has been confined. It returns only on
// failure.
func (c BoxConfig) reexec() error {
	c.Confined = true
	variable, err := c.environ()
	if err != nil {
		return err
	}
	if err := os.Setenv(envBoxConfig, variable[len(envBoxConfig)+1:]); err != nil {
		return fmt.Errorf("cannot set the environment: %w", err)
	}
	err = syscall.Exec("/proc/self/exe", os.Args, os.Environ())
	return fault.New(fault.StartFailed, "the confined guest cannot be started").
		Hinted("the file of the program must be readable and executable for everybody").Because(err)
}

// sysProcAttr are the part of the confinement that the kernel sets up with the process:
// a session, a user namespace that maps only boxUser, and an empty network namespace.
// The process needs the one capability for bringing up loopback.
func sysProcAttr(sealed bool, user int) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{
		Setsid:      true,
		Cloneflags:  unix.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: boxUser, HostID: user, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: boxUser, HostID: groupID(user), Size: 1}},
		Credential:  &syscall.Credential{Uid: boxUser, Gid: boxUser, NoSetGroups: true},
	}
	if sealed {
		a.Cloneflags |= unix.CLONE_NEWNET
		a.AmbientCaps = []uintptr{unix.CAP_NET_ADMIN}
	}
	return a
}

// groupID returns the group id of a box. With the gateway's user it is the gateway's
// group, because no other can be mapped.
func groupID(user int) int {
	if user == os.Geteuid() {
		return os.Getegid()
	}
	return user
}

const probeTimeout = 10 * time.Second // for a process that is confined and exits

// probe returns why a process cannot be confined as p says.
func (d *Driver) probe(p BoxConfig, user int) error {
	p.Probe, p.Tasks = true, uint64(d.options.PidsLimit)
	variable, err := p.environ()
	if err != nil {
		return err
	}
	command := &exec.Cmd{
		Path: "/proc/self/exe", Args: d.options.Arguments, Dir: "/", Env: []string{variable},
		SysProcAttr: sysProcAttr(p.Sealed, user), WaitDelay: probeTimeout,
	}
	timer := time.AfterFunc(probeTimeout, func() { _ = command.Process.Kill() })
	defer timer.Stop()
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %.300s", err, out)
	}
	return nil
}
