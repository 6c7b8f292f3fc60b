package docker_test

import (
	"archive/tar"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/docker"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// engineClient returns a client of the tests' own.
func engineClient(t *testing.T) *client.Client {
	t.Helper()
	c, err := client.New(client.FromEnv)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// execInBox runs a shell command in a box as the box's user and returns its output and
// exit code.
func execInBox(t *testing.T, box sandbox.Box, command string) (string, int) {
	t.Helper()
	ctx, e := testwait.Context(t), engineClient(t)
	made, err := e.ExecCreate(ctx, box.Info().Name, client.ExecCreateOptions{
		Cmd: []string{"sh", "-c", command}, AttachStdout: true, AttachStderr: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	attached, err := e.ExecAttach(ctx, made.ID, client.ExecAttachOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer attached.Close()
	var out bytes.Buffer
	if _, err := stdcopy.StdCopy(&out, &out, attached.Reader); err != nil {
		t.Fatal(err)
	}
	result, err := e.ExecInspect(ctx, made.ID, client.ExecInspectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out.String()), result.ExitCode
}

// containers lists the containers of an instance in any state.
func containers(t *testing.T, instance string) []container.Summary {
	t.Helper()
	ours := client.Filters{}.Add("label", "glovebox.instance="+instance)
	all, err := engineClient(t).ContainerList(testwait.Context(t), client.ContainerListOptions{All: true, Filters: ours})
	if err != nil {
		t.Fatal(err)
	}
	return all.Items
}

func startBox(t *testing.T, d *docker.Driver, spec sandbox.Spec) sandbox.Box {
	t.Helper()
	box, err := d.Start(testwait.Context(t), spec)
	if err != nil {
		t.Fatal(err)
	}
	return box
}

// buildContext returns a build context that contains only a Dockerfile.
func buildContext(t *testing.T, recipe string) io.Reader {
	t.Helper()
	var packed bytes.Buffer
	archive := tar.NewWriter(&packed)
	header := &tar.Header{Name: "Dockerfile", Mode: 0o644, Size: int64(len(recipe))}
	if err := archive.WriteHeader(header); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Write([]byte(recipe)); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return &packed
}

func drain(t *testing.T, body io.ReadCloser) {
	t.Helper()
	text, err := io.ReadAll(body)
	if err != nil || bytes.Contains(text, []byte(`"error"`)) {
		t.Fatalf("cannot build: %v\n%s", err, text)
	}
	if err := body.Close(); err != nil {
		t.Fatal(err)
	}
}
