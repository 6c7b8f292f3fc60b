package main

import (
	"strings"
	"testing"
)

const events = `{"Action":"start","Package":"github.com/gloveboxhq/glovebox/internal/gate"}
{"Action":"run","Package":"github.com/gloveboxhq/glovebox/internal/gate","Test":"TestSlow"}
{"Action":"pass","Package":"github.com/gloveboxhq/glovebox/internal/gate","Test":"TestSlow","Elapsed":12.3}
{"Action":"fail","Package":"github.com/gloveboxhq/glovebox/internal/gate","Test":"TestTable/it's_(odd)","Elapsed":1}
{"Action":"fail","Package":"github.com/gloveboxhq/glovebox/internal/gate","Test":"TestTable","Elapsed":2}
{"Action":"fail","Package":"github.com/gloveboxhq/glovebox/internal/gate","Test":"TestLucky/a part of the first try alone","Elapsed":3}
{"Action":"fail","Package":"github.com/gloveboxhq/glovebox/internal/gate","Test":"TestLucky","Elapsed":3}
{"Action":"fail","Package":"github.com/gloveboxhq/glovebox/internal/gate","Elapsed":20}
{"Action":"pass","Package":"github.com/gloveboxhq/glovebox/internal/gate","Test":"TestLucky","Elapsed":4}
{"Action":"fail","Package":"github.com/gloveboxhq/glovebox/internal/gate","Test":"TestTable/it's_(odd)","Elapsed":1}
{"Action":"fail","Package":"github.com/gloveboxhq/glovebox/internal/gate","Test":"TestTable","Elapsed":2}
{"Action":"fail","Package":"github.com/gloveboxhq/glovebox/internal/gate","Elapsed":5}
{"ImportPath":"github.com/gloveboxhq/glovebox/internal/jwt","Action":"build-output","Output":"x"}
{"Action":"skip","Package":"github.com/gloveboxhq/glovebox/internal/fault","Elapsed":0}
{"Action":"pass","Package":"github.com/gloveboxhq/glovebox/internal/jwt","Elapsed":0.4}
{"Action":"fail","Package":"github.com/gloveboxhq/glovebox/bench/tasks","Elapsed":600}
`

const want = `
=== Time of each package
   600 s  bench/tasks
    20 s  internal/gate
     0 s  1 others

=== Slowest tests
  12.3 s  internal/gate TestSlow
   4.0 s  internal/gate TestLucky
   2.0 s  internal/gate TestTable
flaky: internal/gate TestLucky failed 1 of 2 times

=== What failed, and how to run it alone
go -C bench test -count=1 ./tasks
go test -count=1 -run '^TestTable$/^it'\''s_\(odd\)$' ./internal/gate
`

func TestTheReportSaysWhatFailedAndHowToRunIt(t *testing.T) {
	var out strings.Builder
	if err := report(&out, strings.NewReader(events)); err != nil {
		t.Fatal(err)
	}
	if out.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", out.String(), want)
	}
}

func TestEventsThatCannotBeReadAreAnError(t *testing.T) {
	if err := report(&strings.Builder{}, strings.NewReader("ok  \tgate\n")); err == nil {
		t.Error("no error")
	}
}
