package config

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"
)

// YAML returns c in the format that Load reads. It contains no secrets: tokens
// are configured by their hashes.
func (c Config) YAML() (string, error) {
	data, err := yaml.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("cannot encode the configuration: %w", err)
	}
	return string(data), nil
}

// Reference returns the reference page of every key, in markdown.
func Reference() string {
	var b strings.Builder
	b.WriteString("# Configuration\n\n")
	b.WriteString("One YAML file: `--config`, `$GLOVEBOX_CONFIG`, `./glovebox.yaml` or `$XDG_CONFIG_HOME/glovebox/config.yaml`,\n")
	b.WriteString("the first that is there. An unknown key is an error. Each key has an environment variable, which wins; lists are\n")
	b.WriteString("written with commas there. Everything has a default: an empty file works. This page is generated\n")
	b.WriteString("(`make gen`).\n\n")
	b.WriteString("Some variables stand for no key, because a configuration holds no secrets: `GLOVEBOX_PROFILE_KEY`, the age identity\n")
	b.WriteString("(`AGE-SECRET-KEY-1…`, as `age-keygen` prints it) that profiles are encrypted under. Without it the gateway makes one\n")
	b.WriteString("in `profiles.key` of the state directory. Profiles are readable with the key they were saved under, and no other.\n")
	b.WriteString("`GLOVEBOX_VAULT_KEY` is the same for the vault file (`vault.key`), `SOPS_AGE_KEY` for SOPS documents; `VAULT_TOKEN` and\n")
	b.WriteString("`VAULT_SECRET_ID`, or what `token_env` and `secret_id_env` name, open HashiCorp Vault; `GLOVEBOX_SECRET_…` are the documents\n")
	b.WriteString("of `vault_backend: env` ([credentials.md](../credentials.md)).\n\n")
	b.WriteString("| key | default | what it is | environment |\n|---|---|---|---|\n")
	root := reflect.ValueOf(Default())
	for _, key := range Keys() {
		name := ""
		if key.Env != "" {
			name = "`" + key.Env + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", key.Path, show(root.FieldByIndex(key.at)), key.Doc, name)
	}
	return b.String()
}

func show(v reflect.Value) string {
	if v.Kind() == reflect.Slice && v.Len() == 0 {
		return "`[]`"
	}
	if v.Kind() == reflect.String && v.Len() == 0 {
		return "empty"
	}
	return fmt.Sprintf("`%v`", v.Interface())
}
