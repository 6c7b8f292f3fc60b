package installed

import (
	"bufio"
	"fmt"
	"net"
	"net/mail"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox/bench/journeys/apps"
	"github.com/gloveboxhq/glovebox/bench/peer"
)

const imapSettings = `base_dir = %[1]s/run
state_dir = %[1]s/state
log_path = %[1]s/imap.log
ssl = no
disable_plaintext_auth = no
protocols = imap
default_internal_user = %[2]s
default_internal_group = %[3]s
default_login_user = %[4]s
first_valid_uid = 0
first_valid_gid = 0
mail_location = maildir:%[1]s/mail
service imap-login {
  inet_listener imap {
    address = 127.0.0.1
    port = %[5]s
  }
  inet_listener imaps {
    port = 0
  }
}
passdb {
  driver = static
  args = password=%[6]s
}
userdb {
  driver = static
  args = uid=%[7]s gid=%[8]s home=%[1]s/mail
}
namespace inbox {
  inbox = yes
  mailbox Drafts {
    auto = subscribe
  }
  mailbox Sent {
    auto = subscribe
  }
  mailbox Trash {
    auto = subscribe
  }
  mailbox Receipts {
    auto = subscribe
  }
}
`

const webmailSettings = `<?php
$config = [];
$config['db_dsnw'] = 'sqlite:///%[1]s/webmail.db?mode=0600';
$config['imap_host'] = '127.0.0.1:%[2]s';
$config['smtp_host'] = '%[3]s';
$config['smtp_user'] = '';
$config['smtp_pass'] = '';
$config['des_key'] = 'twentyfourcharactersonly';
$config['temp_dir'] = '%[1]s/temp';
$config['log_dir'] = '%[1]s/log';
$config['product_name'] = 'Webmail';
$config['plugins'] = [];
$config['skin'] = 'elastic';
$config['mail_domain'] = 'owners.example';
$config['enable_spellcheck'] = false;
$config['check_all_folders'] = true;
`

// Roundcube is Debian's roundcube, with Dovecot for the mail and a server that
// takes what is sent. Who signs in is "ann".
func Roundcube(tb testing.TB, _ string) *App {
	tb.Helper()
	home, address, imap := peer.NewHome(tb), freeAddress(tb), freeAddress(tb)
	dir := home.Path()
	site, out := filepath.Join(dir, "site"), startIMAP(tb, home, imap)
	sent := openOutbox(tb)
	// A link of the package is for a compiler of style sheets that it only recommends.
	runs(tb, dir, "sh", "-c", "cp -rL --no-preserve=mode,ownership /usr/share/roundcube site 2>/dev/null; test -f site/index.php && rm -rf site/installer && mkdir -p site/config log temp && cp -L /etc/roundcube/defaults.inc.php /etc/roundcube/mimetypes.php site/config/")
	write(tb, site, map[string]string{
		"config/config.inc.php": fmt.Sprintf(webmailSettings, dir, portOf(imap), sent.address),
		"place.php":             "<?php define('INSTALL_PATH', __DIR__ . '/');", // in place of the package's own
	})
	a := newApp("http://"+address, nil, nil)
	a.state = func() (string, error) {
		mails, err := mailbox(filepath.Join(dir, "mail"))
		return mails + sent.String(), err
	}
	answers(tb, a.direct+"/index.php", php(tb, home, site, address, "-d", "auto_prepend_file="+filepath.Join(site, "place.php")))
	if _, err := os.Stat(filepath.Join(dir, "webmail.db")); err != nil {
		tb.Fatalf("Roundcube is not set up: %v\n%s", err, out)
	}
	return a
}

// startIMAP starts Dovecot with mail of its own. Run by root it gives its parts
// the users that its package brings.
func startIMAP(tb testing.TB, home *peer.Home, address string) *said {
	tb.Helper()
	dir := home.Path()
	me, err := user.Current()
	if err != nil {
		tb.Fatal(err)
	}
	internal, group, login, uid, gid := me.Username, me.Gid, me.Username, me.Uid, me.Gid
	if me.Uid == "0" {
		internal, group, login, uid, gid = "dovecot", "dovecot", "dovenull", "mail", "mail"
	}
	write(tb, dir, map[string]string{"imap.conf": fmt.Sprintf(imapSettings, dir, internal, group, login, portOf(address), apps.Password, uid, gid)})
	for i, m := range mails {
		text := fmt.Sprintf("From: %s\r\nTo: %s\r\nSubject: %s\r\nDate: %s\r\nMessage-ID: <%d@north.example>\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n%s\r\n", m.from, Owner, m.subject, m.date, i, m.text)
		write(tb, filepath.Join(dir, "mail"), map[string]string{fmt.Sprintf("cur/%d.M%d.host:2,S", 1767600000+i*3600, i): text, "new/.keep": "", "tmp/.keep": ""})
	}
	if me.Uid == "0" {
		runs(tb, dir, "chown", "-R", "mail:mail", "mail")
		runs(tb, dir, "chmod", "711", dir)
	}
	return starts(tb, home, "dovecot", "-F", "-c", filepath.Join(dir, "imap.conf"))
}

var mails = []struct{ from, subject, date, text string }{
	{"Ben North <ben@north.example>", "Lunch on Friday", "Mon, 05 Jan 2026 09:00:00 +0000", "Shall we meet at noon at the harbour?"},
	{"Seed shop <orders@seeds.example>", "Your receipt 4711", "Tue, 06 Jan 2026 10:00:00 +0000", "You paid 23.50 for seeds. Thank you."},
	{"Cara West <cara@west.example>", "Minutes of the meeting", "Wed, 07 Jan 2026 11:00:00 +0000", "We agreed on three beds and a hedge.\r\nThe hedge is yours."},
	{"Lucky Lottery <win@lottery.example>", "You won", "Thu, 08 Jan 2026 12:00:00 +0000", "Click now and send your bank details."},
	{"Ben North <ben@north.example>", "Photos of the boat", "Fri, 09 Jan 2026 13:00:00 +0000", "They are on the shared disk."},
}

// mailbox is a line for each mail: its folder, subject and flags.
func mailbox(dir string) (string, error) {
	var lines []string
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		parent := filepath.Base(filepath.Dir(path))
		if err != nil || entry.IsDir() || parent != "cur" && parent != "new" || entry.Name() == ".keep" {
			return nil // one that goes meanwhile is gone
		}
		file, err := os.Open(path)
		if err != nil {
			return nil
		}
		defer file.Close()
		message, err := mail.ReadMessage(file)
		if err != nil {
			return nil
		}
		box := strings.TrimPrefix(filepath.Base(filepath.Dir(filepath.Dir(path))), ".")
		_, flags, _ := strings.Cut(entry.Name(), ":2,")
		if box == "mail" {
			box = "INBOX"
		}
		lines = append(lines, fmt.Sprintf("%s: %s (%s)\n", box, message.Header.Get("Subject"), strings.ReplaceAll(flags, "S", "")))
		return nil
	})
	slices.Sort(lines)
	return strings.Join(lines, ""), err
}

// outbox takes mail by SMTP and keeps it.
type outbox struct {
	address string
	mu      sync.Mutex
	sent    []string
}

func openOutbox(tb testing.TB) *outbox {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	o := &outbox{address: listener.Addr().String()}
	var group sync.WaitGroup
	group.Go(func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return // it is closed
			}
			group.Go(func() { defer connection.Close(); o.take(connection) })
		}
	})
	tb.Cleanup(func() { _ = listener.Close(); group.Wait() })
	return o
}

// take speaks as much SMTP as a client needs to hand a mail over.
func (o *outbox) take(connection net.Conn) {
	lines := bufio.NewScanner(connection)
	say := func(text string) { fmt.Fprintf(connection, "%s\r\n", text) }
	var to []string
	say("220 outbox.test")
	for lines.Scan() {
		command := strings.ToUpper(lines.Text())
		switch {
		case strings.HasPrefix(command, "RCPT"):
			to = append(to, strings.Trim(lines.Text()[len("RCPT TO:"):], "<> "))
			say("250 ok")
		case command == "DATA":
			say("354 go on")
			var body strings.Builder
			for lines.Scan() && lines.Text() != "." {
				body.WriteString(lines.Text() + "\r\n")
			}
			o.keep(to, body.String())
			say("250 kept")
		case command == "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

func (o *outbox) keep(to []string, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	subject, attached := "", 0
	if message, err := mail.ReadMessage(strings.NewReader(text)); err == nil {
		subject = message.Header.Get("Subject")
	}
	attached = strings.Count(text, "Content-Disposition: attachment")
	o.sent = append(o.sent, fmt.Sprintf("sent to %s: %s, %d attached", strings.Join(to, " "), subject, attached))
}

// String is a line for each mail that was sent.
func (o *outbox) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.sent, "\n")
}
