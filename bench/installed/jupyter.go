package installed

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/bench/peer"
)

// Jupyter is Debian's jupyter-notebook: a folder of files and notebooks, whose
// cells are code editors and run Python.
func Jupyter(tb testing.TB, _ string) *App {
	tb.Helper()
	home, address := peer.NewHome(tb), freeAddress(tb)
	dir := filepath.Join(home.Path(), "files")
	write(tb, dir, map[string]string{
		"report.txt": "Sales were 12 in May.\n", "old.csv": "day,sales\n1,2\n", "data/may.csv": "day,sales\n1,4\n2,8\n",
		"sums.ipynb": notebook("numbers = [4, 8, 15]", "sum(numbers)"),
	})
	out := starts(tb, home, debianPython, "-m", "notebook", "--no-browser", "--allow-root", "--ip=127.0.0.1", "--port="+portOf(address), "--port-retries=0",
		"--NotebookApp.token=", "--NotebookApp.password=", "--NotebookApp.allow_remote_access=True", "--NotebookApp.terminals_enabled=False", "--notebook-dir="+dir)
	a := newApp("http://"+address, nil, func() (string, error) { return folder(dir) })
	answers(tb, a.direct+"/api", out)
	return a
}

// notebook is a file with cells of Python that were not run yet.
func notebook(cells ...string) string {
	type object = map[string]any
	var all []object
	for _, cell := range cells {
		all = append(all, object{"cell_type": "code", "execution_count": nil, "metadata": object{}, "outputs": []any{}, "source": []string{cell}})
	}
	text, err := json.Marshal(object{
		"cells": all, "nbformat": 4, "nbformat_minor": 4,
		"metadata": object{"kernelspec": object{"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}},
	})
	if err != nil {
		panic(err) // of plain data
	}
	return string(text)
}

// folder is a line for each line of each file of a folder; of a notebook, for
// each cell and what it printed.
func folder(dir string) (string, error) {
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		if err != nil || strings.Contains(name, ".ipynb_checkpoints") || strings.HasPrefix(entry.Name(), ".~") {
			return nil // a file that goes meanwhile is gone
		}
		if entry.IsDir() {
			fmt.Fprintf(&b, "%s/\n", name)
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		if strings.HasSuffix(name, ".ipynb") {
			lines = cellsOf(text)
		}
		for i, line := range lines {
			fmt.Fprintf(&b, "%s %d %s\n", name, i+1, line)
		}
		return nil
	})
	return b.String(), err
}

// cellsOf are the cells of a notebook, each in a line.
func cellsOf(text []byte) (lines []string) {
	var file struct {
		Cells []struct {
			Type    string `json:"cell_type"`
			Source  []string
			Outputs []struct {
				Text []string
				Data map[string]any
			}
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return []string{"is no notebook"} // as while it is written
	}
	for _, cell := range file.Cells {
		line := fmt.Sprintf("%s %q", cell.Type, strings.Join(cell.Source, ""))
		for _, out := range cell.Outputs {
			line += fmt.Sprintf(" -> %q", strings.Join(out.Text, "")+fmt.Sprint(out.Data["text/plain"]))
		}
		lines = append(lines, line)
	}
	return lines
}
