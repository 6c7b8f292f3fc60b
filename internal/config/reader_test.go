package config_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/config"
)

const configPath = "github.com/gloveboxhq/glovebox/internal/config"

// listed is a package in the output of `go list`.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles, Imports        []string
	DepOnly                 bool
}

// TestEveryKeyHasAReader fails for a key that no code outside of this package
// reads. Such a key would have no effect.
func TestEveryKeyHasAReader(t *testing.T) {
	packages := listPackages(t)
	exports := map[string]string{}
	for _, p := range packages {
		exports[p.ImportPath] = p.Export
	}
	files := token.NewFileSet()
	imports := importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, errors.New("no export data of " + path)
		}
		return os.Open(exports[path])
	})
	read := map[string]bool{}
	for _, p := range packages {
		if !p.DepOnly && (p.ImportPath == configPath || slices.Contains(p.Imports, configPath)) {
			noteReads(t, files, imports, p, read)
		}
	}
	checked := 0
	eachField(reflect.TypeFor[config.Config](), "", func(owner reflect.Type, f reflect.StructField, key string) {
		if checked++; !read[owner.Name()+"."+f.Name] {
			t.Errorf("nothing reads %s (%s.%s)", key, owner.Name(), f.Name)
		}
	})
	if checked < 60 {
		t.Errorf("only %d keys were looked at", checked)
	}
}

func listPackages(t *testing.T) (all []listed) {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-export", "-json=ImportPath,Dir,Export,GoFiles,Imports,DepOnly", "github.com/gloveboxhq/glovebox/...")
	list.Env = append(os.Environ(), "CGO_ENABLED=0") // as the program is built, so that what is compiled is there
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for from := json.NewDecoder(bytes.NewReader(out)); from.More(); {
		var p listed
		if err := from.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// noteReads records which fields of the configuration's types a package reads. In
// package config itself, only fields that methods read count, because other
// packages call them.
func noteReads(t *testing.T, files *token.FileSet, imports types.Importer, p listed, read map[string]bool) {
	t.Helper()
	var parsed []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, f)
	}
	info := &types.Info{Selections: map[*ast.SelectorExpr]*types.Selection{}}
	if _, err := (&types.Config{Importer: imports}).Check(p.ImportPath, files, parsed, info); err != nil {
		t.Fatal(err)
	}
	for _, f := range parsed {
		for _, d := range f.Decls {
			function, is := d.(*ast.FuncDecl)
			if is && (p.ImportPath != configPath || function.Recv != nil && function.Name.IsExported()) {
				noteIn(function, info, read)
			}
		}
	}
}

func noteIn(function *ast.FuncDecl, info *types.Info, read map[string]bool) {
	ast.Inspect(function, func(n ast.Node) bool {
		if a, is := n.(*ast.AssignStmt); is { // an assignment does not read the field
			for _, to := range a.Rhs {
				ast.Inspect(to, func(n ast.Node) bool { return noteSelector(n, info, read) })
			}
			return false
		}
		return noteSelector(n, info, read)
	})
}

func noteSelector(n ast.Node, info *types.Info, read map[string]bool) bool {
	s, is := n.(*ast.SelectorExpr)
	if !is || info.Selections[s] == nil {
		return true
	}
	owner := info.Selections[s].Recv()
	if p, pointer := owner.(*types.Pointer); pointer {
		owner = p.Elem()
	}
	if named, is := owner.(*types.Named); is && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == configPath {
		read[named.Obj().Name()+"."+s.Sel.Name] = true
	}
	return true
}

// eachField calls visit for each key of a configuration that has a value, not for
// sections.
func eachField(of reflect.Type, path string, visit func(owner reflect.Type, f reflect.StructField, key string)) {
	for i := range of.NumField() {
		f := of.Field(i)
		key := path + f.Tag.Get("yaml")
		inner := f.Type
		for inner.Kind() == reflect.Slice || inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct && inner.PkgPath() == configPath {
			eachField(inner, key+".", visit)
			continue
		}
		visit(of, f, key)
	}
}
