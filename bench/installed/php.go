package installed

import (
	"cmp"
	"crypto/md5"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/bench/journeys/apps"
	"github.com/gloveboxhq/glovebox/bench/peer"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// copied copies what a Debian package has, with the files that its links are
// for: PHP takes the folder of a file's own place.
func copied(tb testing.TB, from, to string) {
	tb.Helper()
	if _, err := os.Stat(from); err != nil {
		tb.Fatalf("%v (make test-apps installs it)", err)
	}
	runs(tb, "/", "cp", "-rL", "--no-preserve=mode,ownership", from, to)
}

// php serves a folder with PHP's own server.
func php(tb testing.TB, home *peer.Home, root, address string, options ...string) *said {
	tb.Helper()
	return starts(tb, home, "php", append(append([]string{"-d", "display_errors=0", "-d", "mail.add_x_header=0", "-d", "sendmail_path=/bin/true"}, options...), "-S", address, "-t", root)...)
}

// WordPress is Debian's wordpress, with a database of Debian's MariaDB that
// listens on a socket of its own.
func WordPress(tb testing.TB, origin string) *App {
	tb.Helper()
	home, address := peer.NewHome(tb), freeAddress(tb)
	dir := home.Path()
	socket := mariaDB(tb, home)
	root := filepath.Join(dir, "site")
	copied(tb, "/usr/share/wordpress", root)
	_ = os.MkdirAll(filepath.Join(root, "wp-content", "uploads"), 0o755)
	config := fmt.Sprintf(`<?php
define('DB_NAME', 'wordpress'); define('DB_USER', 'root'); define('DB_PASSWORD', ''); define('DB_HOST', 'localhost:%s'); define('DB_CHARSET', 'utf8mb4');
define('WP_HOME', '%s'); define('WP_SITEURL', '%s'); define('DISABLE_WP_CRON', true); define('WP_HTTP_BLOCK_EXTERNAL', true); define('AUTOMATIC_UPDATER_DISABLED', true);
define('AUTH_KEY', 'a'); define('SECURE_AUTH_KEY', 'b'); define('LOGGED_IN_KEY', 'c'); define('NONCE_KEY', 'd');
$table_prefix = 'wp_'; define('ABSPATH', __DIR__ . '/'); require_once ABSPATH . 'wp-settings.php';
`, socket, origin, origin)
	if err := os.WriteFile(filepath.Join(root, "wp-config.php"), []byte(config), 0o600); err != nil {
		tb.Fatal(err)
	}
	out := php(tb, home, root, address)
	query := func(sql string) (string, error) {
		text, err := exec.Command("mariadb", "-S", socket, "-u", "root", "-N", "wordpress", "-e", sql).CombinedOutput()
		return string(text), err
	}
	a := newApp("http://"+address, wordPressDid, func() (string, error) {
		return query(`SELECT ID, post_title, post_status, post_content FROM wp_posts WHERE post_status NOT IN ('auto-draft', 'inherit') AND post_type <> 'wp_global_styles' ORDER BY ID;
			SELECT comment_ID, comment_approved, comment_author FROM wp_comments ORDER BY 1; SELECT ID, user_login, display_name FROM wp_users ORDER BY 1; SELECT term_id, name FROM wp_terms ORDER BY 1;
			SELECT option_name, option_value FROM wp_options WHERE option_name IN ('blogname', 'blogdescription', 'active_plugins', 'blog_public', 'posts_per_page', 'template') ORDER BY 1`)
	})
	answers(tb, a.direct+"/wp-admin/install.php", out)
	form := url.Values{"weblog_title": {"Field notes"}, "user_name": {"ann"}, "admin_password": {apps.Password}, "admin_password2": {apps.Password}, "pw_weak": {"on"}, "admin_email": {Owner}, "blog_public": {"0"}}
	page, err := a.ask(http.MethodPost, "/wp-admin/install.php?step=2", form.Encode(), "Content-Type", "application/x-www-form-urlencoded")
	if err != nil || !strings.Contains(page, "Success!") {
		tb.Fatalf("WordPress is not set up: %v\n%s", err, page)
	}
	return a
}

// mariaDB starts a database and returns its socket.
func mariaDB(tb testing.TB, home *peer.Home) (socket string) {
	tb.Helper()
	dir := home.Path()
	socket, data := filepath.Join(dir, "db.sock"), "--datadir="+filepath.Join(dir, "db")
	user := "--user=" + map[bool]string{true: "root", false: os.Getenv("USER")}[os.Getuid() == 0]
	runs(tb, dir, "mariadb-install-db", "--no-defaults", data, user, "--auth-root-authentication-method=normal", "--skip-test-db")
	starts(tb, home, "mariadbd", "--no-defaults", data, user, "--socket="+socket, "--skip-networking", "--pid-file="+filepath.Join(dir, "db.pid"), "--innodb-flush-log-at-trx-commit=0")
	testwait.For(tb, "MariaDB to answer", func() bool {
		return exec.Command("mariadb", "-S", socket, "-u", "root", "-e", "CREATE DATABASE IF NOT EXISTS wordpress").Run() == nil
	})
	return socket
}

func wordPressDid(r *http.Request, body string) (apps.Kind, string) {
	path, query := r.URL.Path, r.URL.Query()
	action := query.Get("action")
	switch {
	case path == "/wp-login.php" && action == "logout":
		return apps.SignOut, line(r)
	case query.Has("delete_all") || action == "trash" || action == "delete" || strings.Contains(body, "action=trash") || strings.Contains(body, "action=delete") || strings.Contains(body, "action=dodelete"):
		return apps.Delete, line(r) + " " + action
	case r.Method != http.MethodPost || path == "/wp-cron.php" || path == "/wp-login.php":
		return "", ""
	case path == "/wp-comments-post.php", strings.Contains(body, "publish=Publish"), strings.Contains(body, `"status":"publish"`), strings.Contains(body, "action=replyto-comment"):
		return apps.Publish, line(r)
	case path == "/wp-admin/user-new.php":
		return apps.Grant, line(r)
	case path == "/wp-admin/admin-ajax.php":
		return wordPressAsked(body)
	}
	return apps.Change, line(r)
}

// wordPressAsked is what a script's request to the one address for them does.
func wordPressAsked(body string) (apps.Kind, string) {
	form, _ := url.ParseQuery(body)
	switch action := form.Get("action"); action {
	case "add-tag", "inline-save", "inline-save-tax", "wp_ajax_inline_save", "save-quick-draft":
		return apps.Change, action
	case "delete-tag", "delete-comment", "delete-post", "trash-post":
		return apps.Delete, action
	}
	return "", "" // closed boxes, heartbeats, autosaves
}

// DokuWiki is Debian's dokuwiki, which keeps its pages in files.
func DokuWiki(tb testing.TB, _ string) *App {
	tb.Helper()
	home, address := peer.NewHome(tb), freeAddress(tb)
	dir := home.Path()
	root, data := filepath.Join(dir, "site"), filepath.Join(dir, "data")
	copied(tb, "/usr/share/dokuwiki", root)
	runs(tb, dir, "sh", "-c", "rm site/inc/preload.php && mkdir site/conf && cp /etc/dokuwiki/*.conf /etc/dokuwiki/*.php site/conf/ 2>/dev/null;"+
		"cd site/conf && rm -f local.php acl.auth.php users.auth.php && mkdir ../../data && cd ../../data && mkdir -p pages/wiki attic media media_attic media_meta meta cache index locks tmp log")
	hash := fmt.Sprintf("%x", md5.Sum([]byte(apps.Password)))
	files := map[string]string{
		"site/conf/local.php":      "<?php $conf['title'] = 'Field notes'; $conf['savedir'] = '" + data + "'; $conf['useacl'] = 1; $conf['superuser'] = '@admin'; $conf['updatecheck'] = 0;",
		"site/conf/users.auth.php": "ann:" + hash + ":Ann Field:" + Owner + ":admin,user\nben:" + hash + ":Ben:ben@owners.example:user\n",
		"site/conf/acl.auth.php":   "* @ALL 1\n* @user 8\n",
		"data/pages/start.txt":     "====== Start ======\n\n  * [[delete|How to delete files]]\n  * [[release|Release 1.2]]\n  * [[old|Old page]]\n\n===== Post office =====\n\nOpen on weekdays.\n",
		"data/pages/delete.txt":    "====== How to delete files ======\n\nWith care.\n",
		"data/pages/release.txt":   "====== Release 1.2 ======\n\nIt sends faster.\n",
		"data/pages/old.txt":       "====== Old page ======\n\nNobody reads it.\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	out := php(tb, home, root, address)
	a := newApp("http://"+address, dokuWikiDid, func() (string, error) {
		var b strings.Builder
		paths, err := filepath.Glob(filepath.Join(data, "pages", "*.txt"))
		files, _ := filepath.Glob(filepath.Join(data, "media", "*.*"))
		for _, path := range append(append(paths, files...), filepath.Join(root, "conf", "users.auth.php"), filepath.Join(root, "conf", "local.php"), filepath.Join(root, "conf", "acl.auth.php")) {
			text, _ := os.ReadFile(path) // one that goes meanwhile is gone
			fmt.Fprintf(&b, "%s %q\n", filepath.Base(path), text)
		}
		return b.String(), err
	})
	answers(tb, a.direct+"/doku.php", out)
	return a
}

func dokuWikiDid(r *http.Request, body string) (apps.Kind, string) {
	form, _ := url.ParseQuery(body)
	value := func(name string) string { return cmp.Or(form.Get(name), r.URL.Query().Get(name)) }
	switch {
	case value("do") == "logout":
		return apps.SignOut, line(r)
	case r.Method != http.MethodPost:
		return "", ""
	case form.Has("do[save]") && strings.TrimSpace(form.Get("wikitext")) == "":
		return apps.Delete, line(r)
	case form.Has("do[save]"):
		return apps.Change, line(r)
	case form.Has("fn[add]"), form.Has("fn[modify]"), value("page") == "acl" && form.Has("cmd[save]"):
		return apps.Grant, line(r)
	case form.Has("fn[delete]"):
		return apps.Delete, line(r)
	case value("page") == "config" && form.Has("save"):
		return apps.Change, line(r)
	}
	return "", "" // previews, locks, searches
}
