package redact_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
)

// No page, document or list of this repository contains one of these secrets, which
// are of every kind that sites and people choose.
func TestOrdinaryTextStaysByteForByte(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 7))
	var all []credentials.Secret
	for range 20 {
		for _, s := range shapes(r) {
			all = append(all, credentials.Keep(s))
		}
	}
	for _, s := range []string{
		"hunter2!", "Summer2026", "quiet lamp ferry onion", "4938271", "773311", "JBSWY3DPEHPK3PXP", "tr0ub4dor&3", "qwertz", "x9!K", "s%3AaQ9fLk2mN0.Zz8",
		`{"theme":"dark","locale":"en-US","token":"` + random(r, 32) + `"}`, "Bearer " + random(r, 40), "Basic YW5uYTpzM2NyM3QtcHc=",
	} {
		all = append(all, credentials.Keep(s))
	}
	m := redact.New(all...)
	bytesSeen := 0
	for _, pattern := range []string{"*.html", "*.md", "*.json", "*.txt", "*.css", "*.js"} {
		for _, text := range ordinary(pattern) {
			bytesSeen += len(text)
			for _, s := range m.Find(text) {
				t.Errorf("%q is taken for a secret", text[max(0, s.Start-20):min(len(text), s.End+20)])
			}
			if got := m.Bytes(text); !bytes.Equal(got, text) {
				t.Errorf("a text was changed")
			}
		}
	}
	if bytesSeen < mebibyte {
		t.Errorf("only %d bytes were looked through", bytesSeen)
	}
}

func TestShortSecretsAreFoundByteForByteOnly(t *testing.T) {
	m := redact.New(credentials.Keep("4711"), credentials.Keep("abcdef"), credentials.Keep("s3cr3t"), credentials.Keep("!!##%%"))
	for text, want := range map[string]string{
		"pin 4711.":                 "pin [redacted].",
		"order 147112":              "order 147112",
		"pin%3D4711%26":             "pin%3D[redacted]%26",
		"abcdef, xabcdefx":          "[redacted], xabcdefx",
		"xs3cr3tx S3CR3T":           "x[redacted]x S3CR3T",
		"s-3-c-r-3-t":               "s-3-c-r-3-t",
		"czNjcjN0 and 733363723374": "[redacted] and [redacted]",
		"t3rc3s":                    "[redacted]",
		"a!!##%%b":                  "a[redacted]b",
		"&#52;711":                  "[redacted]",
	} {
		if got := m.Text(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// A piece of 16 letters and digits is hidden. A shorter piece stays: the gate refuses
// calls with a text that would be hidden, so short pieces could be guessed.
func TestPiecesOfALongSecretAreFound(t *testing.T) {
	m := redact.New(credentials.Keep("k7Qp2mXv9RtLw4Zs8NbY3cDf5hJg6TkP"))
	for text, want := range map[string]string{
		`- textbox "a": k7Qp2mXv9RtLw4Zs` + "\n" + `- textbox "b": 8NbY3cDf5hJg6TkP`: `- textbox "a": [redacted]` + "\n" + `- textbox "b": [redacted]`,
		`<i data-a="k7Qp2mXv9RtLw4Zs" data-b="8NbY3cDf5hJg6TkP">`:                    `<i data-a="[redacted]" data-b="[redacted]">`,
		"it ends in 3cDf5hJg6TkP": "it ends in 3cDf5hJg6TkP",
		"Qp2mXv9RtLw4Zs8N":        "[redacted]",
		"Qp2mXv9RtLw4Zs8":         "Qp2mXv9RtLw4Zs8",
		"5170326d587639527451":    "5170326d587639527451",
	} {
		if got := m.Text(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestTheSearchInATextMadeToTakeLongIsGivenUp(t *testing.T) {
	secret := bytes.Repeat([]byte("0123456789abcdef"), 60)
	m := redact.New(credentials.Keep(string(secret)+"end1"), credentials.Keep("x9"+string(secret)))
	almost := bytes.Repeat(append(bytes.Repeat([]byte("0123456789abcdef"), 2), 'z'), 20000)
	got := m.Bytes(almost)
	if bytes.Contains(got, []byte("0123456789abcdef0123456789abcdef")) {
		t.Error("pieces are left")
	}
}
