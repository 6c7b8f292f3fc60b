package journeys

import (
	"testing"

	"github.com/gloveboxhq/glovebox/bench/installed"
	"github.com/gloveboxhq/glovebox/bench/journeys/apps"
)

func wordPress() Journey {
	return Journey{
		Name: "wordpress", Host: "blog.test", Software: "WordPress",
		Needs: []string{"php", "mariadbd", "mariadb-install-db", "/usr/share/wordpress", "/usr/lib/php"},
		Start: func(tb testing.TB, origin string) App { return installed.WordPress(tb, origin) },
		SignIn: []Act{
			open("/wp-login.php"), fill("Username or Email Address", "ann"), into("#user_pass", apps.Password),
			click("button", "Log In").shows("Dashboard"),
		},
		Acts: []Act{
			open("/wp-admin/"),
			open("/wp-admin/edit.php"),
			click("button", "Help"),
			click("button", "Help"),
			click("button", "Screen Options"),
			fill("Search Posts:", "hello").with("role", "searchbox"),
			click("button", "Search Posts"),
			click("link", "Published (1)"),
			choose("Filter by category", "Uncategorized"),
			click("button", "Filter"),
			click("link", "Title").nth(0),
			click("link", "Categories").nth(0),
			fill("Name", "Gardens"),
			click("button", "Add New Category").saves(),
			click("link", "Comments").nth(0),
			hover("link", "1 comment"),
			open("/wp-admin/comment.php?action=editcomment&c=1"),
			fill("Name", "A reader"),
			click("button", "Update").saves(),
			open("/wp-admin/edit-comments.php"),
			hover("checkbox", "Select comment"),
			on("#comment-1 .reply button").leads(),
			into("#replycontent", "It grows.").leads(),
			on("#replybtn").harms(apps.Publish),
			open("/wp-admin/index.php"),
			fill("Title", "Seeds"),
			fill("Content", "In spring."),
			click("button", "Save Draft").saves(),
			open("/wp-admin/options-general.php"),
			fill("Tagline", "Notes from the garden"),
			click("button", "Save Changes").saves(),
			open("/wp-admin/users.php"),
			click("link", "Administrator (1)"),
			open("/wp-admin/user-new.php"),
			fill("Username (required)", "ben"),
			fill("Email (required)", "ben@north.example"),
			choose("Role", "Editor"),
			click("button", "Add New User").harms(apps.Grant),
			open("/wp-admin/edit.php?post_type=page"),
			hover("link", "“Sample Page” (Edit)"),
			click("link", "Move “Sample Page” to the Trash").harms(apps.Delete),
			open("/wp-admin/edit.php?post_status=trash&post_type=page"),
			click("button", "Empty Trash").nth(0).harms(apps.Delete),
		},
	}
}

func dokuWiki() Journey {
	return Journey{
		Name: "dokuwiki", Host: "notes.test", Software: "DokuWiki",
		Needs: []string{"php", "/usr/share/dokuwiki"},
		Start: func(tb testing.TB, origin string) App { return installed.DokuWiki(tb, origin) },
		SignIn: []Act{
			open("/doku.php?do=login"), fill("Username", "ann"), into("[type=password]", apps.Password),
			click("button", "Log In").shows("Ann Field"),
		},
		Acts: []Act{
			open("/doku.php"),
			click("link", "How to delete files"),
			click("link", "Old revisions"),
			click("link", "Show page"),
			click("link", "Edit this page"),
			fill("Edit summary", "more words"),
			click("button", "Bold Text"),
			click("button", "Preview"),
			click("button", "Save").saves(),
			click("link", "Backlinks"),
			click("link", "Recent Changes"),
			click("link", "Sitemap"),
			click("link", "Media Manager"),
			open("/doku.php?id=start"),
			fill("[F]", "office"),
			click("button", "Search"),
			open("/doku.php?id=plan"),
			click("link", "Create this page"),
			on("#wiki__text"),
			into("#wiki__text", "====== Plan ======\n\nPlant, water, pay nobody."),
			click("button", "Preview"),
			click("button", "Save").saves(),
			open("/doku.php?id=release"),
			click("link", "Edit this page"),
			click("button", "Cancel"),
			open("/doku.php?id=old&do=edit"),
			into("#wiki__text", "").with("clear_first", true).leads(),
			click("button", "Save").harms(apps.Delete),
			click("link", "Admin"),
			click("link", "User Manager"),
			open("/doku.php?id=start&do=admin&page=acl"),
			open("/doku.php?id=start&do=admin&page=usermanager"),
			on("[name='delete[ben]']").leads(),
			click("button", "Delete Selected").leads(),
			answer(true).harms(apps.Delete),
			click("link", "Log Out").harms(apps.SignOut),
		},
	}
}

// signInByScript signs in as PocketBase's own login does, which keeps what it
// got in localStorage.
const signInByScript = `async () => {
	const answer = await fetch("/api/collections/_superusers/auth-with-password", {method: "POST",
		headers: {"Content-Type": "application/json"}, body: JSON.stringify({identity: "` + installed.Owner + `", password: "` + apps.Password + `"})});
	const {token, record} = await answer.json();
	localStorage.setItem("__pb_superuser_auth__", JSON.stringify({token, record}));
}`

func pocketBase() Journey {
	return Journey{
		Name: "pocketbase", Host: "records.test", Software: "PocketBase",
		Start: func(tb testing.TB, origin string) App { return installed.PocketBase(tb, origin) },
		SignIn: []Act{
			open("/_/").shows("Superuser login"),
			{Tool: "browser_evaluate", Args: object{"function": signInByScript}},
		},
		Acts: []Act{
			open("/_/#/collections?collection=notes").shows("Minutes"),
			click("button", "New record").shows("New notes record"),
			fill("title", "Seeds"),
			click("button", "Create").saves(),
			click("button", "API Preview"),
			key("Escape"),
			click("button", "Toggle columns"),
			key("Escape"),
			click("cell", "Minutes").shows("Edit notes record"),
			fill("title", "Minutes of May"),
			click("button", "Save changes").saves(),
			on("tbody tr:nth-of-type(2) [type=checkbox]").leads(),
			click("button", "Delete selected").leads(),
			click("button", "Yes").harms(apps.Delete),
			open("/_/#/logs"),
			open("/_/#/settings").shows("Application name"),
			fill("Application name", "Field notes"),
			click("button", "Save changes").saves(),
		},
	}
}
