package cli

import (
	"context"
	"os"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// save makes a call whose answer is a file, and writes it. file says where,
// what it holds, and what is told of it; no path writes nothing. With --json
// the answer is printed and no file is written.
func (r *root) save(ctx context.Context, verb string, args any, file func(action.Result) (path string, data []byte, about string)) error {
	var failed error
	err := r.call(ctx, verb, args, func(result action.Result) {
		path, data, about := file(result)
		if path == "" {
			return
		}
		if failed = os.WriteFile(path, data, 0o644); failed == nil {
			r.printf("%s %s%d bytes\n", clean(path), about, len(data))
		}
	})
	if err != nil {
		return err
	}
	return failed
}
