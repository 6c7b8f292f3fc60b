// Package injected contains the script that runs in an isolated world of every
// frame, and the Go types of its queries and answers. The page is hostile. The
// world shares the page's DOM but none of its objects, reads layout without
// writing, and limits the size of its answers. It never returns values of
// protected fields, invisible Unicode characters, or text that no person could
// see.
package injected

import (
	"embed"
	"io/fs"
	"strings"
	"sync"
)

// World is the name of the isolated world in which Source is evaluated.
const World = "glovebox"

//go:embed js/*.js
var files embed.FS

// Source returns the script that defines the world's functions. Evaluating it a
// second time has no effect. It is put together when it is first needed, because
// most commands do not need it.
var Source = sync.OnceValue(assemble)

func assemble() string {
	var b strings.Builder
	b.WriteString("(() => {\n'use strict';\nif (Object.hasOwn(globalThis, '__glovebox')) return;\n")
	_ = fs.WalkDir(files, "js", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := files.ReadFile(path)
		b.Write(data)
		return err
	})
	b.WriteString("})();\n")
	return b.String()
}
