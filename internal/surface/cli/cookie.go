package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// cookieCommands list and change cookies.
type cookieCommands struct{ *environment }

const maxCookieFile = 1 << 20 // bytes of a file of cookies; the gateway accepts no more

func (cmd cookieCommands) commands() []*cobra.Command {
	group := &cobra.Command{Use: "cookies", Short: "List, set and delete the session's cookies", Args: between(0, 0), RunE: help}
	group.AddCommand(cmd.list(), cmd.set(), cmd.delete())
	return []*cobra.Command{group}
}

func (cmd cookieCommands) list() *cobra.Command {
	c := verb(action.VerbCookieList.Name, "list [<url>]", "glovebox cookies list\nglovebox cookies list https://app.example.com/account\nglovebox cookies list --json > cookies.json")
	c.Args = between(0, 1)
	c.RunE = func(c *cobra.Command, args []string) error {
		call := &action.CookieList{URL: first(args...)}
		return cmd.call(c.Context(), action.VerbCookieList.Name, call, func(result action.Result) {
			if got, ok := result.Data.(*action.CookieListing); ok {
				table(cmd.environment, "no cookies", "DOMAIN\tPATH\tNAME\tVALUE\tEXPIRES\tFLAGS", got.Cookies, func(k action.Cookie) []any {
					return []any{short(k.Domain, 40), short(k.Path, 30), short(k.Name, 40), short(k.Value, 40), expiry(k.Expires), flagsOf(k)}
				})
			}
		})
	}
	return c
}

func expiry(seconds float64) string {
	if seconds < 0 {
		return "session"
	}
	return time.Unix(int64(seconds), 0).Local().Format(time.DateTime)
}

func flagsOf(c action.Cookie) string {
	var flags []string
	if c.Secure {
		flags = append(flags, "secure")
	}
	if c.HTTPOnly {
		flags = append(flags, "httpOnly")
	}
	if c.SameSite != "" {
		flags = append(flags, c.SameSite)
	}
	return strings.Join(flags, " ")
}

func (cmd cookieCommands) set() *cobra.Command {
	var file string
	var one action.NewCookie
	var expires time.Duration
	c := verb(action.VerbCookieSet.Name, "set [<name>=<value>]",
		"glovebox cookies set theme=dark --domain .example.com --expires 24h\nglovebox cookies set --file cookies.json\npass show app/cookies | glovebox cookies set --file -")
	c.Long = "Sets a cookie for the page's host, or for --domain. Other users of this machine can see what stands on a\n" +
		"command line: put secrets in a file, or on standard input. The file is JSON as \"cookies list --json\" prints."
	c.Args = between(0, 1)
	f := c.Flags()
	f.StringVarP(&file, "file", "f", "", "a file of cookies; - is standard input")
	f.StringVar(&one.Domain, "domain", "", "host; with a leading dot its sub-domains too (default: the page's host)")
	f.StringVar(&one.Path, "path", "", "(default /)")
	f.DurationVar(&expires, "expires", 0, "how long it lasts (default: the session)")
	f.BoolVar(&one.Secure, "secure", false, "send it over TLS only")
	f.BoolVar(&one.HTTPOnly, "http-only", false, "hide it from scripts")
	f.StringVar(&one.SameSite, "same-site", "", "Strict, Lax or None")
	c.RunE = func(c *cobra.Command, args []string) error {
		call, err := cmd.toSet(file, args, one, expires)
		if err != nil {
			return err
		}
		return cmd.call(c.Context(), action.VerbCookieSet.Name, call, func(action.Result) {
			cmd.printf("%s %s set\n", cmd.style.good("ok"), count(len(call.Cookies), "cookie"))
		})
	}
	return c
}

// toSet makes the arguments of a call from a file or from the command line.
func (cmd cookieCommands) toSet(file string, args []string, one action.NewCookie, expires time.Duration) (*action.CookieSet, error) {
	if (file == "") == (len(args) == 0) {
		return nil, usage(errors.New("want either <name>=<value> or --file"))
	}
	if file != "" {
		return cmd.read(file)
	}
	name, value, found := strings.Cut(args[0], "=")
	if !found {
		return nil, usage(errors.New("want <name>=<value>"))
	}
	one.Name, one.Value = name, &value
	if expires != 0 {
		at := float64(time.Now().Add(expires).Unix())
		one.Expires = &at
	}
	return &action.CookieSet{Cookies: []action.NewCookie{one}}, nil
}

// read reads cookies from JSON, in the form of a call or of a listing.
func (cmd cookieCommands) read(path string) (*action.CookieSet, error) {
	source := cmd.io.In
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, usage(err)
		}
		defer file.Close()
		source = file
	}
	raw, err := io.ReadAll(io.LimitReader(source, maxCookieFile))
	if err != nil {
		return nil, usage(fmt.Errorf("cannot read %s: %w", path, err))
	}
	var listed struct {
		Data json.RawMessage `json:"data"`
	}
	if json.Unmarshal(raw, &listed) == nil && listed.Data != nil {
		raw = listed.Data
	}
	var set action.CookieSet
	return &set, action.Decode(raw, &set)
}

func (cmd cookieCommands) delete() *cobra.Command {
	var name, domain string
	var all bool
	c := verb(action.VerbCookieDelete.Name, "delete", "glovebox cookies delete --name theme\nglovebox cookies delete --domain example.com\nglovebox cookies delete --all")
	c.Args = between(0, 0)
	f := c.Flags()
	f.StringVar(&name, "name", "", "only cookies of this name")
	f.StringVar(&domain, "domain", "", "only cookies of this domain and its sub-domains")
	f.BoolVar(&all, "all", false, "all cookies of the session")
	c.RunE = func(c *cobra.Command, _ []string) error {
		var call action.CookieDelete
		if f.Changed("name") {
			call.Name = &name
		}
		if f.Changed("domain") {
			call.Domain = &domain
		}
		if all != (call.Name == nil && call.Domain == nil) {
			return usage(errors.New("want --name or --domain, or else --all"))
		}
		return cmd.call(c.Context(), action.VerbCookieDelete.Name, &call, func(result action.Result) {
			if got, ok := result.Data.(*action.CookiesDeleted); ok {
				cmd.printf("%s %s deleted\n", cmd.style.good("ok"), count(got.Deleted, "cookie"))
			}
		})
	}
	return c
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
