package cli

import (
	"os"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/client"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/credentials/source"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// environment is what every command needs: what was handed in, the flags that
// all commands share, and where to print.
type environment struct {
	deps   Deps
	io     Stdio
	vars   config.Env
	config string
	url    string // of the gateway
	token  string
	ca     string
	target string // session id or name
	json   bool
	quiet  bool // acts do not say what they changed
	style  style
}

func (env *environment) load() (config.Config, error) {
	c, _, err := config.Load(env.config, env.vars)
	if err != nil {
		return c, fault.New(fault.InvalidRequest, "%s", err.Error()).Hinted("glovebox config check says whether it is right")
	}
	return c, nil
}

// client returns a client of the gateway. name is the file of the token in the
// state directory, used where no other token was given.
func (env *environment) client(name string) (*client.Client, error) {
	c, err := env.load()
	if err != nil {
		return nil, err
	}
	token, err := env.tokenFor(c, name)
	if err != nil {
		return nil, err
	}
	return env.connect(c, token)
}

// connect returns a client of the gateway with a token, or with none.
func (env *environment) connect(c config.Config, token string) (*client.Client, error) {
	authorities, err := env.authorities(c)
	if err != nil {
		return nil, err
	}
	return client.New(first(env.url, c.Server.URL()), token, authorities...)
}

// authorities returns the certificates with which the gateway is verified, in
// addition to the machine's: given ones, or that of this machine's gateway.
func (env *environment) authorities(c config.Config) ([][]byte, error) {
	given, _ := env.vars("GLOVEBOX_CA")
	file := first(env.ca, given)
	if file == "" && env.url == "" {
		file = c.Server.TLS.Cert
	}
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "the certificates in %s cannot be read", file).Hinted("give a PEM file: --ca, or $GLOVEBOX_CA").Because(err)
	}
	return [][]byte{pem}, nil
}

func (env *environment) tokenFor(c config.Config, name string) (string, error) {
	if env.token != "" {
		return env.token, nil
	}
	if token, _ := env.vars("GLOVEBOX_TOKEN"); token != "" {
		return token, nil
	}
	data, err := os.ReadFile(c.Server.StateDir + "/" + name)
	if err != nil {
		return "", fault.New(fault.Unauthenticated, "no token: %s cannot be read", name).
			Hinted("start the gateway first (glovebox serve), or give --token or $GLOVEBOX_TOKEN").Because(err)
	}
	return strings.TrimSpace(string(data)), nil
}

const (
	operatorToken = "operator.token"
	agentToken    = "agent.token"
)

// openVault opens the vault of the configuration.
func (env *environment) openVault() (*source.Vault, error) {
	conf, err := env.load()
	if err != nil {
		return nil, err
	}
	if env.deps.Vault == nil {
		return nil, fault.New(fault.Internal, "this program was built without a vault")
	}
	return env.deps.Vault(conf)
}
