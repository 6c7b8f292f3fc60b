package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"filippo.io/age"
	"filippo.io/age/armor"
	"github.com/goccy/go-yaml"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	sopsTimeout   = 5 * time.Second // for one run of sops, which takes 20 ms; as long as a look-up may take
	sopsWaitDelay = time.Second     // for its output to end after it was killed
)

// Exit statuses of sops (its package cmd/sops/codes).
const (
	macMismatch = 51
	macMissing  = 52
)

// decrypter runs the program sops. Its errors are sentences without a subject, for
// faults. They contain no value, and nothing that sops wrote.
type decrypter struct {
	program    string
	keys       string
	identities []age.Identity
}

// findDecrypter finds sops in $PATH. Fault: install_required.
func findDecrypter(keys string, identities []age.Identity) (decrypter, error) {
	program, err := exec.LookPath("sops")
	if err != nil {
		return decrypter{}, fault.New(fault.InstallRequired, "the program sops is not installed").
			Hinted("install SOPS 3.9 or newer (https://getsops.io) where the gateway's PATH finds it, or set security.credentials.vault_backend to another").Because(err)
	}
	return decrypter{program: program, keys: keys, identities: identities}, nil
}

// decrypt returns a document as JSON, after sops has verified its MAC. The
// document goes through standard input, so that sops opens no file; the
// environment has the age keys and nothing else.
func (d decrypter) decrypt(ctx context.Context, document []byte, isJSON bool) ([]byte, error) {
	if err := d.check(document, isJSON); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, sopsTimeout)
	defer cancel()
	kind := "yaml"
	if isJSON {
		kind = "json"
	}
	command := exec.CommandContext(ctx, d.program, "--disable-version-check", "decrypt", "--input-type", kind, "--output-type", "json", "/dev/stdin")
	command.Dir, command.WaitDelay = "/", sopsWaitDelay
	command.Env = []string{SOPSKeyEnv + "=" + d.keys, "SOPS_DECRYPTION_ORDER=age"}
	plain := limitedBuffer{left: maxSOPS}
	command.Stdin, command.Stdout = bytes.NewReader(document), &plain
	err := command.Run()
	var ended *exec.ExitError
	switch {
	case err == nil:
		return plain.text.Bytes(), nil
	case ctx.Err() != nil:
		return nil, errors.New("was not decrypted in time")
	case plain.left < 0:
		return nil, errors.New("has more than 8 MiB in a file")
	case !errors.As(err, &ended):
		return nil, errors.New("cannot be decrypted: sops cannot be run")
	case ended.ExitCode() == macMismatch:
		return nil, errors.New("was changed: its MAC does not match")
	case ended.ExitCode() == macMissing:
		return nil, errors.New("has a file without a MAC")
	}
	return nil, fmt.Errorf("has a file that sops refuses: it is damaged or was changed (exit status %d)", ended.ExitCode())
}

// metadata is what SOPS writes into a document about its encryption.
type metadata struct {
	Age []struct {
		Enc string `json:"enc" yaml:"enc"`
	} `json:"age" yaml:"age"`
	KeyGroups        []any  `json:"key_groups" yaml:"key_groups"`
	MACOnlyEncrypted bool   `json:"mac_only_encrypted" yaml:"mac_only_encrypted"`
	PlainComments    string `json:"unencrypted_comment_regex" yaml:"unencrypted_comment_regex"`
	SealedComments   string `json:"encrypted_comment_regex" yaml:"encrypted_comment_regex"`
}

// check refuses documents whose MAC does not cover all values, and documents that are
// not encrypted for one of the age keys: for those sops would call key services that
// the document names, over the network.
func (d decrypter) check(document []byte, isJSON bool) error {
	var file struct {
		SOPS *metadata `json:"sops" yaml:"sops"`
	}
	read := yaml.Unmarshal
	if isJSON {
		read = json.Unmarshal
	}
	if err := read(document, &file); err != nil { // the parser's error may contain what it read
		return errors.New("has a file that is no object in JSON or YAML")
	}
	about := file.SOPS
	if about == nil {
		return errors.New("has a file that SOPS did not encrypt")
	}
	for name, used := range map[string]bool{
		"key_groups":                about.KeyGroups != nil,
		"mac_only_encrypted":        about.MACOnlyEncrypted,
		"unencrypted_comment_regex": about.PlainComments != "",
		"encrypted_comment_regex":   about.SealedComments != "",
	} {
		if used {
			return fmt.Errorf("uses %s, which is not supported here", name)
		}
	}
	for _, recipient := range about.Age {
		if plain, err := age.Decrypt(armor.NewReader(strings.NewReader(recipient.Enc)), d.identities...); err == nil {
			if _, err := io.Copy(io.Discard, io.LimitReader(plain, 64)); err == nil { // a data key has 32 bytes
				return nil
			}
		}
	}
	return errors.New("has a file that is not encrypted for this age key")
}

// limitedBuffer keeps what sops writes, up to a number of bytes. left is negative
// after more was written.
type limitedBuffer struct {
	text bytes.Buffer
	left int
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, io.ErrShortWrite
	}
	return b.text.Write(p)
}
