package escapetest

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// allowedFamilies are the socket families that a box has; netlink only for the state of interfaces.
var allowedFamilies = map[int]bool{unix.AF_UNIX: true, unix.AF_INET: true, unix.AF_INET6: true, unix.AF_NETLINK: true}

var families = map[int]string{
	unix.AF_PACKET: "packet", unix.AF_VSOCK: "vsock", unix.AF_ALG: "alg", unix.AF_BLUETOOTH: "bluetooth", unix.AF_CAN: "can",
	unix.AF_KEY: "key", unix.AF_XDP: "xdp", unix.AF_TIPC: "tipc", unix.AF_RDS: "rds", unix.AF_SMC: "smc", unix.AF_QIPCRTR: "qipcrtr",
	unix.AF_NFC: "nfc", unix.AF_KCM: "kcm", unix.AF_X25: "x25", unix.AF_AX25: "ax25", unix.AF_IPX: "ipx", unix.AF_APPLETALK: "appletalk",
	unix.AF_PPPOX: "pppox", unix.AF_IB: "ib", unix.AF_LLC: "llc", unix.AF_PHONET: "phonet", unix.AF_MCTP: "mctp",
}

var netlinks = map[int]string{
	unix.NETLINK_NETFILTER: "netfilter", unix.NETLINK_KOBJECT_UEVENT: "uevent", unix.NETLINK_AUDIT: "audit", unix.NETLINK_XFRM: "xfrm",
	unix.NETLINK_GENERIC: "generic", unix.NETLINK_CRYPTO: "crypto", unix.NETLINK_SOCK_DIAG: "sock_diag", unix.NETLINK_CONNECTOR: "connector",
	unix.NETLINK_SELINUX: "selinux", unix.NETLINK_SCSITRANSPORT: "scsitransport", unix.NETLINK_RDMA: "rdma",
}

// sockets are attempts to open sockets of other families, and raw sockets.
func sockets() []Attempt {
	tries := map[string]func() error{}
	for family := range 64 {
		if name := families[family]; !allowedFamilies[family] {
			if name == "" {
				name = fmt.Sprint(family)
			}
			tries["family "+name] = func() error { return socket(family, unix.SOCK_RAW, 0) }
		}
	}
	for protocol := 1; protocol < 32; protocol++ {
		name := netlinks[protocol]
		if name == "" {
			name = fmt.Sprint(protocol)
		}
		tries["netlink "+name] = func() error { return socket(unix.AF_NETLINK, unix.SOCK_RAW, protocol) }
	}
	all := calls("sockets", unix.EPERM, tries)
	for name, raw := range map[string][2]int{"raw IPv4": {unix.AF_INET, unix.IPPROTO_ICMP}, "raw IPv6": {unix.AF_INET6, unix.IPPROTO_ICMPV6}} {
		all = append(all, Attempt{Group: "sockets", Name: name, Want: []syscall.Errno{unix.EPERM}, NotInNamespace: true,
			Try: func() error { return socket(raw[0], unix.SOCK_RAW, raw[1]) }})
	}
	return all
}

func socket(family, kind, protocol int) error {
	fd, err := unix.Socket(family, kind|unix.SOCK_CLOEXEC, protocol)
	if err == nil {
		_ = unix.Close(fd)
	}
	return err
}

// network are attempts to connect to something with the allowed sockets.
func network() []Attempt {
	var all []Attempt
	for name, to := range map[string]unix.Sockaddr{
		"the internet":       &unix.SockaddrInet4{Addr: [4]byte{192, 0, 2, 1}, Port: 80},
		"a metadata service": &unix.SockaddrInet4{Addr: [4]byte{169, 254, 169, 254}, Port: 80},
		"the engine's host":  &unix.SockaddrInet4{Addr: [4]byte{172, 17, 0, 1}, Port: 22},
		"a private network":  &unix.SockaddrInet4{Addr: [4]byte{10, 0, 0, 1}, Port: 443},
		"a name server":      &unix.SockaddrInet4{Addr: [4]byte{192, 0, 2, 53}, Port: 53},
		"a multicast group":  &unix.SockaddrInet4{Addr: [4]byte{224, 0, 0, 251}, Port: 5353},
		"IPv6":               &unix.SockaddrInet6{Addr: [16]byte{0x20, 0x01, 0x0d, 0xb8, 15: 1}, Port: 443},
		"IPv6 link-local":    &unix.SockaddrInet6{Addr: [16]byte{0xfe, 0x80, 15: 1}, Port: 443},
	} {
		family := unix.AF_INET
		if _, six := to.(*unix.SockaddrInet6); six {
			family = unix.AF_INET6
		}
		for kind, how := range map[int]string{unix.SOCK_STREAM: "TCP", unix.SOCK_DGRAM: "UDP"} {
			all = append(all, Attempt{Group: "network", Name: how + " to " + name,
				Want: []syscall.Errno{unix.ENETUNREACH, unix.EADDRNOTAVAIL, unix.EINVAL, unix.EHOSTUNREACH},
				Try:  func() error { return connect(family, kind, to) }})
		}
	}
	return all
}

func connect(family, kind int, to unix.Sockaddr) error {
	fd, err := unix.Socket(family, kind|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	return unix.Connect(fd, to)
}
