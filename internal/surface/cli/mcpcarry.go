package cli

import (
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/mcpconfig"
	"github.com/gloveboxhq/glovebox/internal/surface/mcp"
)

// surroundings are variables, in addition to those of the configuration, that
// choose the gateway and the container engine. A client has its own environment.
var surroundings = []string{
	"XDG_CONFIG_HOME", "XDG_STATE_HOME", "GLOVEBOX_CA",
	"DOCKER_HOST", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY", "DOCKER_API_VERSION",
}

// secrets are variables that are never written into a client's settings, because
// they may hold a secret.
var secrets = []string{
	"GLOVEBOX_TOKEN", "GLOVEBOX_PROFILE_KEY", "GLOVEBOX_VAULT_KEY",
	"GLOVEBOX_SECURITY_HITL_WEBHOOK_URL", "GLOVEBOX_AUDIT_OTLP_ENDPOINT",
}

// check reads the configuration that the entry will use, with its flags. It refuses
// what the gateway would refuse when the client starts it.
func (cmd mcpCommands) check(p placementRequest) (config.Config, error) {
	conf, err := setupCommands(cmd).examine(cmd.config)
	if err != nil {
		return conf, err
	}
	if err := mcp.CheckTools(p.tools); err != nil {
		return conf, err
	}
	with := conf
	p.to.add(&with)
	if cmd.deps.Problems == nil {
		return conf, nil
	}
	if wrong := cmd.deps.Problems(with); len(wrong) > 0 {
		return conf, fault.New(fault.InvalidRequest, "the entry would not work: %s", wrong[0].Message).
			Hinted("correct --allow, --allow-private or --trust").With("problems", wrong)
	}
	return conf, nil
}

// configToCarry returns the path of the configuration that was named, or found in
// this folder, since the client starts in another folder.
func (cmd mcpCommands) configToCarry(conf config.Config) string {
	if cmd.config != "" {
		return cmd.config
	}
	if _, named := cmd.vars("GLOVEBOX_CONFIG"); named || conf.Source.File == "glovebox.yaml" {
		return conf.Source.File
	}
	return ""
}

// carriedVariables returns the variables that the entry sets, with their values
// here.
func (cmd mcpCommands) carriedVariables(conf config.Config) []mcpconfig.Variable {
	var all []mcpconfig.Variable
	add := func(name string) {
		value, set := cmd.vars(name)
		if !set || isSecret(name) {
			return
		}
		if name == "GLOVEBOX_SERVER_STATE_DIR" {
			value = conf.Server.StateDir // an absolute path: the client starts in another folder
		}
		all = append(all, mcpconfig.Variable{Name: name, Value: value})
	}
	for _, key := range config.Keys() {
		if key.Env != "" {
			add(key.Env)
		}
	}
	for _, name := range surroundings {
		add(name)
	}
	return all
}

// secretsSet returns the names of secrets that are set here.
func (cmd mcpCommands) secretsSet() (names []string) {
	for _, name := range secrets {
		if _, set := cmd.vars(name); set {
			names = append(names, name)
		}
	}
	return names
}

func isSecret(name string) bool {
	if slices.Contains(secrets, name) {
		return true
	}
	for _, end := range []string{"_KEY", "_TOKEN", "_SECRET", "_PASSWORD"} {
		if strings.HasSuffix(name, end) {
			return name != "GLOVEBOX_SERVER_TLS_KEY" // the name of a file
		}
	}
	return false
}
