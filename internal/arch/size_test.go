package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

const (
	maxMethods       = 60  // of a type
	maxFileLines     = 400 // of a file
	maxFunctionLines = 60  // of a function
)

// TestTypesFilesAndFunctionsAreSmall checks all code but tests.
func TestTypesFilesAndFunctionsAreSmall(t *testing.T) {
	methods := map[string]int{}
	parsed := token.NewFileSet()
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(parsed, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if lines := parsed.File(file.Pos()).LineCount(); lines > maxFileLines {
			t.Errorf("%s has %d lines, more than %d", path, lines, maxFileLines)
		}
		for _, declaration := range file.Decls {
			f, isFunction := declaration.(*ast.FuncDecl)
			if !isFunction {
				continue
			}
			from, to := parsed.Position(f.Pos()).Line, parsed.Position(f.End()).Line
			if to-from >= maxFunctionLines {
				t.Errorf("%s:%d: %s has %d lines, more than %d", path, from, f.Name.Name, to-from+1, maxFunctionLines)
			}
			if f.Recv != nil {
				methods[filepath.Dir(path)+" "+receiver(f.Recv.List[0].Type)]++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, count := range methods {
		if count > maxMethods {
			t.Errorf("%s has %d methods, more than %d", name, count, maxMethods)
		}
	}
}

// receiver returns the name of the type that a method is of.
func receiver(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
