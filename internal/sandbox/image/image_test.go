package image

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/containerd/errdefs"
	"github.com/google/go-cmp/cmp"
	"github.com/moby/moby/client"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// buildProgram builds a static Linux program that prints text, and returns its path.
func buildProgram(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	source := filepath.Join(dir, "main.go")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() { println(\""+text+"\") }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "program")
	run := exec.Command("go", "build", "-o", out, source)
	run.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	if log, err := run.CombinedOutput(); err != nil {
		t.Fatalf("cannot build: %v\n%s", err, log)
	}
	return out
}

func TestBuildRefusesWhatCannotRunInABox(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	shell, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	for name, binary := range map[string]string{
		"not there": filepath.Join(t.TempDir(), "missing"),
		"a script":  script,
		"dynamic":   shell,
	} {
		_, err := newRecipe(binary, "")
		f := fault.From(err)
		if fault.CodeOf(err) != fault.InvalidRequest || !strings.Contains(f.Hint, "--binary") {
			t.Errorf("%s: %v, hint %q", name, err, f.Hint)
		}
	}
	if _, err := newRecipe(buildProgram(t, "x"), "s390x-or-unknown"); err != nil {
		t.Errorf("an unknown architecture: %v", err)
	}
}

func TestBuildRefusesABinaryForAnotherArchitecture(t *testing.T) {
	data, err := os.ReadFile(buildProgram(t, "x"))
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for machine := range elfMachines {
		if checkStatic(data, machine) != nil {
			refused++
		}
	}
	if refused != len(elfMachines)-1 {
		t.Errorf("refused by %d of %d kinds of machine, want all but one", refused, len(elfMachines))
	}
}

func TestBuildContextHasTheFilesAndIsReproducible(t *testing.T) {
	binary := buildProgram(t, "x")
	pack := func() []byte {
		r, err := newRecipe(binary, "")
		if err != nil {
			t.Fatal(err)
		}
		files, err := r.context()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(files)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	first := pack()
	if !bytes.Equal(first, pack()) {
		t.Error("two archives of the same files differ")
	}
	modes := map[string]int64{}
	archive := tar.NewReader(bytes.NewReader(first))
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		modes[header.Name] = header.Mode
	}
	want := map[string]int64{"Dockerfile": 0o644, "policy.json": 0o644, "screen.c": 0o644, "glovebox": 0o755}
	if diff := cmp.Diff(want, modes); diff != "" {
		t.Error(diff)
	}
}

func TestCopyProgressReturnsTheLastLinesAndTheError(t *testing.T) {
	var out bytes.Buffer
	stream := strings.NewReader(strings.Repeat(`{"stream":"a line\n"}`+"\n", 50) +
		`{"stream":"the last\n\n"}` + "\n" + `{"error":"step 4 failed"}` + "\n")
	log, err := copyProgress(stream, &out)
	if err == nil || err.Error() != "step 4 failed" {
		t.Errorf("failure %v", err)
	}
	if len(log) != maxLogLines || log[maxLogLines-1] != "the last" {
		t.Errorf("kept %d lines, last %q", len(log), log[len(log)-1])
	}
	if got := strings.Count(out.String(), "a line\n"); got != 50 {
		t.Errorf("wrote %d lines of 50", got)
	}
	if _, err := copyProgress(strings.NewReader("nonsense\n"), io.Discard); err == nil {
		t.Error("a stream that is not JSON counts as success")
	}
}

func TestMirrorIsReadFromBothFormats(t *testing.T) {
	for text, want := range map[string]string{
		"# none\n": "",
		"deb http://a.example/debian bookworm main\n":                                                                                 "http://a.example/debian",
		"deb http://a.example/debian-security bookworm-security main\n":                                                               "",
		"Types: deb\nURIs: http://b.example/debian\nSuites: bookworm bookworm-updates\n":                                              "http://b.example/debian",
		"Types: deb\nURIs: http://c.example/x\nSuites: nodistro\n":                                                                    "",
		"URIs: http://c.example/x\n\nSuites: bookworm\n":                                                                              "",
		"Types: deb\nURIs: http://s.example/security\nSuites: bookworm-security\n\nURIs: http://d.example/debian\nSuites: bookworm\n": "http://d.example/debian",
	} {
		if got := mirrorIn(bufio.NewScanner(strings.NewReader(text))); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestLoopbackProxiesAreRecognized(t *testing.T) {
	for proxy, want := range map[string]bool{
		"": false, "http://proxy.example:3142": false, "http://localhost:3142": true,
		"http://127.0.0.1:3142": true, "http://[::1]:3142": true, "http://192.0.2.1:1": false, "%": false,
	} {
		if got := isLoopback(proxy); got != want {
			t.Errorf("%q: %t", proxy, got)
		}
	}
}

func TestImageIsAbsentThenCurrentThenStale(t *testing.T) {
	testenv.Heavy(t)
	testenv.Require(t, testenv.Engine)
	tag := "glovebox-imagetest:" + strings.ToLower(filepath.Base(t.TempDir()))
	first, second := buildProgram(t, "one"), buildProgram(t, "two")
	state := func(binary string, want State) {
		t.Helper()
		got, err := Inspect(t.Context(), tag, binary)
		if err != nil || got != want {
			t.Errorf("the image is %q (%v), want %q", got, err, want)
		}
	}
	state(first, Absent)
	var out bytes.Buffer
	if err := Build(t.Context(), Options{Tag: tag, Binary: first, Out: &out}); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	removeImage(t, tag)
	if !strings.Contains(out.String(), "built "+tag) {
		t.Errorf("the progress is %q", out.String())
	}
	state(first, Current)
	state(second, Stale)

	engine, _, err := dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = engine.Close() }()
	before, err := engine.ImageInspect(t.Context(), tag)
	if err != nil {
		t.Fatal(err)
	}
	if err := Build(t.Context(), Options{Tag: tag, Binary: second}); err != nil {
		t.Fatal(err)
	}
	state(second, Current)
	if _, err := engine.ImageInspect(t.Context(), before.ID); !errdefs.IsNotFound(err) {
		t.Errorf("the replaced image is left: %v", err)
	}
}

func TestBuildWithoutATagOrEngineIsAFault(t *testing.T) {
	if err := Build(t.Context(), Options{}); fault.CodeOf(err) != fault.InvalidRequest {
		t.Errorf("without a tag: %v", err)
	}
	t.Setenv("DOCKER_HOST", "unix://"+filepath.Join(t.TempDir(), "none.sock"))
	err := Build(t.Context(), Options{Tag: "x:y"})
	if fault.CodeOf(err) != fault.SandboxRuntimeRequired || !strings.Contains(fault.From(err).Hint, "start Docker") {
		t.Errorf("without an engine: %v", err)
	}
}

// No registry has a base image of this name. It is made by debootstrap where that can
// run; elsewhere the fault says how to make it.
func TestBaseImageThatCannotBePulledIsMade(t *testing.T) {
	testenv.Heavy(t)
	testenv.Require(t, testenv.Engine)
	engine, _, err := dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = engine.Close() }()
	name := "localhost:1/glovebox-basetest:bookworm"
	var out bytes.Buffer
	err = ensureBase(t.Context(), engine, name, Options{Out: &out, Proxy: hostProxy(t.Context())})
	if _, missing := exec.LookPath("debootstrap"); missing != nil || os.Geteuid() != 0 {
		if fault.CodeOf(err) != fault.SandboxRuntimeRequired || !strings.Contains(fault.From(err).Hint, "debootstrap") {
			t.Errorf("where debootstrap cannot run: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	removeImage(t, name)
	if err := ensureBase(t.Context(), engine, name, Options{Out: io.Discard}); err != nil {
		t.Errorf("with the base image present: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(largeTempDir(), "glovebox-base-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func removeImage(t *testing.T, name string) {
	t.Cleanup(func() {
		engine, err := client.New(client.FromEnv)
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = engine.Close() }()
		options := client.ImageRemoveOptions{PruneChildren: true} // keeps layers that another image uses
		if _, err := engine.ImageRemove(context.Background(), name, options); err != nil && !errdefs.IsNotFound(err) {
			t.Errorf("cannot remove %s: %v", name, err)
		}
	})
}
