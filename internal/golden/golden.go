// Package golden compares documents in the repository with text that the program
// generates: whole files, and parts between marks. With the flag -update a test
// writes them instead.
package golden

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write generated documents")

// File checks that a file is equal to text.
func File(t testing.TB, path, text string) {
	t.Helper()
	check(t, path, text, func(string) (string, error) { return text, nil })
}

// Part checks that the text between a file's marks, <!-- begin name --> and <!--
// end name --> on their own lines, is equal to text.
func Part(t testing.TB, path, name, text string) {
	t.Helper()
	check(t, path, text, func(page string) (string, error) { return with(page, name, text) })
}

// Write replaces the text between the marks with this name in a file.
func Write(path, name, text string) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	fresh, err := with(string(page), name, text)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(fresh), 0o644)
}

func check(t testing.TB, path, text string, edit func(page string) (string, error)) {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil && !(*update && os.IsNotExist(err)) {
		t.Fatal(err)
	}
	want, err := edit(string(page))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if want == string(page) {
		return
	}
	if !*update {
		t.Fatalf("%s differs from what the program generates: run this test with -update (make gen). The program generates:\n%s", path, text)
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// with returns a page with new text between the marks of a name.
func with(page, name, text string) (string, error) {
	begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->\n"
	before, rest, begun := strings.Cut(page, begin)
	_, after, ended := strings.Cut(rest, end)
	if !begun || !ended {
		return "", fmt.Errorf("it has no marks of %s", name)
	}
	return before + begin + text + end + after, nil
}
