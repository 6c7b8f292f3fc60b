package redact_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
)

func TestNoLogLineHasASecret(t *testing.T) {
	for name, make := range map[string]func(*bytes.Buffer) slog.Handler{
		"text": func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) },
		"json": func(b *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) },
	} {
		var out bytes.Buffer
		var store redact.SecretStore
		log := slog.New(store.Handler(make(&out)))
		log.Info("before", "n", 1, "err", errors.New("plain"))
		early := log.With("path", "/x/"+canary).WithGroup("g").With("q", canary)
		store.Learn("s1", credentials.Keep(canary))
		early.Error("said "+canary, "error", fmt.Errorf("wrapped: %w", errors.New(canary)), slog.Group("in", "v", []string{canary}), canary, 2)
		log.Info("after", "n", 3)
		if text := out.String(); strings.Contains(text, canary) || strings.Count(text, redact.Mark) < 5 {
			t.Errorf("%s: %s", name, text)
		}
		if !strings.Contains(out.String(), "plain") || strings.Count(out.String(), "\n") != 3 {
			t.Errorf("%s: lines are missing: %s", name, out.String())
		}
	}
}

func TestFilesAreRedactedOrRefused(t *testing.T) {
	m := redact.New(credentials.Keep(canary))
	packed := func(name, text string) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		w, _ := z.Create(name)
		_, _ = w.Write([]byte(text))
		_ = z.Close()
		return b.Bytes()
	}
	squeezed := func(b []byte) []byte {
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		_, _ = w.Write(b)
		_ = w.Close()
		return out.Bytes()
	}
	filler := strings.Repeat("a line of a report\n", 100)
	for name, content := range map[string][]byte{
		"binary": []byte("\x00\xff\xfe" + canary), "utf-16": []byte("\xff\xfe" + wide(canary)),
		"zip": packed("a.txt", filler+canary), "zip's name": packed(canary, filler), "gzip": squeezed([]byte(filler + canary)),
		"gzip of zip": squeezed(packed("a", filler+canary)), "a bomb": bytes.Repeat(squeezed(make([]byte, 1<<20)), 65), "a torn zip": packed("a", filler)[:60],
	} {
		if _, got, err := m.File("f", content); !errors.Is(err, redact.ErrFailed) || got != nil {
			t.Errorf("%s: got %d bytes, %v", name, len(got), err)
		}
	}
	for name, content := range map[string][]byte{"picture": []byte("\x89PNG\xff\xfe and so on"), "zip": packed("a.txt", filler), "gzip": squeezed([]byte(filler)), "text": []byte(filler)} {
		if got, same, err := m.File("f.x", content); err != nil || got != "f.x" || !bytes.Equal(same, content) {
			t.Errorf("%s was changed: %v", name, err)
		}
	}
	name, content, err := m.File(canary+".csv", []byte("id,"+canary+"\n"))
	if err != nil || name != "[redacted].csv" || string(content) != "id,[redacted]\n" {
		t.Errorf("got %q %q %v", name, content, err)
	}
	if _, content, err := m.File("a.har", []byte(`{"log":{"n":1,"url":"https://x/`+canary+`"}}`)); err != nil || !json.Valid(content) || bytes.Contains(content, []byte(canary)) {
		t.Errorf("got %q %v", content, err)
	}
}
