// Package config reads the gateway's configuration: a strict YAML file, an
// environment variable for every key, and a default for everything. No other
// package reads either.
package config

// Config is the whole configuration. The tag `doc` is the text of the generated
// reference page for the key.
type Config struct {
	Server   Server   `yaml:"server"`
	Auth     Auth     `yaml:"auth"`
	Browser  Browser  `yaml:"browser"`
	Security Security `yaml:"security"`
	Audit    Audit    `yaml:"audit"`

	Source Source `yaml:"-" json:"-"`
}

// Audit is how the trail of every call is kept.
type Audit struct {
	RetentionDays int    `yaml:"retention_days" doc:"Records older than this many days are removed, in whole signed segments; -1: never"`
	CheckpointDir string `yaml:"checkpoint_dir" doc:"Folder of the signed checkpoints, best on another disk or machine; checkpoints in the state directory when empty"`
	OTLP          string `yaml:"otlp_endpoint" doc:"Address of an OpenTelemetry collector that is sent a span of each call, such as http://127.0.0.1:4318/v1/traces (OTLP over HTTP); none when empty"`
	Durable       bool   `yaml:"require_durable" doc:"Flush the intent of a call that changes something to the disk before it runs, and refuse such calls while checkpoints cannot be written"`
}

// Source is where a configuration was read from.
type Source struct {
	File   string // empty: there is none, and every key has its default
	SHA256 string // of the file, hex
}

// Server is where the gateway listens and keeps its state.
type Server struct {
	Listen   string `yaml:"listen" doc:"Address of REST and MCP; other than loopback needs server.tls or server.trusted_proxies"`
	Insecure bool   `yaml:"allow_insecure_listen" doc:"Let server.listen be an address that other machines reach, without TLS and proxies: for a container whose port is published on its machine's loopback"`
	StateDir string `yaml:"state_dir" doc:"Folder of everything that is kept; $XDG_STATE_HOME/glovebox when empty"`

	TLS     TLS      `yaml:"tls"`
	Proxies []string `yaml:"trusted_proxies" doc:"Addresses of proxies before the gateway, as CIDR; only they may say by X-Forwarded-For, -Proto and -Host whom they speak for"`
	Hosts   []string `yaml:"allowed_hosts" doc:"Names beside localhost and the listening address that the Host header may hold, without port"`
	Live    Live     `yaml:"live"`
	Origins []string `yaml:"cors_allow_origins" doc:"Origins whose pages may call the gateway, https://app.example.com for example"`
}

// Live is where people who watch sessions get the pictures.
type Live struct {
	UDP     string   `yaml:"udp" doc:"Address at which viewers get media over UDP (WebRTC), one port for all; port 0 is a free one, off: none"`
	TCP     string   `yaml:"tcp" doc:"The same over TCP, for networks that block UDP"`
	Public  []string `yaml:"public_addresses" doc:"IP addresses that viewers are told instead of this machine's, for a gateway behind address translation"`
	STUN    []string `yaml:"stun_servers" doc:"STUN servers that viewers are told to use, such as stun:stun.example.org:3478"`
	Viewers int      `yaml:"max_viewers" doc:"Most people who watch at the same time, of all sessions"`
}

// TLS names the certificate and key of the server. Both files or none must be
// given.
type TLS struct {
	Cert string `yaml:"cert" doc:"PEM file of the certificate and those that signed it; read again when it changes"`
	Key  string `yaml:"key" doc:"PEM file of its key"`
}

// Auth lists who may call. The gateway creates a token for an operator and one
// for an agent in the scope "default" at its first start. These entries are added
// to them.
type Auth struct {
	Tokens []Token `yaml:"tokens" doc:"More callers, each with name, role, scope, sha256 of the token and expires; glovebox token create needs none of this"`
	JWT    JWT     `yaml:"jwt"`
	Rate   Rate    `yaml:"rate_limit"`
}

// JWT is an outside issuer of tokens. Without an issuer there is none.
type JWT struct {
	Issuer     string `yaml:"issuer" doc:"Who signs tokens (RFC 7519): their iss, exactly; nobody when empty"`
	Audience   string `yaml:"audience" doc:"Who they must be for: in their aud, exactly"`
	KeysURL    string `yaml:"jwks_url" doc:"Where the issuer's keys are (RFC 7517): https, or http on loopback"`
	RoleClaim  string `yaml:"role_claim" doc:"The claim that holds agent, viewer or operator"`
	ScopeClaim string `yaml:"scope_claim" doc:"The claim that holds the user or tenant the caller acts for"`
}

// Rate bounds the requests of each token.
type Rate struct {
	PerSecond float64 `yaml:"requests_per_second" doc:"Of each token; -1: no limit"`
	Burst     int     `yaml:"burst" doc:"Requests at once"`
}

// Token is a caller that may present the token of this hash.
type Token struct {
	Name    string `yaml:"name" doc:"Actor id in the audit"`
	Role    string `yaml:"role" doc:"agent, viewer or operator"`
	Scope   string `yaml:"scope" doc:"The user or tenant the caller acts for"`
	SHA256  string `yaml:"sha256" doc:"Of the token, 64 hex digits"`
	Expires string `yaml:"expires" doc:"RFC 3339; never when empty"`
}

// Browser configures the browsers of sessions and where they run.
type Browser struct {
	Enabled       bool      `yaml:"enabled" doc:"false refuses every session"`
	Provider      string    `yaml:"provider" doc:"Where browsers run: sandbox"`
	Timeout       int       `yaml:"timeout_seconds" doc:"Of an action, 1 to 120 seconds"`
	MaxMinutes    int       `yaml:"max_session_minutes" doc:"Longest life of a session in minutes; -1: no limit. It does not count for contract runs"`
	StartQueue    int       `yaml:"start_queue_seconds" doc:"How long a start waits for room where security.max_sessions are open; 0 to 600, 0: it is refused at once"`
	FreezeAfter   int       `yaml:"freeze_after_seconds" doc:"Seconds without a call after which the box of a session is frozen: it takes no processor time, and the next call wakes it up; 5 at least, -1: never"`
	RetentionDays int       `yaml:"artifacts_retention_days" doc:"Sessions and artifacts older than this many days are removed; -1: never"`
	Viewport      Viewport  `yaml:"viewport"`
	Downloads     Downloads `yaml:"downloads"`
	Sandbox       Sandbox   `yaml:"sandbox"`
}

// Downloads limits what the browser may download.
type Downloads struct {
	MaxSize string `yaml:"max_size" doc:"Of one download in bytes, with k, m or g; 64m at most. One that has more is refused"`
}

// Viewport is the display's default size.
type Viewport struct {
	Width  int `yaml:"width" doc:"Pixels"`
	Height int `yaml:"height" doc:"Pixels"`
	DPI    int `yaml:"dpi" doc:"Dots per inch"`
}

// Sandbox configures boxes.
type Sandbox struct {
	Driver      string    `yaml:"driver" doc:"docker: a container for each session; local: in the gateway's own container, and refused outside of one"`
	Image       string    `yaml:"container_image" doc:"Made by glovebox image build; glovebox-browser:<version> when empty"`
	NamePrefix  string    `yaml:"container_name_prefix" doc:"Of every container, at most 20 characters"`
	WarmPool    int       `yaml:"warm_pool" doc:"Boxes kept ready; 0 to 20"`
	Restarts    int       `yaml:"runtime_restart_attempts" doc:"How often a box starts a browser again that ended, before a session has it and after; 0 to 10. A session whose browser ended goes on with the new one, and fails where there is none"`
	Warmup      bool      `yaml:"runtime_warmup_on_start" doc:"Make the warm boxes when the gateway starts; false: when the first session was asked for"`
	Lease       int       `yaml:"lease_seconds" doc:"A box that no gateway answers for so long ends itself"`
	Container   Container `yaml:"container"`
	AllowWeak   bool      `yaml:"allow_weak_sandbox" doc:"Let sessions run where Chromium's own sandbox is not proven; the audit says so"`
	KeepOnClose bool      `yaml:"keep_boxes_on_shutdown" doc:"Leave open sessions' boxes running at shutdown, for a restart within the lease"`
}

// Container limits the resources of a box.
type Container struct {
	Memory string  `yaml:"memory_limit" doc:"Bytes, with k, m or g; swap is off"`
	CPUs   float64 `yaml:"cpus" doc:"Processors; 1.0 is one"`
	PIDs   int64   `yaml:"pids_limit" doc:"Tasks, threads included; 256 at least"`
	Shm    string  `yaml:"shm_size" doc:"Size of /dev/shm in bytes, with k, m or g"`
}

// Security is what sessions may do.
type Security struct {
	IdleTimeout   int         `yaml:"session_timeout" doc:"Seconds without a call after which a session is closed; -1: never"`
	MaxActions    int         `yaml:"max_actions_per_session" doc:"Calls that change something; -1: no limit. Contract runs have a limit of their own"`
	MaxFailures   int         `yaml:"max_failures" doc:"Calls of an agent that act on a page and fail, without a success between them, after which its session is paused and a person asked for guidance; reads succeed too, and a reference or name that is not there does not count; -1: never, whatever max_repeated_failures says"`
	MaxRepeated   int         `yaml:"max_repeated_failures" doc:"The same for one call that is made again and again, whatever succeeds between; -1: never"`
	MaxConcurrent int         `yaml:"max_concurrent_sessions" doc:"Open sessions of a scope; -1: no limit"`
	MaxSessions   int         `yaml:"max_sessions" doc:"Open sessions of all scopes together; -1: no limit"`
	Network       Network     `yaml:"network"`
	Credentials   Credentials `yaml:"credentials"`
	Snapshot      Snapshot    `yaml:"snapshot"`
	HITL          HITL        `yaml:"hitl"`
	Effects       Effects     `yaml:"effects"`
}

// Effects configures the treatment of requests that may change something outside
// of the browser.
type Effects struct {
	Default string       `yaml:"default" doc:"Of sessions that do not say: asked (judged, and people are asked), none (nothing that changes something leaves) or free (for test hosts: nothing is judged)"`
	Rules   []EffectRule `yaml:"rules" doc:"About requests by host, method and path; the first that matches decides: [policy.md](../policy.md#rules-about-requests)"`
}

// EffectRule is one rule about requests that leave the browser.
type EffectRule struct {
	Hosts       []string `yaml:"hosts,omitempty"`
	Methods     []string `yaml:"methods,omitempty"`
	Paths       []string `yaml:"paths,omitempty"`
	Risk        string   `yaml:"risk,omitempty"`
	Effects     string   `yaml:"effects,omitempty"`
	Description string   `yaml:"description,omitempty"`
}

// Network lists what agents' sessions may reach. With an empty navigation list
// they can reach nothing.
type Network struct {
	Navigation   []string `yaml:"navigation" doc:"Hosts documents may come from; *.example.com for its sub-domains"`
	Subresources string   `yaml:"subresources" doc:"What documents may load: same-site, listed or any-public"`
	Listed       []string `yaml:"listed" doc:"Hosts for subresources: listed"`
	AllowPrivate []string `yaml:"allow_private" doc:"host:port that may be a private address, for local development"`
	Ports        []int    `yaml:"ports" doc:"Ports that may be connected to"`
	Resolver     string   `yaml:"resolver" doc:"DNS server that is asked for addresses, ip:port; the machine's when empty"`
	Upstream     Upstream `yaml:"upstream_proxy"`
	Upstreams    []Proxy  `yaml:"upstream_proxies" doc:"Proxies that sessions name in place of upstream_proxy, each with name, url, secret_env, and scopes that it is for and the default of ([network.md](../network.md#by-session-and-by-scope))"`
	CAFile       string   `yaml:"ca_file" doc:"PEM file of certificates of authorities that browsers trust beside those they know, for hosts of private networks; read at the start"`
	SelfSigned   []string `yaml:"allow_self_signed" doc:"Hosts, exact, or host:port, whose own pages may come with a certificate of an unknown authority ([network.md](../network.md#certificates))"`
	Pace         int      `yaml:"requests_per_second" doc:"Of a session to one host in the long run; 20 seconds' worth may come at once. A TLS connection counts as one, what allow_private names is exempt. -1: no limit"`
	Connections  int      `yaml:"max_connections" doc:"Of a session at a time"`
	MaxBytes     string   `yaml:"max_bytes_per_session" doc:"Bytes a session may move, both ways, with k, m or g; -1: no limit"`
	MaxMinutes   int      `yaml:"max_connection_minutes" doc:"Longest life of one request, tunnel or WebSocket; -1: no limit"`
}

// Upstream is a proxy between the gateway and the public network.
type Upstream struct {
	URL       string `yaml:"url" doc:"Proxy through which public addresses are connected to: http://host:port (CONNECT) or socks5://host:port; none when empty ([network.md](../network.md#an-upstream-proxy))"`
	SecretEnv string `yaml:"secret_env" doc:"Name of the environment variable that holds the login for it, name:password; none when empty"`
}

// Proxy is an upstream proxy that sessions can choose by name.
type Proxy struct {
	Name      string   `yaml:"name"`
	URL       string   `yaml:"url"`
	SecretEnv string   `yaml:"secret_env,omitempty"`
	Scopes    []string `yaml:"scopes,omitempty"`
}

// Snapshot is how pages are shown.
type Snapshot struct {
	ExcludePasswords bool `yaml:"exclude_password_fields" doc:"Leave password fields out altogether; their values never show"`
	ExcludeHidden    bool `yaml:"exclude_hidden_elements" doc:"Leave out what a person could not see"`
	MaxDepth         int  `yaml:"max_depth" doc:"Of the JSON tree"`
	MaxTokens        int  `yaml:"max_tokens" doc:"Of one snapshot; a call may ask for 500 to 24000 ([snapshot.md](../snapshot.md))"`
}

// HITL configures when a person is asked.
type HITL struct {
	Enabled   bool     `yaml:"enabled" doc:"false denies whatever a person should be asked"`
	AskAt     string   `yaml:"ask_at" doc:"Where people are asked about what is MEDIUM or HIGH: wire (before what an act sends leaves the browser) or act (before the act)"`
	Timeouts  Timeouts `yaml:"timeouts"`
	Trusted   []string `yaml:"trusted_domains" doc:"MEDIUM calls run there unasked"`
	Sensitive []string `yaml:"sensitive_domains" doc:"Navigation there is HIGH; beats trusted"`
	Rules     []Rule   `yaml:"rules" doc:"The first that matches a call decides it: [policy.md](../policy.md)"`
	Webhook   Webhook  `yaml:"webhook"`
}

// Webhook is an address that receives questions and alerts.
type Webhook struct {
	URL       string `yaml:"url" doc:"Told of questions and alerts (docs/approvals.md); https, or http on this machine; nobody when empty"`
	SecretEnv string `yaml:"secret_env" doc:"Name of the environment variable that holds the secret it is signed with: whsec_ and base64"`
}

// Timeouts says how long a question waits for an answer. Without an answer it is
// denied.
type Timeouts struct {
	Medium   int `yaml:"medium" doc:"Seconds"`
	High     int `yaml:"high" doc:"Seconds"`
	Critical int `yaml:"critical" doc:"Seconds"`
}

// Default returns the configuration of an empty file.
func Default() Config {
	return Config{
		Server: Server{Listen: "127.0.0.1:2468", Live: Live{UDP: "127.0.0.1:0", TCP: "127.0.0.1:0", Viewers: 200}},
		Auth: Auth{
			JWT:  JWT{RoleClaim: "glovebox_role", ScopeClaim: "glovebox_scope"},
			Rate: Rate{PerSecond: 1000, Burst: 2000},
		},
		Browser: Browser{
			Enabled: true, Provider: "sandbox", Timeout: 30, MaxMinutes: 20, StartQueue: 30, FreezeAfter: 120, RetentionDays: 7,
			Viewport:  Viewport{Width: 1280, Height: 720, DPI: 96},
			Downloads: Downloads{MaxSize: "32m"},
			Sandbox: Sandbox{
				Driver: "docker", NamePrefix: "glovebox-", WarmPool: 1, Restarts: 1, Warmup: true, Lease: 30,
				Container: Container{Memory: "1g", CPUs: 2, PIDs: 512, Shm: "256m"},
			},
		},
		Security: Security{
			IdleTimeout: 300, MaxActions: 100, MaxFailures: 10, MaxRepeated: 5, MaxConcurrent: 5, MaxSessions: 20,
			Network: Network{
				Subresources: "same-site", Ports: []int{80, 443},
				Pace: 10, Connections: 256, MaxBytes: "2g", MaxMinutes: 60,
			},
			Credentials: defaultCredentials(),
			Snapshot:    Snapshot{ExcludeHidden: true, MaxDepth: 10, MaxTokens: 6000},
			HITL:        HITL{Enabled: true, AskAt: "wire", Timeouts: Timeouts{Medium: 600, High: 600, Critical: 300}},
			Effects:     Effects{Default: "asked"},
		},
		Audit: Audit{RetentionDays: 90, Durable: true},
	}
}
