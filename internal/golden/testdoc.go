// Package golden holds documents to what the program says of itself: whole
// files, and parts between marks. A test that is run with -update writes them
// anew.
package golden

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write generated documents anew")

// File wants a file to be text.
func File(t testing.TB, path, text string) {
	t.Helper()
	hold(t, path, text, func(string) (string, error) { return text, nil })
}

// Part wants what is between a file's marks of a name, <!-- begin name --> and
// <!-- end name --> on lines of their own, to be text.
func Part(t testing.TB, path, name, text string) {
	t.Helper()
	hold(t, path, text, func(page string) (string, error) { return with(page, name, text) })
}

// Write puts text between the marks of that name in a file.
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

func hold(t testing.TB, path, text string, anew func(page string) (string, error)) {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil && !(*update && os.IsNotExist(err)) {
		t.Fatal(err)
	}
	want, err := anew(string(page))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if want == string(page) {
		return
	}
	if !*update {
		t.Fatalf("%s is not what the program says: run this test with -update (make gen). It says:\n%s", path, text)
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// with is a page with text between the marks of a name.
func with(page, name, text string) (string, error) {
	begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->\n"
	before, rest, begun := strings.Cut(page, begin)
	_, after, ended := strings.Cut(rest, end)
	if !begun || !ended {
		return "", fmt.Errorf("it has no marks of %s", name)
	}
	return before + begin + text + end + after, nil
}
