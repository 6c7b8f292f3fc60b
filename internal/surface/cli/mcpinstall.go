package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/mcpconfig"
)

const mostSettings = 16 << 20 // bytes of a client's file

// placed says what became of an entry, for --json.
type placed struct {
	Client  string `json:"client,omitempty"`
	File    string `json:"file,omitempty"`
	Entry   string `json:"entry,omitempty"` // as the file holds it
	Written bool   `json:"written"`
	Removed bool   `json:"removed,omitempty"`
	Backup  string `json:"backup,omitempty"` // the file as it was
}

// placing is the flags of mcp install.
type placing struct {
	client, name, file string
	write, remove      bool
	tools              []string
	readOnly           bool
	to                 reach
}

func (r *root) mcpInstall() *cobra.Command {
	p := placing{to: reach{trusts: true}}
	c := &cobra.Command{
		Use:   "install",
		Short: "Show the entry that tells an MCP client of Glovebox, or write it",
		Long: "Shows the entry for a client's settings, and where it belongs. With --write it is put there: whatever else\n" +
			"the file holds stays as it is, a copy of it is kept beside it, and a file that cannot be read is left alone.\n\n" +
			"Clients: " + strings.Join(mcpconfig.Names(), ", ") + ".\nWithout --client it shows what most others take.",
		Example: "  glovebox mcp install --client cursor --allow example.com\n  glovebox mcp install --client vscode --file .vscode/mcp.json --write\n  glovebox mcp install --client codex --remove --write\n  glovebox mcp install --client claude-code --tools +debug --json",
		Args:    between(0, 0),
		RunE:    func(*cobra.Command, []string) error { return r.place(p) },
	}
	f := c.Flags()
	f.StringVar(&p.client, "client", "", "whose settings: "+strings.Join(mcpconfig.Names(), ", "))
	f.StringVar(&p.file, "file", "", "the settings, in place of the user's: a project's, for example")
	f.StringVar(&p.name, "name", "glovebox", "of the entry")
	f.BoolVar(&p.write, "write", false, "write it")
	f.BoolVar(&p.remove, "remove", false, "take the entry out instead")
	f.StringSliceVar(&p.tools, "tools", nil, "groups of tools for the entry, as glovebox mcp has them")
	f.BoolVar(&p.readOnly, "read-only", false, "sessions of this client only read")
	p.to.flags(c)
	return c
}

func (r *root) place(p placing) error {
	if p.name == "" || strings.ContainsFunc(p.name, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_')
	}) {
		return fault.New(fault.InvalidRequest, "name must be letters, digits, - and _").Hinted("leave it out, or give another").With("field", "name")
	}
	conf, err := r.sound(p)
	if err != nil {
		return err
	}
	command, err := r.commandOf(p, conf)
	if err != nil {
		return err
	}
	if p.client == "" {
		return r.showPlain(p, command)
	}
	client, err := mcpconfig.Find(p.client)
	if err != nil {
		return err
	}
	if p.file == "" {
		home, known := r.env("HOME")
		if !known || home == "" {
			return fault.New(fault.InvalidRequest, "there is no home directory").Hinted("give --file")
		}
		p.file = client.File(home)
	}
	text, err := client.Text(command)
	if err != nil {
		return err
	}
	done := placed{Client: client.Name, File: p.file, Entry: text}
	if p.write {
		if err := done.write(client, command, p.remove); err != nil {
			return err
		}
	}
	return r.print(action.Result{Data: done}, func(action.Result) { r.showPlaced(client, p, done) })
}

// commandOf is how a client starts us: by the path of this program, since
// clients have a search path of their own.
func (r *root) commandOf(p placing, conf config.Config) (mcpconfig.Command, error) {
	self, err := os.Executable()
	if err != nil {
		return mcpconfig.Command{}, fault.New(fault.Internal, "this program does not know where it is").Hinted("write its path into the entry by hand").Because(err)
	}
	command := mcpconfig.Command{Name: p.name, Path: self, Args: append([]string{"mcp"}, p.to.given()...)}
	if p.readOnly {
		command.Args = append(command.Args, "--read-only")
	}
	if len(p.tools) > 0 {
		command.Args = append(command.Args, "--tools", strings.Join(p.tools, ","))
	}
	if r.url != "" {
		command.Args = append(command.Args, "--gateway", r.url)
	}
	for _, file := range []struct{ flag, path string }{{"--ca", r.ca}, {"--config", r.configToCarry(conf)}} {
		if file.path == "" {
			continue
		}
		path, err := filepath.Abs(file.path)
		if err != nil {
			return command, fault.New(fault.InvalidRequest, "%s cannot be found", file.path).Hinted("give its whole path").Because(err)
		}
		command.Args = append(command.Args, file.flag, path)
	}
	command.Env = r.carried(conf)
	return command, nil
}

// showPlain shows what most clients take that are not known by name.
func (r *root) showPlain(p placing, command mcpconfig.Command) error {
	if p.write || p.remove || p.file != "" {
		return fault.New(fault.InvalidRequest, "client must say whose settings they are").Hinted("use one of %s", strings.Join(mcpconfig.Names(), ", ")).With("field", "client")
	}
	usual, err := mcpconfig.Find("cursor")
	if err != nil {
		return err
	}
	text, err := usual.Text(command)
	if err != nil {
		return err
	}
	return r.print(action.Result{Data: placed{Entry: text}}, func(action.Result) {
		r.printf("%s", text)
		r.sayWhereToAnswer()
		r.printf("%s\n", r.style.dim("For a client's own settings: --client "+strings.Join(mcpconfig.Names(), "|")))
	})
}

// sayWhereToAnswer says how a person gets to the agent's questions, and what of
// the environment the entry does not have.
func (r *root) sayWhereToAnswer() {
	for _, name := range r.secretsSet() {
		r.printf("%s %s is set here and may be a secret: it is not in the entry; set it for the client where it needs it\n", r.style.warn("note:"), name)
	}
	r.printf("%s\n", r.style.dim("You answer the agent's questions with: glovebox approvals watch"))
}

func (r *root) showPlaced(c mcpconfig.Client, p placing, done placed) {
	defer func() {
		if !p.remove {
			r.sayWhereToAnswer()
		}
	}()
	switch {
	case p.write && done.Written && p.remove:
		r.printf("%s no longer knows of it: %s\n", c.Title, clean(done.File))
	case p.write && done.Written:
		r.printf("%s\nwritten to %s\n", strings.TrimSuffix(done.Entry, "\n"), clean(done.File))
	case p.write:
		r.printf("nothing to change in %s\n", clean(done.File))
	case p.remove:
		r.printf("to take the entry %q out of %s, add --write\n", p.name, clean(done.File))
	default:
		r.printf("%s", done.Entry)
		r.printf("%s\n", r.style.dim("For "+c.Title+", in "+clean(done.File)+". To write it there, add --write."))
	}
	if done.Backup != "" {
		r.printf("%s\n", r.style.dim("as it was: "+clean(done.Backup)))
	}
	if done.Written {
		r.printf("%s\n", r.style.dim("Start "+c.Title+" anew to have it read."))
	}
}

// write changes a client's file: whole or not at all, with a copy of what it
// was beside it. A link is followed, so that settings kept elsewhere stay there.
func (d *placed) write(c mcpconfig.Client, command mcpconfig.Command, remove bool) error {
	path := d.File
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	before, mode, err := settings(path)
	if err != nil {
		return err
	}
	after, err := c.Add(before, command)
	if remove {
		after, err = c.Remove(before, command.Name)
	}
	if err != nil || after == before {
		return err
	}
	if before != "" {
		d.Backup = path + ".before-glovebox"
		if err := replace(d.Backup, []byte(before), mode); err != nil {
			return unplaced(d.Backup, err)
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return unplaced(path, err)
	}
	if err := replace(path, []byte(after), mode); err != nil {
		return unplaced(path, err)
	}
	d.Written, d.Removed = true, remove
	return nil
}

// settings reads a client's file; one that is not there is empty.
func settings(path string) (text string, mode fs.FileMode, err error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", 0o600, nil
	}
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostSettings {
		return "", 0, fault.New(fault.InvalidRequest, "%s is no file that can be changed", path).Hinted("give another with --file").Because(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", 0, fault.New(fault.InvalidRequest, "%s cannot be read", path).Hinted("give another with --file").Because(err)
	}
	return string(data), info.Mode().Perm(), nil
}

// replace writes a file beside the one there is, and takes its place: it is there
// whole or not at all.
func replace(path string, text []byte, mode fs.FileMode) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".glovebox-*")
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

func unplaced(path string, err error) error {
	return fault.New(fault.InvalidRequest, "%s cannot be written", path).Hinted("give another with --file, or add the entry by hand").Because(err)
}
