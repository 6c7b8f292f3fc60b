package config

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
	c, err := Examine(path, env)
	file := c.Source.File
	if err == nil {
		return c, file, nil
	}
	if file != "" {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return Config{}, file, err
}

// Examine is Load that does not stop at the first mistake. If its error is of
// type Problems, it has all of them, including those found by further. The
// returned configuration then contains only Source.
func Examine(path string, env Env, further ...func(Config) []Problem) (Config, error) {
	c := Default()
	file, data, err := find(path, env)
	if err != nil {
		return Config{}, err
	}
	c.Source = Source{File: file}
	if file != "" {
		c.Source.SHA256 = fmt.Sprintf("%x", sha256.Sum256(data))
	}
	problems := c.read(data, env)
	if !slices.ContainsFunc(problems, unreadable) {
		problems = append(problems, c.problems()...)
		for _, more := range further {
			problems = problems.with(more(c))
		}
	}
	if len(problems) > 0 {
		return Config{Source: c.Source}, locate(data, problems, env)
	}
	return c, nil
}

// with adds problems. One of a key that has a problem already takes its place, since it
// says more.
func (all Problems) with(more []Problem) Problems {
	for _, p := range more {
		if at := slices.IndexFunc(all, func(known Problem) bool { return known.Path == p.Path && p.Path != "" && !known.unknown }); at >= 0 {
			all[at] = p
			continue
		}
		all = append(all, p)
	}
	return all
}

// unreadable reports whether a problem made the reader skip values, so that the
// configuration is incomplete.
func unreadable(p Problem) bool { return !p.unknown }

// read fills c from the file and the environment.
func (c *Config) read(data []byte, env Env) (problems Problems) {
	problems = decode(data, c)
	if err := fromEnv(c, env); err != nil {
		problems = append(problems, Problem{Message: err.Error()})
	}
	if err := c.fill(env); err != nil {
		problems = append(problems, problemOf(err))
	}
	return problems
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

func decode(data []byte, c *Config) (problems Problems) {
	var tree map[string]any
	if err := yaml.Unmarshal(data, &tree); err != nil {
		return Problems{parsing("not valid YAML: ", err)}
	}
	if len(tree) == 0 {
		return nil // decoding nothing would clear the defaults
	}
	problems = checkKeys(tree)
	if slices.ContainsFunc(problems, unreadable) {
		return problems
	}
	strict := []yaml.DecodeOption{yaml.Strict()}
	if len(problems) > 0 { // these are unknown keys; the known ones are read below
		strict = nil
	}
	if err := yaml.UnmarshalWithOptions(data, c, strict...); err != nil {
		problems = append(problems, parsing("", err))
	}
	return problems
}

// firstLine drops the parser's excerpt of the file, which may contain text that
// must not appear in a log.
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
