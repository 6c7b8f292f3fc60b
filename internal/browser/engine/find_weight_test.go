package engine_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestAnExpressionThatWouldTakeTheGatewaysTimeIsRefused(t *testing.T) {
	tr := start(t)
	tr.visit(fixture(t, "drag"))
	for _, heavy := range []string{`(.?){500}b`, `(?:(?:.?){30}){30}b`, `(?i)(?:\pL?){900}\pN{90}b`, `(?:a{0,20}){40}`} {
		tr.refuse(fault.InvalidRequest, "page.find", &action.Find{Regex: heavy})
	}
	tr.must("page.find", &action.Find{Regex: `(?i)\b(trash|bin)\b.{0,60}`})
}
