package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/replay"
)

const (
	replayPart = 1000      // records of one call; action.SessionReplay
	mostExport = 256 << 20 // bytes of a file; a browser that opens it needs several times as much memory
)

// errBounded is the fault of a replay that is larger than it may be.
func errBounded(most int64) error {
	return fault.New(fault.LimitReached, "the replay is larger than %d bytes", most).
		Hinted("leave the pictures out with --no-pictures, or give a larger --max-bytes")
}

func (cmd sessionCommands) replay() *cobra.Command {
	c := verb(action.VerbSessionReplay.Name, "replay [<session>]", "glovebox session replay invoices\nglovebox session replay invoices --json > invoices.json")
	c.Args = between(0, 1)
	c.RunE = func(c *cobra.Command, args []string) error {
		gateway, err := cmd.client(operatorToken)
		if err != nil {
			return err
		}
		cmd.target = first(append(args, cmd.target)...)
		if cmd.json {
			parts, err := cmd.replayParts(c.Context(), gateway, mostExport)
			if err != nil {
				return err
			}
			whole := joined(parts)
			return encode(cmd.io.Out, action.Result{Session: whole.Session.ID, Data: whole})
		}
		return cmd.eachPart(c.Context(), func(call action.Call) (action.Result, error) {
			return cmd.send(c.Context(), gateway, call)
		}, cmd.showReplay)
	}
	return c
}

// eachPart calls show with each part of the replay of the session.
func (cmd sessionCommands) eachPart(ctx context.Context, send func(action.Call) (action.Result, error), show func(*action.Replay) error) error {
	args := action.SessionReplay{Limit: replayPart}
	for ctx.Err() == nil {
		result, err := send(action.Call{Verb: action.VerbSessionReplay.Name, Session: cmd.target, Surface: "cli", Args: &args})
		if err != nil {
			return err
		}
		part, is := result.Data.(*action.Replay)
		if !is || part.Next != "" && part.Next == args.Cursor {
			return fault.New(fault.Internal, "the gateway's answer is not a part of a replay").Hinted("use the same version of glovebox for gateway and client")
		}
		if err := show(part); err != nil || part.Next == "" {
			return err
		}
		cmd.target = part.Session.ID // a name may mean another session later
		args = action.SessionReplay{Cursor: part.Next, Limit: replayPart}
	}
	return ctx.Err()
}

func (cmd sessionCommands) showReplay(part *action.Replay) error {
	if t := part.Trail; t != nil {
		cmd.showSession(action.Result{Data: &part.Session})
		cmd.printf("%s, head %s, digest %s\n", count(int(t.Count), "record"), t.Hash, t.Digest)
	}
	for _, r := range part.Records {
		auditCommands(cmd).record(r.Record)
	}
	return nil
}

// replayParts returns all parts of the replay of the session, with the texts as they
// were sent.
func (cmd sessionCommands) replayParts(ctx context.Context, gateway caller, most int64) (parts []*action.Replay, err error) {
	var size int64
	err = cmd.eachPart(ctx, func(call action.Call) (action.Result, error) { return gateway.Call(ctx, call) }, func(part *action.Replay) error {
		for _, r := range part.Records {
			size += int64(len(r.Line))
		}
		for _, seen := range part.Seen {
			size += int64(len(seen.Text))
		}
		if size > most {
			return errBounded(most)
		}
		parts = append(parts, part)
		return nil
	})
	return parts, err
}

// joined returns parts as one replay. It has no signature, since each part has its own.
func joined(parts []*action.Replay) *action.Replay {
	whole := &action.Replay{Session: parts[0].Session, Trail: parts[0].Trail, Records: []action.ReplayRecord{}, Pictures: []action.ReplayPicture{}, Seen: []action.Sight{}, Questions: []action.Question{}}
	known := map[string]bool{} // questions that whole has
	for _, part := range parts {
		whole.Seen = append(whole.Seen, part.Seen...)
		whole.Records, whole.Pictures = append(whole.Records, part.Records...), append(whole.Pictures, part.Pictures...)
		for _, q := range part.Questions {
			if !known[q.ID] {
				known[q.ID], whole.Questions = true, append(whole.Questions, q)
			}
		}
	}
	return whole
}

// exportFlags are the flags of session export.
type exportFlags struct {
	output     string
	force      bool
	noPictures bool
	maxBytes   int64
}

func (cmd sessionCommands) export() *cobra.Command {
	var f exportFlags
	c := verb(action.VerbSessionReplay.Name, "export [<session>]", "glovebox session export invoices\nglovebox session export invoices -o invoices.html --force\nglovebox session export invoices --no-pictures -o - | gzip > invoices.html.gz")
	c.Short = "Write the replay of a session as one HTML file that needs no gateway"
	c.Args = between(0, 1)
	outputFlag(c, &f.output, "replay-<session>.html")
	c.Flags().BoolVar(&f.force, "force", false, "replace the file if it exists")
	c.Flags().BoolVar(&f.noPictures, "no-pictures", false, "leave the screenshots out")
	c.Flags().Int64Var(&f.maxBytes, "max-bytes", mostExport, "size of the file at most")
	c.RunE = func(c *cobra.Command, args []string) error {
		gateway, err := cmd.client(operatorToken)
		if err != nil {
			return err
		}
		cmd.target = first(append(args, cmd.target)...)
		return cmd.exportReplay(c.Context(), gateway, f)
	}
	return c
}

func (cmd sessionCommands) exportReplay(ctx context.Context, gateway caller, f exportFlags) error {
	cmd.progress("reading the records…")
	parts, err := cmd.replayParts(ctx, gateway, f.maxBytes)
	if err != nil {
		return err
	}
	records, pictures := 0, 0
	for _, part := range parts {
		records, pictures = records+len(part.Records), pictures+len(part.Pictures)
	}
	write := func(to io.Writer) error {
		return replay.Write(&boundedWriter{to: to, left: f.maxBytes, most: f.maxBytes}, parts, cmd.pictures(ctx, gateway, f, pictures))
	}
	out := first(f.output, "replay-"+filepath.Base(parts[0].Session.ID)+".html")
	if out == "-" {
		return write(cmd.io.Out)
	}
	size, err := writeNew(out, f.force, write)
	if err != nil {
		return err
	}
	return cmd.print(action.Result{Data: map[string]any{"file": out, "bytes": size, "records": records}}, func(action.Result) {
		cmd.printf("%s %s, %d bytes in %s\n", cmd.style.good("exported:"), count(records, "record"), size, clean(out))
	})
}

// progress tells a person what an export does.
func (cmd sessionCommands) progress(words string) {
	if !cmd.quiet {
		fmt.Fprintln(cmd.io.Err, cmd.style.dim(words))
	}
}

// pictures returns the function that fetches the pictures of an export; nil where
// it has none.
func (cmd sessionCommands) pictures(ctx context.Context, gateway caller, f exportFlags, all int) replay.Pictures {
	if f.noPictures {
		return nil
	}
	n := 0
	return func(artifact string) (action.File, error) {
		n++
		cmd.progress(fmt.Sprintf("picture %d of %d…", n, all))
		result, err := gateway.Call(ctx, action.Call{Verb: action.VerbArtifactGet.Name, Surface: "cli", Args: &action.ByID{ID: artifact}})
		if err != nil {
			return action.File{}, err
		}
		file, is := result.Data.(*action.File)
		if !is {
			return action.File{}, fault.New(fault.NotFound, "there is no picture")
		}
		return *file, nil
	}
}

// boundedWriter writes at most so many bytes, and refuses what is more with
// limit_reached.
type boundedWriter struct {
	to         io.Writer
	left, most int64
}

func (b *boundedWriter) Write(p []byte) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, errBounded(b.most)
	}
	return b.to.Write(p)
}

// writeNew writes a file that only its owner may read, and returns its size. The file is
// complete or not there. A file that exists is replaced only by force.
func writeNew(out string, force bool, write func(io.Writer) error) (size int64, err error) {
	if !force { // the name is reserved, so that no file of another program is replaced
		reserved, err := os.OpenFile(out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) {
			return 0, fault.New(fault.InvalidRequest, "%s exists", out).Hinted("give another file with --output, or replace it with --force")
		}
		if err != nil {
			return 0, notWritten(out, err)
		}
		_ = reserved.Close()
	}
	if size, err = writeWhole(out, write); err == nil {
		return size, nil
	}
	if !force {
		_ = os.Remove(out)
	}
	var f *fault.Fault
	if errors.As(err, &f) {
		return 0, f
	}
	return 0, notWritten(out, err)
}

// writeWhole writes a file that only its owner may read, and returns its size. The file is
// complete or stays as it was.
func writeWhole(out string, write func(io.Writer) error) (size int64, err error) {
	file, err := os.CreateTemp(filepath.Dir(out), ".export-*") // mode 0600
	if err != nil {
		return 0, notWritten(out, err)
	}
	defer func() { _ = os.Remove(file.Name()) }()
	err = write(file)
	if info, failed := file.Stat(); failed == nil {
		size = info.Size()
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return 0, err
	}
	if err := os.Rename(file.Name(), out); err != nil {
		return 0, notWritten(out, err)
	}
	return size, nil
}

func notWritten(out string, err error) error {
	return fault.New(fault.InvalidRequest, "cannot write %s: %s", out, err)
}
