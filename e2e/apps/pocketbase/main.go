// Command pocketbase is PocketBase as its project builds it, for end-to-end
// tests. It is a module of its own, so that the product's does not need it.
package main

import (
	"fmt"
	"os"

	"github.com/pocketbase/pocketbase"
)

func main() {
	if err := pocketbase.New().Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
