package config

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Credentials configures where credentials of sessions come from, and what
// happens with credentials that agents send.
type Credentials struct {
	Backend    string    `yaml:"vault_backend" doc:"Where credentials come from: file (glovebox vault set), vault (HashiCorp), sops, env or none ([credentials.md](../credentials.md))"`
	Path       string    `yaml:"vault_path" doc:"What stands before the domain in the source; {scope} in it stands for the caller's scope, and without it all scopes share"`
	AutoInject bool      `yaml:"auto_inject" doc:"Log sessions in wherever there are credentials; false: only for domains that a call names"`
	HashiCorp  HashiCorp `yaml:"vault"`
	SOPS       SOPS      `yaml:"sops"`

	Scan string   `yaml:"scan_input" doc:"What becomes of an agent's call that holds a credential: halt refuses it and pauses the session, deny refuses it, ask asks a person"`
	Test []string `yaml:"test_values" doc:"Values that are no credentials here, literally; documented examples pass in any case"`
}

// HashiCorp is a Vault server with a KV store of version 2. The configuration,
// which can be printed, holds no secret for it, only names of variables and
// files.
type HashiCorp struct {
	Address      string `yaml:"address" doc:"Of the server, such as https://vault.example.com:8200; http on this machine only"`
	Namespace    string `yaml:"namespace" doc:"Sent with every request; none when empty"`
	Mount        string `yaml:"mount" doc:"Where the KV store (version 2) is mounted; the first name of vault_path when empty"`
	TokenEnv     string `yaml:"token_env" doc:"Name of the environment variable that holds the token"`
	TokenFile    string `yaml:"token_file" doc:"File of the token, read again when it is refused; used where the variable is not set"`
	RoleID       string `yaml:"role_id" doc:"AppRole to log in as, instead of a token"`
	RoleMount    string `yaml:"approle_mount" doc:"Where AppRole is mounted"`
	SecretIDEnv  string `yaml:"secret_id_env" doc:"Name of the environment variable that holds the AppRole's secret id"`
	SecretIDFile string `yaml:"secret_id_file" doc:"File of the secret id, read at each login; used where the variable is not set"`
	CA           string `yaml:"ca_file" doc:"PEM file of the authorities that sign the server's certificate; the machine's when empty"`
	ServerName   string `yaml:"server_name" doc:"Name in the server's certificate, where it is not that of the address"`
}

// SOPS lists documents that SOPS encrypted for an age key.
type SOPS struct {
	Path    string `yaml:"path" doc:"A folder of SOPS documents at vault_path and the domain, with .json, .yaml or .yml; or one document with a key for each"`
	KeyFile string `yaml:"age_key_file" doc:"File of the age keys, one on a line; $SOPS_AGE_KEY when empty"`
}

func defaultCredentials() Credentials {
	return Credentials{
		Backend: "file", Path: "secrets/browser/", AutoInject: true, Scan: "halt",
		HashiCorp: HashiCorp{TokenEnv: "VAULT_TOKEN", RoleMount: "approle", SecretIDEnv: "VAULT_SECRET_ID"},
	}
}

// check validates the sources of credentials. No message contains an address,
// since an address may contain a password.
func (c Credentials) check() error {
	const at = "security.credentials."
	if err := oneOf(at+"vault_backend", c.Backend, "file", "vault", "sops", "env", "none"); err != nil {
		return err
	}
	for part := range strings.SplitSeq(strings.Trim(c.Path, "/"), "/") {
		if c.Path != "" && (part == "" || part == "." || part == "..") {
			return errors.New(at + "vault_path: want names with single slashes between them, like secrets/browser/")
		}
	}
	if c.Backend == "sops" && c.SOPS.Path == "" {
		return errors.New(at + "sops.path: is needed with vault_backend: sops")
	}
	if c.Backend == "vault" {
		return c.HashiCorp.check(at + "vault.")
	}
	return nil
}

func (h HashiCorp) check(at string) error {
	u, err := url.Parse(h.Address)
	switch {
	case err != nil || u.Hostname() == "" || u.Opaque != "" || u.User != nil || u.Fragment != "" || u.RawQuery != "":
		return fmt.Errorf("%saddress: want an address like https://vault.example.com:8200, without user name and query", at)
	case u.Scheme != "https" && (u.Scheme != "http" || !onLoopback(u.Hostname())):
		return fmt.Errorf("%saddress: want https; http is for this machine only", at)
	case h.RoleID == "" && !envPattern.MatchString(h.TokenEnv) && h.TokenFile == "":
		return fmt.Errorf("%stoken_env: want the name of the environment variable that holds the token", at)
	case h.RoleID != "" && !envPattern.MatchString(h.SecretIDEnv) && h.SecretIDFile == "":
		return fmt.Errorf("%ssecret_id_env: want the name of the environment variable that holds the secret id", at)
	}
	return nil
}
