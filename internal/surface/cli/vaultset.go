package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const mostDocument = 1 << 20 // bytes of a document that is read

// namedSecrets are the secrets that are given by name; their values are asked for.
type namedSecrets struct {
	cookies, headers, local, session, login []string

	file, origin, fill string
	subdomains         bool
	httpAuth           bool
	optional           bool
}

func (cmd vaultCommands) set() *cobra.Command {
	var n namedSecrets
	var scope string
	c := &cobra.Command{
		Use: "set <domain>", Short: "Keep the credentials of a domain, in place of those before", Args: between(1, 1),
		Long: "Keeps the credentials of a domain, in place of those before. Name what there is (--cookie, --header, --login …)\n" +
			"and the values are asked for without showing them, or read from standard input, one on a line in the order of\n" +
			"this help. Without such names a whole document is read, JSON or YAML (docs/credentials.md). Values are never\n" +
			"taken from the command line, which others on the machine can read.",
		Example: "  glovebox vault set github.com --cookie user_session\n" +
			"  glovebox vault set api.example.com --header Authorization\n" +
			"  glovebox vault set example.com --login username --login password --login totp\n" +
			"  glovebox vault set router.example.com --http-auth\n" +
			"  glovebox vault set example.com --file credentials.yaml\n" +
			"  sops decrypt example.yaml | glovebox vault set example.com",
	}
	scopeFlag(c, &scope)
	f := c.Flags()
	f.StringVarP(&n.file, "file", "f", "", "file of a whole document; - for standard input")
	f.StringArrayVar(&n.cookies, "cookie", nil, "name of a cookie: for that host alone, out of scripts' reach, over https only unless --origin is http")
	f.StringArrayVar(&n.headers, "header", nil, "name of a header")
	f.StringArrayVar(&n.local, "local-storage", nil, "name of an entry of localStorage")
	f.StringArrayVar(&n.session, "session-storage", nil, "name of an entry of sessionStorage")
	f.StringArrayVar(&n.login, "login", nil, "name of what is typed into a form: username, password, totp")
	f.BoolVar(&n.httpAuth, "http-auth", false, "a user name and password that answer HTTP authentication (Basic, Digest) of the origin")
	f.StringVar(&n.origin, "origin", "", "which headers, storage and HTTP authentication are for, where it is not https:// and the domain: http://localhost:3000")
	f.StringVar(&n.fill, "fill", "", "ask a person each time something is typed into a form (default), or allow")
	f.BoolVar(&n.subdomains, "subdomains", false, "let sub-domains have the cookies too")
	f.BoolVar(&n.optional, "optional", false, "let sessions go on where the credentials cannot be put into the browser")
	c.RunE = func(c *cobra.Command, args []string) error { return cmd.setCredentials(c.Context(), scope, args[0], n) }
	return c
}

func (cmd vaultCommands) setCredentials(ctx context.Context, scope, domain string, n namedSecrets) error {
	v, err := cmd.openVault()
	if err != nil {
		return err
	}
	defer v.Close(ctx)
	text, err := cmd.document(domain, n)
	if err != nil {
		return err
	}
	kept, err := v.Set(ctx, scope, domain, text)
	if err != nil {
		return err
	}
	return cmd.print(action.Result{Data: kept}, func(action.Result) {
		cmd.printf("%s %s keeps for %s: %s\n", cmd.style.good("ok"), v.Source(), clean(kept.Domain), amounts(action.CredentialCounts(kept.Counts)))
		if kept.Problem != "" {
			cmd.printf("%s %s\n", cmd.style.warn("but"), clean(kept.Problem))
		}
	})
}

// document returns the text of the credentials: from a file, or made of the named
// secrets.
func (cmd vaultCommands) document(domain string, n namedSecrets) ([]byte, error) {
	names := len(n.cookies) + len(n.headers) + len(n.local) + len(n.session) + len(n.login)
	if n.httpAuth {
		names++
	}
	switch {
	case names == 0 && (n.origin != "" || n.fill != "" || n.subdomains || n.optional):
		return nil, usage(errors.New("a whole document says that itself; leave --origin, --fill, --subdomains and --optional out"))
	case names == 0:
		return cmd.wholeDocument(n.file)
	case n.file != "":
		return nil, usage(errors.New("--file is a whole document; leave out what is named beside it"))
	}
	for _, name := range append(append(append(append(n.cookies, n.headers...), n.local...), n.session...), n.login...) {
		if strings.ContainsRune(name, '=') {
			return nil, usage(errors.New("give names without values: they are asked for, because others on the machine can read the command line"))
		}
	}
	return cmd.asked(domain, n)
}

func (cmd vaultCommands) wholeDocument(file string) ([]byte, error) {
	from := cmd.io.In
	if _, is := cmd.keyboard(); is && file == "" {
		return nil, usage(errors.New("name what there is (--cookie, --header, --login), or give a document: --file, or standard input"))
	}
	if file != "" && file != "-" {
		opened, err := os.Open(file)
		if err != nil {
			return nil, fault.New(fault.InvalidRequest, "the file cannot be read").Hinted("see that %s is there and yours to read", file).Because(err)
		}
		defer opened.Close()
		from = opened
	}
	text, err := io.ReadAll(io.LimitReader(from, mostDocument+1))
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "the document cannot be read").Because(err)
	}
	return text, nil
}

// asked makes a document of names, and of values that it asks for.
func (cmd vaultCommands) asked(domain string, n namedSecrets) ([]byte, error) {
	ask := cmd.asker()
	document := map[string]any{"domain": domain, "required": !n.optional}
	var cookies []map[string]any
	for _, name := range n.cookies {
		value, err := ask("cookie " + name)
		if err != nil {
			return nil, err
		}
		cookie := map[string]any{"name": name, "value": value, "httpOnly": true, "secure": !strings.HasPrefix(n.origin, "http:")}
		if n.subdomains {
			cookie["domain"] = "." + strings.ToLower(domain)
		}
		cookies = append(cookies, cookie)
	}
	if len(cookies) > 0 {
		document["cookies"] = cookies
	}
	for _, kind := range []struct {
		field string
		names []string
	}{{"headers", n.headers}, {"localStorage", n.local}, {"sessionStorage", n.session}, {"login", n.login}, {"httpAuth", n.authNames()}} {
		entries := map[string]string{}
		for _, name := range kind.names {
			value, err := ask(kind.field + " " + name)
			if err != nil {
				return nil, err
			}
			entries[name] = value
		}
		if len(entries) > 0 {
			document[kind.field] = entries
		}
	}
	for field, text := range map[string]string{"origin": n.origin, "fill": n.fill} {
		if text != "" {
			document[field] = text
		}
	}
	text, err := json.Marshal(document)
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "the values are no text")
	}
	return text, nil
}

// authNames are the values that HTTP authentication needs.
func (n namedSecrets) authNames() []string {
	if !n.httpAuth {
		return nil
	}
	return []string{"username", "password"}
}

// keyboard returns the descriptor of standard input where a person types there.
func (cmd vaultCommands) keyboard() (fd int, is bool) {
	file, ok := cmd.io.In.(*os.File)
	if !ok {
		return 0, false
	}
	return int(file.Fd()), term.IsTerminal(int(file.Fd()))
}

// asker returns a function that reads one value after another: from the terminal
// without showing it, or a line of standard input.
func (cmd vaultCommands) asker() func(what string) (string, error) {
	fd, is := cmd.keyboard()
	lines := bufio.NewReader(io.LimitReader(cmd.io.In, mostDocument))
	return func(what string) (string, error) {
		var value string
		var err error
		if is {
			var typed []byte
			fmt.Fprintf(cmd.io.Err, "%s: ", clean(what))
			typed, err = term.ReadPassword(fd)
			value = string(typed)
			fmt.Fprintln(cmd.io.Err)
		} else {
			value, err = lines.ReadString('\n')
			value = strings.TrimSuffix(strings.TrimSuffix(value, "\n"), "\r")
		}
		if !utf8.ValidString(value) {
			return "", fault.New(fault.InvalidRequest, "the value of %s is no text in UTF-8", clean(what)).Hinted("nothing was kept")
		}
		if value == "" || err != nil && !errors.Is(err, io.EOF) {
			return "", fault.New(fault.InvalidRequest, "no value was given for %s", clean(what)).Hinted("give one on a line of its own; nothing was kept")
		}
		return value, nil
	}
}
