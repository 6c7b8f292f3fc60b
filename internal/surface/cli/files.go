package cli

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// fileCommands upload and download files.
type fileCommands struct{ *environment }

func (cmd fileCommands) commands() []*cobra.Command {
	group := &cobra.Command{Use: "downloads", Short: "List, fetch and cancel downloads", Args: between(0, 0), RunE: help}
	group.AddCommand(cmd.list(), cmd.get(), cmd.read(), cmd.cancel())
	return []*cobra.Command{cmd.upload(), group}
}

func (cmd fileCommands) upload() *cobra.Command {
	var w locatorFlags
	var limit time.Duration
	var call action.Upload
	c := verb(action.VerbPageUpload.Name, "upload [<element>] <local file>…",
		"glovebox upload e7 report.pdf\nglovebox upload 'input[type=file]' a.png b.png\nglovebox upload --role button --name 'Choose a file' report.pdf\nglovebox upload e7 --artifact 0123456789abcdef0123456789abcdef\nglovebox upload e7 --clear")
	c.Args = between(0, -1)
	w.flags(c)
	timeoutFlag(c, &limit)
	c.Flags().StringSliceVar(&call.Paths, "artifact", nil, "ids of artifacts to upload")
	c.Flags().BoolVar(&call.Clear, "clear", false, "take all files out of the input")
	c.RunE = func(c *cobra.Command, args []string) error {
		at, names, err := w.take(args)
		if err != nil {
			return err
		}
		call.Locator = at
		if call.Files, err = readFiles(names); err != nil {
			return usage(err)
		}
		call.Timing = timing(limit)
		return cmd.call(c.Context(), action.VerbPageUpload.Name, &call, func(result action.Result) {
			if got, ok := result.Data.(*action.Uploaded); ok {
				for _, f := range got.Files {
					cmd.printf("%s %s %d bytes, sha256 %s\n", cmd.style.good("ok"), short(f.Name, 80), f.Size, short(f.SHA256, 64))
				}
			}
			pageCommands(cmd).showPage(result)
		})
	}
	return c
}

// readFiles reads files of this machine, no more than one upload takes.
func readFiles(names []string) ([]action.NewFile, error) {
	var files []action.NewFile
	left := int64(action.MostUpload)
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(io.LimitReader(file, left+1))
		if err := errors.Join(err, file.Close()); err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", name, err)
		}
		if left -= int64(len(content)); left < 0 {
			return nil, fmt.Errorf("the files have more than %d bytes together", action.MostUpload)
		}
		files = append(files, action.NewFile{Name: filepath.Base(name), MediaType: mime.TypeByExtension(filepath.Ext(name)), Bytes: content})
	}
	return files, nil
}

func (cmd fileCommands) list() *cobra.Command {
	var wait time.Duration
	c := verb(action.VerbDownloadList.Name, "list", "glovebox downloads list\nglovebox downloads list --wait 10s")
	c.Args = between(0, 0)
	c.Flags().DurationVar(&wait, "wait", 0, "wait so long for running downloads, at most 20s")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return cmd.call(c.Context(), action.VerbDownloadList.Name, &action.DownloadList{Wait: int(wait.Milliseconds())}, func(result action.Result) {
			if got, ok := result.Data.(*action.DownloadListing); ok {
				table(cmd.environment, "no downloads", "DOWNLOAD\tNAME\tSTATE\tBYTES\tFROM", got.Downloads, func(d action.Download) []any {
					return []any{short(d.ID, 64), short(d.Name, 40), short(d.State, 12), d.Received, short(d.URL, 80)}
				})
			}
		})
	}
	return c
}

func (cmd fileCommands) get() *cobra.Command {
	var out string
	c := verb(action.VerbDownloadGet.Name, "get <id>", "glovebox downloads get 5b1b0a3e-6e0d-4d0c-8f3a-2b1c0d9e8f70\nglovebox downloads get 5b1b0a3e-6e0d-4d0c-8f3a-2b1c0d9e8f70 -o report.pdf")
	c.Args = between(1, 1)
	outputFlag(c, &out, ownName)
	c.RunE = func(c *cobra.Command, args []string) error {
		return cmd.save(c.Context(), action.VerbDownloadGet.Name, &action.ByID{ID: args[0]}, func(result action.Result) (string, []byte, string) {
			got, ok := result.Data.(*action.File)
			if !ok {
				return "", nil, ""
			}
			return first(out, unused(filepath.Base(got.Name))), got.Bytes, "artifact " + short(got.ID, 64) + ", "
		})
	}
	return c
}

// unused returns a name that no file in this folder has: a page chose the name, and
// must not overwrite a file.
func unused(name string) string {
	for n := 0; ; n++ {
		try := name
		if n > 0 {
			try = fmt.Sprintf("%s.%d", name, n)
		}
		if _, err := os.Lstat(try); errors.Is(err, os.ErrNotExist) {
			return try
		}
	}
}

func (cmd fileCommands) read() *cobra.Command {
	var part action.DownloadRead
	c := verb(action.VerbDownloadRead.Name, "read <id>", "glovebox downloads read 5b1b0a3e-6e0d-4d0c-8f3a-2b1c0d9e8f70\nglovebox downloads read 5b1b0a3e-6e0d-4d0c-8f3a-2b1c0d9e8f70 --offset 20480")
	c.Args = between(1, 1)
	c.Flags().IntVar(&part.MaxTokens, "max-tokens", 0, "tokens of the text at most, 500 to 24000")
	c.Flags().IntVar(&part.Offset, "offset", 0, "where to go on, as the part before says")
	c.RunE = func(c *cobra.Command, args []string) error {
		part.ID = args[0]
		return cmd.call(c.Context(), action.VerbDownloadRead.Name, &part, func(result action.Result) {
			if got, ok := result.Data.(*action.DownloadText); ok {
				cmd.printf("%s\n", clean(got.Text))
			}
		})
	}
	return c
}

func (cmd fileCommands) cancel() *cobra.Command {
	c := verb(action.VerbDownloadCancel.Name, "cancel <id>", "glovebox downloads cancel 5b1b0a3e-6e0d-4d0c-8f3a-2b1c0d9e8f70")
	c.Args = between(1, 1)
	c.RunE = func(c *cobra.Command, args []string) error {
		return cmd.call(c.Context(), action.VerbDownloadCancel.Name, &action.ByID{ID: args[0]}, func(action.Result) {
			cmd.printf("%s\n", cmd.style.good("ok"))
		})
	}
	return c
}
