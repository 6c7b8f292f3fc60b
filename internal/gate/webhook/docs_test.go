package webhook_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// sample is the first block of code of a language on the page about approvals.
func sample(t *testing.T, language string) string {
	t.Helper()
	page, err := os.ReadFile("../../../docs/approvals.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```"+language+"\n")
	code, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatalf("the page has no %s", language)
	}
	return code
}

const goHead = `package main

import ("crypto/hmac"; "crypto/sha256"; "encoding/base64"; "fmt"; "os"; "slices"; "strconv"; "strings"; "time")

func main() { fmt.Print(genuine(os.Args[1], os.Args[2], os.Args[3], os.Args[4], []byte(os.Args[5]))) }
`

const nodeFoot = "\nprocess.stdout.write(String(genuine(...process.argv.slice(2))))\n"

// The code in the documentation accepts genuine messages, and none that was changed.
func TestTheDocumentedSamplesVerify(t *testing.T) {
	dir := t.TempDir()
	for name, code := range map[string]string{"main.go": goHead + sample(t, "go"), "main.js": sample(t, "js") + nodeFoot} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(code), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	built := filepath.Join(dir, "sample")
	if out, err := exec.Command("go", "build", "-o", built, filepath.Join(dir, "main.go")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	signer, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	body := `{"type": "alert", "data": {"detail": "ü\u{202e}"}}`
	signature, err := signer.Sign("evt_1", now, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	old := now.Add(-time.Hour)
	oldSignature, err := signer.Sign("evt_1", old, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	at := strconv.FormatInt(now.Unix(), 10)
	for _, c := range []struct {
		args []string
		want bool
	}{
		{[]string{secret, "evt_1", at, signature, body}, true},
		{[]string{secret, "evt_1", at, "v1,AAAA v2,x " + signature, body}, true},
		{[]string{secret, "evt_2", at, signature, body}, false},
		{[]string{secret, "evt_1", at, signature, body + " "}, false},
		{[]string{secret, "evt_1", at, "", body}, false},
		{[]string{secret, "evt_1", "soon", signature, body}, false},
		{[]string{secret, "evt_1", fmt.Sprint(old.Unix()), oldSignature, body}, false},
		{[]string{"whsec_" + strings.Repeat("A", 32), "evt_1", at, signature, body}, false},
	} {
		for _, command := range [][]string{{built}, {"node", filepath.Join(dir, "main.js")}} {
			out, err := exec.Command(command[0], append(command[1:], c.args...)...).CombinedOutput()
			if err != nil || string(out) != strconv.FormatBool(c.want) {
				t.Errorf("%s %q: %s, %v", command[0], c.args, out, err)
			}
		}
	}
}
