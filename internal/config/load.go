package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"
)

// Env looks up an environment variable, as os.LookupEnv does.
type Env func(name string) (string, bool)

// Load reads the configuration: defaults, then the file, then the environment.
// path may be empty: then $GLOVEBOX_CONFIG, ./glovebox.yaml and
// $XDG_CONFIG_HOME/glovebox/config.yaml are looked for. It returns the path of
// the file that was read, empty when there was none.
func Load(path string, env Env) (Config, string, error) {
	c := Default()
	file, data, err := find(path, env)
	if err != nil {
		return Config{}, "", err
	}
	if file != "" {
		if err := decode(data, &c); err != nil {
			return Config{}, file, fmt.Errorf("%s: %w", file, err)
		}
	}
	if err := fromEnv(&c, env); err != nil {
		return Config{}, file, err
	}
	if err := c.fill(env); err != nil {
		return Config{}, file, err
	}
	if err := c.Check(); err != nil {
		return Config{}, file, err
	}
	return c, file, nil
}

func find(path string, env Env) (string, []byte, error) {
	if path == "" {
		path, _ = env("GLOVEBOX_CONFIG")
	}
	if path != "" {
		data, err := os.ReadFile(path)
		if err != nil {
			return "", nil, fmt.Errorf("cannot read the configuration: %w", err)
		}
		return path, data, nil
	}
	for _, candidate := range []string{"glovebox.yaml", userPath(env, "XDG_CONFIG_HOME", ".config", "config.yaml")} {
		data, err := os.ReadFile(candidate)
		if err == nil {
			return candidate, data, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", nil, fmt.Errorf("cannot read the configuration: %w", err)
		}
	}
	return "", nil, nil
}

// userPath returns $<variable>/glovebox/<rest>, with $HOME/<fallback> where
// the variable is not set.
func userPath(env Env, variable, fallback string, rest ...string) string {
	base, _ := env(variable)
	if base == "" {
		home, _ := env("HOME")
		base = filepath.Join(home, fallback)
	}
	return filepath.Join(append([]string{base, "glovebox"}, rest...)...)
}

func decode(data []byte, c *Config) error {
	var tree map[string]any
	if err := yaml.Unmarshal(data, &tree); err != nil {
		return fmt.Errorf("not valid YAML: %s", firstLine(err))
	}
	if len(tree) == 0 {
		return nil // decoding nothing would clear the defaults
	}
	if err := checkKeys(tree); err != nil {
		return err
	}
	if err := yaml.UnmarshalWithOptions(data, c, yaml.Strict()); err != nil {
		return errors.New(firstLine(err))
	}
	return nil
}

// firstLine drops the excerpt of the file that the parser adds: it may show
// more of the file than its reader should see in a log.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

func (c *Config) fill(env Env) error {
	if c.Server.StateDir == "" {
		c.Server.StateDir = userPath(env, "XDG_STATE_HOME", filepath.Join(".local", "state"))
	}
	dir, err := filepath.Abs(c.Server.StateDir)
	if err != nil {
		return fmt.Errorf("server.state_dir: %w", err)
	}
	c.Server.StateDir = dir
	return nil
}
