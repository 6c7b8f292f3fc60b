package cli

import (
	"errors"
	"fmt"
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

// mcpCommands put the gateway into the configuration of MCP clients.
type mcpCommands struct{ *environment }

const maxSettingsFile = 16 << 20 // bytes of a client's file

// placement is the result of writing an entry, for --json.
type placement struct {
	Client  string `json:"client,omitempty"`
	File    string `json:"file,omitempty"`
	Entry   string `json:"entry,omitempty"` // as the file holds it
	Written bool   `json:"written"`
	Removed bool   `json:"removed,omitempty"`
	Backup  string `json:"backup,omitempty"` // the file as it was
}

// placementRequest is the flags of mcp install.
type placementRequest struct {
	client, name, file string
	write, remove      bool
	tools              []string
	readOnly           bool
	to                 allowFlags
}

func (cmd mcpCommands) install() *cobra.Command {
	p := placementRequest{to: allowFlags{trusts: true}}
	c := &cobra.Command{
		Use:   "install",
		Short: "Show the entry that tells an MCP client of Glovebox, or write it",
		Long: "Shows the entry for a client's settings, and where it belongs. With --write it is put there: whatever else\n" +
			"the file holds stays as it is, a copy of it is kept beside it, and a file that cannot be read is left alone.\n\n" +
			"Clients: " + strings.Join(mcpconfig.Names(), ", ") + ".\nWithout --client it shows what most others take.",
		Example: "  glovebox mcp install --client cursor --allow example.com\n  glovebox mcp install --client vscode --file .vscode/mcp.json --write\n  glovebox mcp install --client codex --remove --write\n  glovebox mcp install --client claude-code --tools +debug --json",
		Args:    between(0, 0),
		RunE:    func(*cobra.Command, []string) error { return cmd.place(p) },
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

func (cmd mcpCommands) place(p placementRequest) error {
	if p.name == "" || strings.ContainsFunc(p.name, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_')
	}) {
		return fault.New(fault.InvalidRequest, "name must be letters, digits, - and _").Hinted("leave it out, or give another").With("field", "name")
	}
	for _, server := range p.to.implyPrivate() {
		fmt.Fprintf(cmd.io.Err, "%s is a local server: the entry has --allow-private %s\n", server, server)
	}
	conf, err := cmd.check(p)
	if err != nil {
		return err
	}
	command, err := cmd.commandOf(p, conf)
	if err != nil {
		return err
	}
	if p.client == "" {
		return cmd.showPlain(p, command)
	}
	client, err := mcpconfig.Find(p.client)
	if err != nil {
		return err
	}
	if p.file == "" {
		home, known := cmd.vars("HOME")
		if !known || home == "" {
			return fault.New(fault.InvalidRequest, "there is no home directory").Hinted("give --file")
		}
		p.file = client.File(home)
	}
	text, err := client.Text(command)
	if err != nil {
		return err
	}
	done := placement{Client: client.Name, File: p.file, Entry: text}
	if p.write {
		if err := done.write(client, command, p.remove); err != nil {
			return err
		}
	}
	return cmd.print(action.Result{Data: done}, func(action.Result) { cmd.showPlaced(client, p, done) })
}

// commandOf returns the command by which a client starts the MCP server. It has the
// full path of this program, since clients have a search path of their own.
func (cmd mcpCommands) commandOf(p placementRequest, conf config.Config) (mcpconfig.Command, error) {
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
	if cmd.url != "" {
		command.Args = append(command.Args, "--gateway", cmd.url)
	}
	for _, file := range []struct{ flag, path string }{{"--ca", cmd.ca}, {"--config", cmd.configToCarry(conf)}} {
		if file.path == "" {
			continue
		}
		path, err := filepath.Abs(file.path)
		if err != nil {
			return command, fault.New(fault.InvalidRequest, "%s cannot be found", file.path).Hinted("give its whole path").Because(err)
		}
		command.Args = append(command.Args, file.flag, path)
	}
	command.Env = cmd.carriedVariables(conf)
	return command, nil
}

// showPlain prints the entry in the form that most other clients accept.
func (cmd mcpCommands) showPlain(p placementRequest, command mcpconfig.Command) error {
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
	return cmd.print(action.Result{Data: placement{Entry: text}}, func(action.Result) {
		cmd.printf("%s", text)
		cmd.sayWhereToAnswer()
		cmd.printf("%s\n", cmd.style.dim("For a client's own settings: --client "+strings.Join(mcpconfig.Names(), "|")))
	})
}

// sayWhereToAnswer says how a person answers the agent's questions, and which
// variables the entry does not have.
func (cmd mcpCommands) sayWhereToAnswer() {
	for _, name := range cmd.secretsSet() {
		cmd.printf("%s %s is set here and may be a secret: it is not in the entry; set it for the client where it needs it\n", cmd.style.warn("note:"), name)
	}
	cmd.printf("%s\n", cmd.style.dim("You answer the agent's questions with: glovebox approvals watch"))
}

func (cmd mcpCommands) showPlaced(c mcpconfig.Client, p placementRequest, done placement) {
	defer func() {
		if !p.remove {
			cmd.sayWhereToAnswer()
		}
	}()
	switch {
	case p.write && done.Written && p.remove:
		cmd.printf("%s no longer knows of it: %s\n", c.Title, clean(done.File))
	case p.write && done.Written:
		cmd.printf("%s\nwritten to %s\n", strings.TrimSuffix(done.Entry, "\n"), clean(done.File))
	case p.write:
		cmd.printf("nothing to change in %s\n", clean(done.File))
	case p.remove:
		cmd.printf("to take the entry %q out of %s, add --write\n", p.name, clean(done.File))
	default:
		cmd.printf("%s", done.Entry)
		cmd.printf("%s\n", cmd.style.dim("For "+c.Title+", in "+clean(done.File)+". To write it there, add --write."))
	}
	if done.Backup != "" {
		cmd.printf("%s\n", cmd.style.dim("as it was: "+clean(done.Backup)))
	}
	if done.Written {
		cmd.printf("%s\n", cmd.style.dim("Start "+c.Title+" anew to have it read."))
	}
}

// write changes a client's file completely or not at all, and keeps a copy of the
// file beside it. It follows links, so that settings kept elsewhere stay there.
func (d *placement) write(c mcpconfig.Client, command mcpconfig.Command, remove bool) error {
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
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSettingsFile {
		return "", 0, fault.New(fault.InvalidRequest, "%s is no file that can be changed", path).Hinted("give another with --file").Because(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", 0, fault.New(fault.InvalidRequest, "%s cannot be read", path).Hinted("give another with --file").Because(err)
	}
	return string(data), info.Mode().Perm(), nil
}

// replace replaces a file by renaming a new one, so that it is complete at any time.
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
