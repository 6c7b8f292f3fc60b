package e2e

import (
	"fmt"
	"net"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// trick is one way out that a process in a box tries, as a Perl expression
// over the functions of prelude.
type trick struct {
	name string
	what string
	stop string
	try  string // {http} and the like are places at the canary
	want string // regular expression that the result must match
}

// prelude defines the functions for tricks. The box has Perl, since Debian's
// tools need it.
const prelude = `
use strict; use warnings; use Socket qw(:all); use IO::Socket::UNIX; use IO::Select;
my ($IPPROTO_ICMP, $SOCK_NONBLOCK) = (1, 2048);
sub place { my ($host, $port) = @_;
  return $host =~ /:/ ? (AF_INET6, pack_sockaddr_in6($port, inet_pton(AF_INET6, $host))) : (AF_INET, pack_sockaddr_in($port, inet_pton(AF_INET, $host))) }
sub tcp { my ($family, $to) = place(@_);
  socket(my $s, $family, SOCK_STREAM, 0) or return "socket: $!"; connect($s, $to) or return "connect: $!"; return "connected" }
sub udp { my ($family, $to) = place(@_);
  socket(my $s, $family, SOCK_DGRAM, 0) or return "socket: $!"; defined send($s, "x", 0, $to) or return "send: $!";
  return IO::Select->new($s)->can_read(0.2) ? "answered" : "sent" }
sub family { my ($family, $type, $protocol) = @_; socket(my $s, $family, $type, $protocol) or return "socket: $!"; return "opened" }
sub talk { my ($s, $first, $then) = @_; my $got = "";
  syswrite($s, $first); $got .= head($s); if (defined $then && $got =~ m{^HTTP/1.1 200}) { syswrite($s, $then); $got .= " then " . head($s) } return $got }
sub head { my ($s) = @_; my $all = "";
  while (IO::Select->new($s)->can_read(15)) { sysread($s, my $piece, 4096) or return $all . "closed"; $all .= $piece;
    if ($all =~ /\r\n\r\n(.*)/s) { my $have = length $1; my ($size) = $all =~ /^content-length: (\d+)/im; last if $have >= ($size // 0) } }
  return join " ", ($all =~ m{^(HTTP/1.1 \d+)}g), ($all =~ /X-Glovebox-[A-Za-z]+: ([^\r]*)/g), ($all =~ /(canary)/g) }
sub way { socket(my $s, AF_INET, SOCK_STREAM, 0) or die; connect($s, (place("127.0.0.1", 3128))[1]) or die "proxy: $!"; return $s }
sub proxy { return talk(way(), @_) }
sub pipeline { my ($first, $second) = @_; my $s = way(); syswrite($s, $first . $second); my $all = "";
  while (IO::Select->new($s)->can_read(5)) { sysread($s, my $piece, 4096) or last; $all .= $piece; my @n = $all =~ m{(HTTP/1.1 )}g; last if @n > 1 && $all =~ /Refused/ }
  return join " ", $all =~ m{HTTP/1.1 (\d+)}g, ($all =~ /X-Glovebox-Refused: ([^\r]*)/g) }
sub door { my $s = IO::Socket::UNIX->new(Peer => "/run/glovebox/egress.sock") or return "unix: $!"; return talk($s, @_) }
sub hello { my ($name) = @_; my $n = length $name;
  my $sni = pack("n n C n a*", $n + 5, $n + 3, 0, $n, $name); my $ext = pack("n", 0) . $sni;
  my $body = pack("n", 0x0303) . ("r" x 32) . pack("C n n C C", 0, 2, 0x1301, 1, 0) . pack("n", length $ext) . $ext;
  my $hs = pack("C C n", 1, 0, length $body) . $body; return pack("C n n", 22, 0x0301, length $hs) . $hs }
sub chromium { my $flags = join " ", @_; my $out = qx(cd /tmp && timeout 20 /usr/lib/chromium/chromium --headless --disable-gpu --user-data-dir=/tmp/out --dump-dom $flags 2>/dev/null);
  return $out =~ /canary/ ? "canary" : "no page" }
sub say { my ($name, $result) = @_; $result =~ s/([^ -~])/sprintf "\\x%02x", ord $1/ge; print "$name\t$result\n" }
$SIG{PIPE} = "IGNORE"; $| = 1;
`

const (
	noWay   = `^(socket|connect|send): (Network is unreachable|Operation not permitted|Permission denied|Address family not supported.*|Cannot assign requested address)$`
	refused = `^HTTP/1\.1 (403|400) `
)

// direct are ways around the proxy.
var direct = []trick{
	{"tcp-loopback", "TCP to the same port on the box's own loopback", byBox, `tcp("127.0.0.1", {port})`, `^connect: Connection refused$`},
	{"tcp-loopback6", "the same over IPv6", byBox, `tcp("::1", {port})`, `^connect: (Connection refused|Cannot assign requested address|Network is unreachable)$`},
	{"tcp-bridge", "TCP to the engine's bridge", byBox, `tcp("172.17.0.1", {port})`, noWay},
	{"tcp-host", "TCP to the machine's own address", byBox, `tcp("{own}", {port})`, noWay},
	{"tcp-public", "TCP to a public address", byBox, `tcp("1.1.1.1", 443)`, noWay},
	{"tcp-public6", "TCP to a public IPv6 address", byBox, `tcp("2606:4700:4700::1111", 443)`, noWay},
	{"tcp-link-local", "TCP to a link-local IPv6 address", byBox, `tcp("fe80::1", 80)`, `^connect: `},
	{"tcp-metadata", "TCP to 169.254.169.254", byBox, `tcp("169.254.169.254", 80)`, noWay},
	{"tcp-gateway", "TCP to the gateway's port", byBox, `tcp("{own}", {gateway})`, noWay},
	{"udp-bridge", "UDP to the engine's bridge", byBox, `udp("172.17.0.1", {udp})`, noWay},
	{"udp-host", "UDP to the machine's own address", byBox, `udp("{own}", {udp})`, noWay},
	{"udp-public", "UDP to a public address", byBox, `udp("1.1.1.1", 443)`, noWay},
	{"dns-public", "DNS to a public resolver", byBox, `udp("8.8.8.8", 53)`, noWay},
	{"dns-engine", "DNS to the engine's resolver", byBox, `udp("127.0.0.11", 53)`, `^sent$`},
	{"dns-name", "look-up of a name", byBox, `(gethostbyname("{host}") ? "found" : "unknown")`, `^unknown$`},
	{"multicast", "multicast (mDNS, SSDP)", byBox, `udp("224.0.0.251", 5353)`, noWay},
	{"broadcast", "broadcast", byBox, `udp("255.255.255.255", 67)`, noWay},
	{"raw-icmp", "raw socket, ICMP", byBox, `family(AF_INET, SOCK_RAW, 1)`, noWay},
	{"raw-tcp", "raw socket, TCP", byBox, `family(AF_INET, SOCK_RAW, 6)`, noWay},
	{"raw-ip6", "raw socket, IPv6", byBox, `family(AF_INET6, SOCK_RAW, 58)`, noWay},
	{"ping-socket", "ICMP by a ping socket", byBox, `do { my $r = family(AF_INET, SOCK_DGRAM, 1); $r eq "opened" ? do { socket(my $s, AF_INET, SOCK_DGRAM, 1); defined send($s, "\x08\0\0\0\0\0\0\1", 0, (place("172.17.0.1", 0))[1]) ? "sent" : "send: $!" } : $r }`, noWay},
	{"packet-socket", "packet socket (layer 2)", byBox, `family(17, SOCK_RAW, 768)`, noWay},
	{"vsock", "sockets between virtual machines (VSOCK)", byBox, `family(40, SOCK_STREAM, 0)`, noWay},
	{"sctp", "SCTP", byBox, `family(AF_INET, SOCK_STREAM, 132)`, `^socket: `},
	{"bluetooth", "Bluetooth", byBox, `family(31, SOCK_RAW, 1)`, noWay},
	{"can-bus", "CAN bus", byBox, `family(29, SOCK_RAW, 1)`, noWay},
	{"xdp", "XDP socket", byBox, `family(44, SOCK_RAW, 0)`, noWay},
	{"new-interface", "an interface of its own (netlink)", byBox, `do { socket(my $s, 16, SOCK_RAW, 0) or die "socket: $!"; my $i = pack("C C S l L L", 0, 0, 0, 0, 0, 0) . pack("S S", 20, 18) . pack("S S a8", 12, 1, "dummy"); my $m = pack("L S S L L", 16 + length $i, 16, 0x605, 1, 0) . $i; send($s, $m, 0); sysread($s, my $r, 4096); my $e = -unpack("x16 l", $r); $e ? "error $e" : "made" }`, `^error 1$`},
	{"new-namespace", "a network namespace of its own", byBox, `(system("unshare -n true 2>/dev/null") ? "refused" : "made")`, `^refused$`},
	{"abstract-socket", "abstract Unix sockets of the machine", byBox, `(IO::Socket::UNIX->new(Peer => "\0glovebox-{port}") ? "connected" : "connect: $!")`, `^connect: Connection refused$`},
	{"engine-socket", "the engine's socket", byBox, `do { my @there = grep { -e } "/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock"; scalar(@there) . " there" }`, `^0 there$`},
	{"other-chromium", "a Chromium of its own without a proxy", byBox, `chromium("--no-proxy-server", "http://{own}:{port}/")`, `^no page$`},
	{"other-flags", "a Chromium of its own that may go anywhere", byProxy, `chromium("--proxy-server=127.0.0.1:3128", "--disable-web-security", "--ignore-certificate-errors", "{http}/")`, `^no page$`},
}

// proxied are ways through the proxy, which judges every request.
var proxied = []trick{
	{"absolute", "plain request", byProxy, `proxy("GET {http}/ HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n")`, refused},
	{"door-socket", "the proxy's socket itself", byProxy, `door("GET {http}/ HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n")`, refused},
	{"connect", "tunnel", byProxy, `proxy("CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n")`, refused},
	{"connect-tls", "tunnel to the TLS port", byProxy, `proxy("CONNECT {host}:{tlsport} HTTP/1.1\r\nHost: {host}:{tlsport}\r\n\r\n")`, refused},
	{"connect-ssh", "tunnel to port 22 of an allowed name", byProxy, `proxy("CONNECT localhost:22 HTTP/1.1\r\nHost: localhost:22\r\n\r\n")`, refused},
	{"connect-mail", "tunnel to port 25 of an allowed name", byProxy, `proxy("CONNECT localhost:25 HTTP/1.1\r\nHost: localhost:25\r\n\r\n")`, refused},
	{"connect-host", "tunnel whose `Host` is an allowed one", byProxy, `proxy("CONNECT {host}:{tlsport} HTTP/1.1\r\nHost: {friend}\r\n\r\n")`, refused},
	{"host-differs", "request to an allowed host, `Host` of another", byProxy, `proxy("GET http://{friend}/ HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n")`, refused},
	{"two-hosts", "two `Host` lines", byProxy, `proxy("GET http://{friend}/ HTTP/1.1\r\nHost: {friend}\r\nHost: {host}\r\n\r\n")`, refused},
	{"forwarded-host", "`X-Forwarded-Host` of another host", byNothing, `proxy("GET http://{friend}/ HTTP/1.1\r\nHost: {friend}\r\nX-Forwarded-Host: {host}\r\nProxy-Connection: {host}\r\n\r\n")`, `^HTTP/1\.1 200 canary$`},
	{"proxy-chain", "`Via`: a proxy behind the egress proxy", byProxy, `proxy("GET http://{friend}/ HTTP/1.1\r\nHost: {friend}\r\nVia: 1.1 {host}\r\n\r\n")`, refused},
	{"origin-form", "a request to the proxy itself", byProxy, `proxy("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n")`, refused},
	{"user-info", "allowed host as a user name", byProxy, `proxy("GET http://{friend}\@{host}:{port}/ HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n")`, refused},
	{"backslash", "backslash before the real host", byProxy, `proxy("GET http://{friend}\\\@{host}:{port}/ HTTP/1.1\r\nHost: {friend}\r\n\r\n")`, refused},
	{"fragment", "`#` before the real host", byProxy, `proxy("GET http://{friend}#\@{host}:{port}/ HTTP/1.1\r\nHost: {friend}\r\n\r\n")`, refused},
	{"https-in-clear", "an https address in a plain request", byProxy, `proxy("GET {https}/ HTTP/1.1\r\nHost: {host}:{tlsport}\r\n\r\n")`, refused},
	{"ftp-scheme", "an ftp address", byProxy, `proxy("GET ftp://{host}/ HTTP/1.1\r\nHost: {host}\r\n\r\n")`, refused},
	{"address", "the address instead of the name", byProxy, `proxy("GET http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n")`, refused},
	{"address-decimal", "decimal address", byProxy, `proxy("GET http://2130706433:{port}/ HTTP/1.1\r\nHost: 2130706433:{port}\r\n\r\n")`, refused},
	{"address-octal", "octal address", byProxy, `proxy("CONNECT 0177.0.0.1:{port} HTTP/1.1\r\nHost: 0177.0.0.1:{port}\r\n\r\n")`, refused},
	{"address-hex", "hexadecimal address", byProxy, `proxy("CONNECT 0x7f000001:{port} HTTP/1.1\r\nHost: 0x7f000001:{port}\r\n\r\n")`, refused},
	{"address-short", "short address", byProxy, `proxy("CONNECT 127.1:{port} HTTP/1.1\r\nHost: 127.1:{port}\r\n\r\n")`, refused},
	{"address-mapped", "IPv4 in IPv6", byProxy, `proxy("CONNECT [::ffff:127.0.0.1]:{port} HTTP/1.1\r\nHost: [::ffff:127.0.0.1]:{port}\r\n\r\n")`, refused},
	{"address-zone", "IPv6 with a zone", byProxy, `proxy("CONNECT [fe80::1%25eth0]:{port} HTTP/1.1\r\nHost: [fe80::1%25eth0]:{port}\r\n\r\n")`, refused},
	{"smuggle-cl-te", "smuggling: two framings", byProxy, `proxy("POST http://{friend}/ HTTP/1.1\r\nHost: {friend}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET {http}/ HTTP/1.1\r\nHost: {host}\r\n\r\n")`, refused},
	{"smuggle-cl-cl", "smuggling: two lengths", byProxy, `proxy("POST http://{friend}/ HTTP/1.1\r\nHost: {friend}\r\nContent-Length: 0\r\nContent-Length: 60\r\n\r\nGET {http}/ HTTP/1.1\r\nHost: {host}\r\n\r\n")`, refused},
	{"smuggle-te-space", "smuggling: space before a colon", byProxy, `proxy("POST http://{friend}/ HTTP/1.1\r\nHost: {friend}\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n")`, refused},
	{"smuggle-line-feed", "smuggling: bare line feed", byProxy, `proxy("GET http://{friend}/ HTTP/1.1\r\nHost: {friend}\r\nX: y\nHost: {host}\r\n\r\n")`, refused},
	{"smuggle-fold", "smuggling: folded line", byProxy, `proxy("GET http://{friend}/ HTTP/1.1\r\nHost: {friend}\r\nX: y\r\n Host: {host}\r\n\r\n")`, refused},
	{"smuggle-null", "smuggling: NUL in a value", byProxy, `proxy("GET http://{friend}/ HTTP/1.1\r\nHost: {friend}\r\nX: \0\r\n\r\n")`, refused},
	{"pipeline", "a second request on an allowed connection", byProxy, `pipeline("GET http://{friend}/ HTTP/1.1\r\nHost: {friend}\r\n\r\n", "GET {http}/ HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n")`, `^200 403 host is not`},
	{"body-request", "a request in the body of an allowed one", byProxy, `pipeline("POST http://{friend}/ HTTP/1.1\r\nHost: {friend}\r\nContent-Length: 5\r\n\r\nhello", "GET {http}/ HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n")`, `^200 403 host is not`},
	{"tunnel-other-name", "TLS server name unlike the host", byProxy, `proxy("CONNECT {friendtls} HTTP/1.1\r\nHost: {friendtls}\r\n\r\n", hello("{host}"))`, `^HTTP/1\.1 200 then closed$`},
	{"tunnel-no-name", "TLS without a server name", byProxy, `proxy("CONNECT {friendtls} HTTP/1.1\r\nHost: {friendtls}\r\n\r\n", hello(""))`, `^HTTP/1\.1 200 then closed$`},
	{"tunnel-plain", "plain HTTP in a tunnel", byProxy, `proxy("CONNECT {friend} HTTP/1.1\r\nHost: {friend}\r\n\r\n", "GET / HTTP/1.1\r\nHost: {host}\r\n\r\n")`, `^HTTP/1\.1 200 then closed$`},
	{"tunnel-socket", "WebSocket handshake for another host in a tunnel", byProxy, `proxy("CONNECT {friend} HTTP/1.1\r\nHost: {friend}\r\n\r\n", "GET / HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")`, `^HTTP/1\.1 200 then closed$`},
	{"tunnel-ssh", "another protocol in a tunnel", byProxy, `proxy("CONNECT {friendtls} HTTP/1.1\r\nHost: {friendtls}\r\n\r\n", "SSH-2.0-x\r\n\r\n")`, `^HTTP/1\.1 200 then closed$`},
	{"tunnel-bare", "a tunnel in a tunnel", byProxy, `proxy("CONNECT {friend} HTTP/1.1\r\nHost: {friend}\r\n\r\n", "CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n")`, `^HTTP/1\.1 200 then closed$`},
	{"http2", "HTTP/2 to the proxy", byProxy, `proxy("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")`, refused},
	{"http10", "HTTP/1.0", byProxy, `proxy("GET {http}/ HTTP/1.0\r\n\r\n")`, refused},
	{"socks4", "SOCKS 4", byProxy, `proxy("\4\1\0\x50\x7f\0\0\1x\0\r\n\r\n")`, refused},
	{"socks5", "SOCKS 5", byProxy, `proxy("\5\1\0\r\n\r\n")`, refused},
	{"proxy-protocol", "PROXY protocol", byProxy, `proxy("PROXY TCP4 1.1.1.1 127.0.0.1 1 80\r\nGET {http}/ HTTP/1.1\r\nHost: {host}\r\n\r\n")`, refused},
	{"name-null", "NUL in the host", byProxy, `proxy("CONNECT {friend}\0.{host}:443 HTTP/1.1\r\nHost: x\r\n\r\n")`, refused},
	{"name-percent", "escaped dots in the host", byProxy, `proxy("GET http://{name}%2eenemy%2etest:{port}/ HTTP/1.1\r\nHost: {name}%2eenemy%2etest:{port}\r\n\r\n")`, refused},
	{"metadata-name", "metadata.google.internal", byProxy, `proxy("GET http://metadata.google.internal/ HTTP/1.1\r\nHost: metadata.google.internal\r\n\r\n")`, refused},
	{"metadata", "169.254.169.254", byProxy, `proxy("GET http://169.254.169.254/ HTTP/1.1\r\nHost: 169.254.169.254\r\n\r\n")`, refused},
	{"gateway", "the gateway's own port", byProxy, `proxy("GET http://127.0.0.1:{gateway}/v1/health HTTP/1.1\r\nHost: 127.0.0.1:{gateway}\r\n\r\n")`, refused},
	{"gateway-name", "the gateway by name", byProxy, `proxy("GET http://localhost:{gateway}/v1/health HTTP/1.1\r\nHost: localhost:{gateway}\r\n\r\n")`, refused},
	{"bridge", "the engine's bridge", byProxy, `proxy("GET http://172.17.0.1:{port}/ HTTP/1.1\r\nHost: 172.17.0.1:{port}\r\n\r\n")`, refused},
}

// process runs tricks in the box, as its user, and compares each result with the
// expected one.
func (e *escape) process(t *testing.T, tricks []trick) {
	t.Helper()
	var script strings.Builder
	script.WriteString(prelude)
	friend, friendTLS := e.friend.ports()
	own := ownAddress(t)
	abstract, err := net.Listen("unix", fmt.Sprintf("@glovebox-%d", e.enemy.plainPort()))
	if err != nil {
		t.Fatal(err)
	}
	defer abstract.Close()
	_, gateway, _ := net.SplitHostPort(e.address)
	for _, a := range tricks {
		try := e.enemy.fill(a.name, a.try)
		try = strings.NewReplacer("{friend}", fmt.Sprintf("img.friend.test:%d", friend), "{friendtls}", fmt.Sprintf("img.friend.test:%d", friendTLS),
			"{own}", own, "{gateway}", gateway).Replace(try)
		fmt.Fprintf(&script, "say(%q, eval { %s } // \"died: $@\");\n", a.name, try)
	}
	command := exec.CommandContext(t.Context(), "docker", "exec", "-i", "-u", "10001", e.boxes()[0], "perl", "-")
	command.Stdin = strings.NewReader(script.String())
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	results := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, result, _ := strings.Cut(strings.TrimSpace(line), "\t")
		results[name] = result
	}
	for _, a := range tricks {
		if got, tried := results[a.name]; !tried || !regexp.MustCompile(a.want).MatchString(got) {
			t.Errorf("%s (%s): %q, want %s", a.name, a.what, got, a.want)
		}
	}
}

// ownAddress is an address of this machine that others reach it at.
func ownAddress(t *testing.T) string {
	t.Helper()
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && !n.IP.IsLoopback() {
			return n.IP.String()
		}
	}
	return "172.17.0.1"
}
