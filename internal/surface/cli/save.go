package cli

import (
	"context"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// What a file is named where --output is not given.
const (
	ownName          = "its own name, in this folder, if no file has it"
	toStandardOutput = "standard output"
)

// outputFlag is how every command that writes a file is told which.
func outputFlag(c *cobra.Command, path *string, otherwise string) {
	c.Flags().StringVarP(path, "output", "o", "", "file to write, - for standard output (default: "+otherwise+")")
}

// renamed reads flags by the names that they had before.
func renamed(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	if name == "out" {
		name = "output"
	}
	return pflag.NormalizedName(name)
}

// save makes a call whose answer is a file, and writes it. file says where,
// what it holds, and what is told of it; no path writes nothing, and - is
// standard output. With --json the answer is printed and no file is written.
func (r *root) save(ctx context.Context, verb string, args any, file func(action.Result) (path string, data []byte, about string)) error {
	var failed error
	err := r.call(ctx, verb, args, func(result action.Result) {
		switch path, data, about := file(result); path {
		case "":
		case "-":
			_, failed = r.io.Out.Write(data)
			r.io.Out = r.io.Err // what else is told must not be in the file
		default:
			if err := os.WriteFile(path, data, 0o644); err != nil {
				failed = fault.New(fault.InvalidRequest, "%s cannot be written", path).Hinted("give another file with --output").Because(err)
				return
			}
			r.printf("%s %s%d bytes\n", clean(path), about, len(data))
		}
	})
	if err != nil {
		return err
	}
	return failed
}
