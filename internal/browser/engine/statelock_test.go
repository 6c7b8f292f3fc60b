package engine_test

import (
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// fixedFields are the types that belong to the state, each with the fields that do not
// change after the state has them. Every other field is used under the lock.
var fixedFields = map[string][]string{
	"tab":    {"id", "opener", "group", "main", "root", "refs", "ready", "made", "channel"},
	"frame":  {"id", "listeners"},
	"target": {"id", "kind", "url", "session", "tab", "console", "parent"},
	"visit":  {"address", "resources", "reply"},
}

// makers are the functions that set those fields, before the state has the value.
var makers = []string{"newTab", "addTab", "attach"}

func TestStateIsUsedUnderItsLock(t *testing.T) {
	if testing.Short() {
		t.Skip("type-checks the package")
	}
	c := &lockCheck{t: t, needs: map[*types.Func]bool{}}
	c.load()
	for _, file := range c.files {
		for _, d := range file.Decls {
			c.declaration(d)
		}
	}
	for again := true; again; {
		again = false
		for _, u := range c.uses {
			if c.needs[u.method] && u.by != nil && !c.needs[u.by] {
				c.needs[u.by], again = true, true
			}
		}
	}
	for _, u := range c.uses {
		if c.needs[u.method] && u.by == nil {
			t.Errorf("%s: calls %s, which needs the lock of the state, without a *state", c.fset.Position(u.at), u.method.Name())
		}
	}
}

// lockCheck finds code that uses the state without its lock.
type lockCheck struct {
	t     *testing.T
	fset  *token.FileSet
	files []*ast.File
	info  *types.Info
	needs map[*types.Func]bool // methods of tabs, frames and targets that are called under the lock
	uses  []methodUse
}

// methodUse is the use of a method of a tab, a frame or a target, where the lock is not
// known to be held.
type methodUse struct {
	method *types.Func
	by     *types.Func // another such method; nil for other code
	at     token.Pos
}

// load type-checks the package, without its tests.
func (c *lockCheck) load() {
	c.t.Helper()
	out, err := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export,GoFiles,Dir", ".").Output()
	if err != nil {
		c.t.Fatalf("cannot list packages: %v", err)
	}
	exports := map[string]string{}
	var own struct {
		ImportPath, Export, Dir string
		GoFiles                 []string
	}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); decoder.More(); { // the package itself is the last one
		own.GoFiles = nil
		if err := decoder.Decode(&own); err != nil {
			c.t.Fatal(err)
		}
		exports[own.ImportPath] = own.Export
	}
	if len(own.GoFiles) == 0 {
		c.t.Fatal("found no files")
	}
	c.fset = token.NewFileSet()
	for _, name := range own.GoFiles {
		file, err := parser.ParseFile(c.fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			c.t.Fatal(err)
		}
		c.files = append(c.files, file)
	}
	c.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	conf := types.Config{Importer: importer.ForCompiler(c.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })}
	if _, err := conf.Check(own.ImportPath, c.fset, c.files, c.info); err != nil {
		c.t.Fatal(err)
	}
}

// scope is what is known of the code that is looked at.
type scope struct {
	name   string
	locked bool        // it was handed the state
	method *types.Func // of a type that belongs to the state
}

func (c *lockCheck) declaration(d ast.Decl) {
	f, is := d.(*ast.FuncDecl)
	if !is {
		c.walk(d, scope{})
		return
	}
	if f.Body == nil {
		return
	}
	s := scope{name: f.Name.Name, locked: c.takesState(f.Type)}
	if f.Recv != nil {
		of := typeName(c.info.Types[f.Recv.List[0].Type].Type)
		s.locked = s.locked || of == "state"
		if _, belongs := fixedFields[of]; belongs {
			s.method, _ = c.info.Defs[f.Name].(*types.Func)
		}
	}
	c.walk(f.Body, s)
}

// takesState reports whether a function has a parameter of type *state.
func (c *lockCheck) takesState(f *ast.FuncType) bool {
	return slices.ContainsFunc(f.Params.List, func(p *ast.Field) bool { return typeName(c.info.Types[p.Type].Type) == "state" })
}

// typeName returns the name of a type of the package, or of what it points to.
func typeName(t types.Type) string {
	if p, is := t.(*types.Pointer); is {
		t = p.Elem()
	}
	if n, is := t.(*types.Named); is && n.Obj().Pkg() != nil && strings.HasSuffix(n.Obj().Pkg().Path(), "/engine") {
		return n.Obj().Name()
	}
	return ""
}

func (c *lockCheck) walk(n ast.Node, s scope) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if c.callsAtOnce(n.Fun) {
				c.walk(n.Fun, s)
				for _, arg := range n.Args {
					if f, is := arg.(*ast.FuncLit); is {
						c.walk(f.Body, scope{name: s.name, locked: s.locked || c.takesState(f.Type), method: s.method})
					} else {
						c.walk(arg, s)
					}
				}
				return false
			}
		case *ast.FuncLit:
			c.walk(n.Body, scope{name: s.name, locked: c.takesState(n.Type)})
			return false
		case *ast.AssignStmt:
			for _, to := range n.Lhs {
				c.assigned(to, s)
			}
		case *ast.SelectorExpr:
			c.selector(n, s)
		case *ast.Ident:
			if v, is := c.info.Uses[n].(*types.Var); is && !v.IsField() && typeName(v.Type()) == "state" && !s.locked {
				c.t.Errorf("%s: a function that may run later uses the state", c.fset.Position(n.Pos()))
			}
		}
		return true
	})
}

// callsAtOnce reports whether a function calls the functions that it is given before
// it returns.
func (c *lockCheck) callsAtOnce(f ast.Expr) bool {
	if i, is := f.(*ast.IndexExpr); is {
		f = i.X
	}
	if s, is := f.(*ast.SelectorExpr); is {
		if used, is := c.info.Uses[s.Sel].(*types.Func); is && used.Pkg() != nil {
			return used.Pkg().Path() == "slices" || used.Pkg().Path() == "maps" || strings.HasSuffix(used.Pkg().Path(), "/guarded")
		}
	}
	return false
}

func (c *lockCheck) assigned(to ast.Expr, s scope) {
	if sel, is := to.(*ast.SelectorExpr); is {
		if of, field := c.field(sel); field != "" && slices.Contains(fixedFields[of], field) && !slices.Contains(makers, s.name) {
			c.t.Errorf("%s: sets %s.%s, which must not change", c.fset.Position(to.Pos()), of, field)
		}
	}
}

// field returns the type and name of a field that a selector names, if the type
// belongs to the state.
func (c *lockCheck) field(n *ast.SelectorExpr) (of, field string) {
	chosen := c.info.Selections[n]
	if chosen == nil || chosen.Kind() != types.FieldVal {
		return "", ""
	}
	if _, copied := chosen.Recv().Underlying().(*types.Struct); copied {
		return "", ""
	}
	of = typeName(chosen.Recv())
	if _, belongs := fixedFields[of]; !belongs {
		return "", ""
	}
	return of, chosen.Obj().Name()
}

func (c *lockCheck) selector(n *ast.SelectorExpr, s scope) {
	if s.locked {
		return
	}
	if of, field := c.field(n); field != "" && !slices.Contains(fixedFields[of], field) {
		if s.method != nil {
			c.needs[s.method] = true
			return
		}
		c.t.Errorf("%s: uses %s.%s without the lock of the state", c.fset.Position(n.Pos()), of, field)
	}
	if m, is := c.info.Uses[n.Sel].(*types.Func); is {
		if recv := m.Signature().Recv(); recv != nil {
			if _, belongs := fixedFields[typeName(recv.Type())]; belongs {
				c.uses = append(c.uses, methodUse{m, s.method, n.Pos()})
			}
		}
	}
}
