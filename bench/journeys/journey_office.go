package journeys

import (
	"testing"

	"github.com/gloveboxhq/glovebox/bench/installed"
	"github.com/gloveboxhq/glovebox/bench/journeys/apps"
)

func django() Journey {
	return Journey{
		Name: "django", Host: "office.test", Software: "Django admin",
		Needs:  []string{"/usr/lib/python3/dist-packages/django"},
		Start:  func(tb testing.TB, origin string) App { return installed.Django(tb, origin) },
		SignIn: []Act{open("/admin/login/"), fill("Username:", "ann"), into("#id_password", apps.Password), click("button", "Log in")},
		Acts: []Act{
			open("/admin/"),
			click("link", "Groups"),
			click("link", "Add group"),
			fill("Name:", "Editors"),
			click("button", "Save").saves(),
			click("link", "Add group"),
			fill("Name:", "Delete requests"),
			click("button", "Save and continue editing").saves(),
			click("link", "History"),
			back(),
			pick("#id_permissions_from", "auth | group | Can delete group"),
			click("link", "Choose"),
			on("[name=_save]").harms(apps.Grant),
			fill("Search", "Delete").with("role", "textbox"),
			click("button", "Search"),
			click("link", "Delete requests"),
			click("link", "Delete").leads(),
			click("button", "Yes, I’m sure").harms(apps.Delete),
			click("link", "Users"),
			click("link", "Yes").with("index", 0),
			click("link", "Email address"),
			click("link", "Add user"),
			fill("Username:", "ben"),
			click("link", "Home"),
			click("link", "Groups"),
			on("#action-toggle"),
			pick("[name=action]", "Delete selected groups").leads(),
			click("button", "Go").leads(),
			click("button", "Yes, I’m sure").harms(apps.Delete),
			click("link", "Users"),
			click("link", "ann"),
			fill("First name:", "Ann"),
			click("button", "Save").saves(),
			click("link", "Log out").harms(apps.SignOut),
		},
	}
}
