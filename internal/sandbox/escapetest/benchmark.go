package escapetest

// Check is a recommendation of the CIS Docker Benchmark, version 1.6.0, chapter 5
// (container runtime), that concerns a container.
type Check struct {
	ID, Title string
	InBox     string // what applies to a box
	Exception string // why the recommendation is not followed; otherwise empty
}

// Benchmark lists the recommendations.
func Benchmark() []Check {
	return []Check{
		{ID: "5.1", Title: "swarm mode is off", InBox: "the engine is no swarm's"},
		{ID: "5.2", Title: "an AppArmor profile", Exception: "the engine's own, where the machine has AppArmor; seccomp, no capabilities and a read-only root hold without it"},
		{ID: "5.3", Title: "SELinux options", Exception: "the engine's own, where the machine has SELinux"},
		{ID: "5.4", Title: "capabilities restricted", InBox: "all dropped, none added"},
		{ID: "5.5", Title: "not privileged", InBox: "so"},
		{ID: "5.6", Title: "no sensitive folders of the host mounted", InBox: "one mount: the folder of the box's own two sockets, read-only"},
		{ID: "5.7", Title: "no sshd", InBox: "no program of that name"},
		{ID: "5.8", Title: "no privileged ports mapped", InBox: "no port mapped"},
		{ID: "5.9", Title: "only needed ports open", InBox: "none"},
		{ID: "5.10", Title: "not the host's network", InBox: "network `none`"},
		{ID: "5.11", Title: "memory limited", InBox: "`memory_limit`, and no swap"},
		{ID: "5.12", Title: "CPU limited", InBox: "`cpus`"},
		{ID: "5.13", Title: "root read-only", InBox: "so"},
		{ID: "5.14", Title: "traffic bound to one interface", InBox: "no port mapped"},
		{ID: "5.15", Title: "restarts at most 5", InBox: "never restarted"},
		{ID: "5.16", Title: "not the host's processes", InBox: "a PID namespace of its own"},
		{ID: "5.17", Title: "not the host's IPC", InBox: "private"},
		{ID: "5.18", Title: "no devices of the host", InBox: "none"},
		{ID: "5.19", Title: "limits for processes and files", InBox: "core 0, msgqueue 0, nofile 4,096, nproc 32,768"},
		{ID: "5.20", Title: "mounts not shared", InBox: "rprivate"},
		{ID: "5.21", Title: "not the host's name space of names", InBox: "a UTS namespace of its own"},
		{ID: "5.22", Title: "seccomp not off", InBox: "a profile narrower than the engine's default"},
		{ID: "5.23", Title: "no privileged exec", InBox: "the gateway runs nothing in a box by exec"},
		{ID: "5.24", Title: "no exec as root", InBox: "the same"},
		{ID: "5.25", Title: "cgroup as the engine chooses", InBox: "no parent named"},
		{ID: "5.26", Title: "no new privileges", InBox: "so"},
		{ID: "5.27", Title: "health checked", Exception: "by the gateway over the bridge, with deadlines, and not by the engine: see `health` and the lease"},
		{ID: "5.28", Title: "the latest image", Exception: "the image is built on this machine and must hold the gateway's own binary: `glovebox doctor` says when it is old"},
		{ID: "5.29", Title: "tasks limited", InBox: "`pids_limit`"},
		{ID: "5.30", Title: "not the default bridge", InBox: "network `none`"},
		{ID: "5.31", Title: "not the host's user namespace", InBox: "as the engine has it (`userns-remap`), and user 10001 in any case"},
		{ID: "5.32", Title: "the engine's socket not mounted", InBox: "one mount: the folder of the box's own two sockets"},
	}
}
