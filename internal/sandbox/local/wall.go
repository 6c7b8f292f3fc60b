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

// envPlace is the environment variable with the configuration of a box's process. It
// is not passed as arguments, because every process can read those, and a box must
// not learn the folder names of another. It holds nothing else that is secret.
const envPlace = "GLOVEBOX_BOX_PLACE"

const (
	boxUser   = 10001 // user id inside the box's user namespace, as in the docker driver's image
	proxyPort = 3128  // of the browser's proxy, on the box's own loopback
	openFiles = 4096  // of one process, as in a container
	lastToGo  = 500   // oom_score_adj: when memory runs out, kill a box before the gateway
)

// Place is the configuration of a box's process.
type Place struct {
	Sockets string `json:"sockets"` // folder of the gateway's sockets
	Home    string `json:"home"`    // the folder that the box may write to
	Sealed  bool   `json:"sealed"`  // it has its own network namespace
	Tasks   uint64 `json:"tasks"`   // limit of its processes and threads
	Files   bool   `json:"files"`   // restrict its files with Landlock
	Probe   bool   `json:"probe"`   // exit once it is confined
	Walled  bool   `json:"walled"`  // it is confined already
}

// ProxyPort returns the port of the browser's proxy: fixed on the box's own loopback,
// otherwise 0, for a port that the system chooses.
func (p Place) ProxyPort() int {
	if p.Sealed {
		return proxyPort
	}
	return 0
}

func (p Place) environ() (string, error) {
	data, err := json.Marshal(p)
	if err != nil {
		return "", fmt.Errorf("cannot encode the place of a box: %w", err)
	}
	return envPlace + "=" + string(data), nil
}

// Enter must be called first by a process that may be a box's. It returns false in
// any other process. In a box's process it sets up the confinement that a process must
// set up by itself, and executes the program again; in the new program it returns
// the configuration. Faults: invalid_request, start_failed when the process cannot be
// confined.
func Enter() (Place, bool, error) {
	text, there := os.LookupEnv(envPlace)
	if !there {
		return Place{}, false, nil
	}
	var p Place
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return Place{}, false, fault.New(fault.InvalidRequest, "%s is malformed", envPlace).
			Hinted("a box is started by a sandbox driver, which sets it").Because(err)
	}
	if p.Walled {
		return p, true, nil
	}
	runtime.LockOSThread() // the confinement applies to this thread, which executes the program again
	if err := p.wall(); err != nil {
		return Place{}, false, fault.New(fault.StartFailed, "a wall of the box cannot be put up").
			Hinted("glovebox doctor says what this container lacks").Because(err)
	}
	if p.Probe {
		os.Exit(0)
	}
	return Place{}, false, p.again()
}

// wall confines this thread. It drops the capabilities last, because the other steps
// need them.
func (p Place) wall() error {
	if p.Sealed {
		if err := loopbackUp(); err != nil {
			return fmt.Errorf("cannot bring loopback up: %w", err)
		}
	}
	if err := os.WriteFile("/proc/self/oom_score_adj", fmt.Append(nil, lastToGo), 0); err != nil {
		return fmt.Errorf("cannot set the OOM score: %w", err)
	}
	for resource, most := range map[int]uint64{
		unix.RLIMIT_CORE: 0, unix.RLIMIT_NOFILE: openFiles, unix.RLIMIT_NPROC: p.Tasks, unix.RLIMIT_MSGQUEUE: 0,
	} {
		if err := limit(resource, most); err != nil {
			return err
		}
	}
	for what, option := range map[string]int{"new privileges": unix.PR_SET_NO_NEW_PRIVS, "orphans": unix.PR_SET_CHILD_SUBREAPER} {
		if err := unix.Prctl(option, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("cannot set %s: %w", what, err)
		}
	}
	if p.Files {
		if err := p.closeFiles(); err != nil {
			return err
		}
	}
	return dropCapabilities()
}

// limit lowers a resource limit, and keeps one that is lower already.
func limit(resource int, most uint64) error {
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

// again executes this program again after it has been confined. It returns only on
// failure.
func (p Place) again() error {
	p.Walled = true
	where, err := p.environ()
	if err != nil {
		return err
	}
	if err := os.Setenv(envPlace, where[len(envPlace)+1:]); err != nil {
		return fmt.Errorf("cannot set the environment: %w", err)
	}
	err = syscall.Exec("/proc/self/exe", os.Args, os.Environ())
	return fault.New(fault.StartFailed, "the guest cannot be started behind the walls").
		Hinted("the file of the program must be readable and executable for everybody").Because(err)
}

// attributes are the part of the confinement that the kernel sets up with the process:
// a session, a user namespace that maps only boxUser, and an empty network namespace.
// The process needs the one capability for bringing up loopback.
func attributes(sealed bool, user int) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{
		Setsid:      true,
		Cloneflags:  unix.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: boxUser, HostID: user, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: boxUser, HostID: group(user), Size: 1}},
		Credential:  &syscall.Credential{Uid: boxUser, Gid: boxUser, NoSetGroups: true},
	}
	if sealed {
		a.Cloneflags |= unix.CLONE_NEWNET
		a.AmbientCaps = []uintptr{unix.CAP_NET_ADMIN}
	}
	return a
}

// group returns the group id of a box. With the gateway's user it is the gateway's
// group, because no other can be mapped.
func group(user int) int {
	if user == os.Geteuid() {
		return os.Getegid()
	}
	return user
}

const probeTime = 10 * time.Second // for a process that is confined and exits

// probe returns why a process cannot be confined as p says.
func (d *Driver) probe(p Place, user int) error {
	p.Probe, p.Tasks = true, uint64(d.o.PidsLimit)
	where, err := p.environ()
	if err != nil {
		return err
	}
	command := &exec.Cmd{
		Path: "/proc/self/exe", Args: d.o.Arguments, Dir: "/", Env: []string{where},
		SysProcAttr: attributes(p.Sealed, user), WaitDelay: probeTime,
	}
	timer := time.AfterFunc(probeTime, func() { _ = command.Process.Kill() })
	defer timer.Stop()
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %.300s", err, out)
	}
	return nil
}
