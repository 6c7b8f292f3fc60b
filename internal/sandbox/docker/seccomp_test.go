package docker

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/moby/profiles/seccomp"
	"github.com/opencontainers/runtime-spec/specs-go"
)

func parseProfile(t *testing.T) *seccomp.Seccomp {
	t.Helper()
	text, err := SeccompProfile()
	if err != nil {
		t.Fatal(err)
	}
	var p seccomp.Seccomp
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatal(err)
	}
	return &p
}

func allowRules(p *seccomp.Seccomp, name string) []*seccomp.Syscall {
	var found []*seccomp.Syscall
	for _, rule := range p.Syscalls {
		if rule.Action == specs.ActAllow && slices.Contains(rule.Names, name) {
			found = append(found, rule)
		}
	}
	return found
}

func TestSeccompProfileRefusesUnlistedCalls(t *testing.T) {
	p := parseProfile(t)
	if p.DefaultAction != specs.ActErrno {
		t.Errorf("the default action is %s", p.DefaultAction)
	}
	never := append(slices.Clone(removedCalls), "mount", "umount2", "setns", "bpf", "keyctl", "add_key",
		"perf_event_open", "open_by_handle_at", "init_module", "reboot", "swapon", "clone3")
	for _, name := range never {
		if len(allowRules(p, name)) > 0 {
			t.Errorf("%s is allowed", name)
		}
	}
	for _, rule := range p.Syscalls {
		if rule.Includes != nil && len(rule.Includes.Caps) > 0 {
			t.Errorf("%v depends on a capability", rule.Names)
		}
	}
	for _, arch := range p.ArchMap {
		if len(arch.SubArches) > 0 {
			t.Errorf("%s also allows %v", arch.Arch, arch.SubArches)
		}
	}
}

func TestSeccompProfileRestrictsNamespaces(t *testing.T) {
	p := parseProfile(t)
	one := func(name string) *seccomp.Syscall {
		rules := slices.DeleteFunc(allowRules(p, name), func(r *seccomp.Syscall) bool {
			return r.Includes != nil && slices.Contains(r.Includes.Arches, "s390")
		})
		if len(rules) != 1 {
			t.Fatalf("%s has %d rules, want 1", name, len(rules))
		}
		return rules[0]
	}
	masked := func(name string, mask uint64) {
		rule := one(name)
		want := specs.LinuxSeccompArg{Index: 0, Value: mask, Op: specs.OpMaskedEqual}
		if len(rule.Args) != 1 || rule.Args[0] != want {
			t.Errorf("%s is allowed with %+v, want %+v", name, rule.Args, want)
		}
	}
	masked("clone", 0x0E020000)   // all but NEWUSER, NEWPID, NEWNET
	masked("unshare", 0x6E020080) // all but NEWUSER
	if args := one("chroot").Args; len(args) != 0 {
		t.Errorf("chroot is allowed with %+v", args)
	}
}

func TestSeccompProfileAllowsFourSocketFamilies(t *testing.T) {
	var families []uint64
	for _, rule := range allowRules(parseProfile(t), "socket") {
		if len(rule.Args) == 0 || rule.Args[0].Index != 0 || rule.Args[0].Op != specs.OpEqualTo {
			t.Fatalf("socket is allowed with %+v", rule.Args)
		}
		families = append(families, rule.Args[0].Value)
		if rule.Args[0].Value == 16 && (len(rule.Args) != 2 || rule.Args[1].Index != 2 || rule.Args[1].Value != 0) {
			t.Errorf("netlink is allowed with %+v", rule.Args)
		}
	}
	if want := []uint64{1, 2, 10, 16}; !slices.Equal(families, want) {
		t.Errorf("families %v, want %v", families, want)
	}
}

func TestSeccompProfileAllowsCommonCalls(t *testing.T) {
	p := parseProfile(t)
	for _, name := range []string{"read", "execve", "mmap", "futex", "openat", "seccomp", "shmget", "prctl"} {
		if len(allowRules(p, name)) == 0 {
			t.Errorf("%s is not allowed", name)
		}
	}
}
