package action_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestTheFilterListsEveryKindOfRecord(t *testing.T) {
	field, _ := reflect.TypeFor[action.AuditFilter]().FieldByName("Event")
	if want := "Kind of record: " + strings.Join(action.AuditEvents, ", "); field.Tag.Get("doc") != want {
		t.Errorf("the filter's documentation is %q, want %q", field.Tag.Get("doc"), want)
	}
}

func TestEveryKindOfRecordIsListed(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "auditevent.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	kind, n := regexp.MustCompile(`^"[a-z]+"$`), 0
	ast.Inspect(file, func(node ast.Node) bool {
		if d, is := node.(*ast.GenDecl); is && d.Tok != token.CONST || isFunc(node) {
			return false
		}
		if text, ok := node.(*ast.BasicLit); ok && kind.MatchString(text.Value) {
			n++
		}
		return true
	})
	if n != len(action.AuditEvents) {
		t.Errorf("%d kinds, %d listed", n, len(action.AuditEvents))
	}
}

func isFunc(node ast.Node) bool {
	_, is := node.(*ast.FuncDecl)
	return is
}
