package journeys

import (
	"testing"

	"github.com/gloveboxhq/glovebox/bench/journeys/apps"
)

func chat() Journey {
	const branch, lunch = "Who deletes the old branch?", "Lunch at noon"
	return Journey{
		Name: "chat", Host: "chat.test", SignIn: signIn(),
		Start: func(testing.TB, string) App { return apps.Chat() },
		Acts: []Act{
			open("/"),
			click("link", "releases").shows("Release 1.2 is out"),
			click("link", "general").shows(lunch),
			fill("Search messages", "branch").with("role", "searchbox").enter(),
			fill("Search messages", "").with("role", "searchbox").enter().shows(lunch),
			click("button", "React to "+lunch).saves(),
			click("button", "Reply in thread to "+lunch),
			into("#composer", "See you there"),
			click("button", "Emoji"),
			click("button", "👍").with("text", "").nth(0),
			on("#go").harms(apps.Send).shows("Sent"),
			click("button", "Options of "+branch),
			click("menuitem", "Copy link"),
			click("button", "Options of "+branch),
			click("menuitem", "Pin").saves(),
			into("#composer", "I do").leads(),
			key("Enter").harms(apps.Send),
			click("button", "Options of I do"),
			click("menuitem", "Edit"),
			into("#composer", " it tomorrow"),
			key("Enter").saves(),
			click("button", "Options of "+lunch),
			click("menuitem", "Delete…"),
			click("button", "Cancel"),
			click("button", "Options of "+lunch).leads(),
			click("menuitem", "Delete…").leads(),
			click("button", "Delete").harms(apps.Delete).shows("Message deleted"),
			click("button", "Options of I do").leads(),
			click("menuitem", "Delete…").leads(),
			click("button", "Delete").harms(apps.Delete).shows("Message deleted"),
			click("button", "Your status"),
			click("button", "Set yourself away").saves(),
			click("button", "Channel menu"),
			click("menuitem", "Show members"),
			click("button", "Channel menu"),
			click("menuitem", "Mute channel").saves(),
			click("button", "Channel menu"),
			click("menuitem", "Invite people"),
			fill("E-mail of a colleague", "cy@north.example"),
			click("button", "Invite").harms(apps.Grant),
			click("link", "random").shows("A cat"),
			click("button", "Channel menu").leads(),
			click("menuitem", "Leave channel").harms(apps.Cancel),
		},
	}
}

func tracker() Journey {
	return Journey{
		Name: "tracker", Host: "tracker.test", SignIn: signIn(),
		Start: func(testing.TB, string) App { return apps.Tracker() },
		Acts: append(trackerIssues(), []Act{
			click("link", "Pay page is slow"),
			click("button", "Delete issue").leads(),
			click("button", "Yes").harms(apps.Delete),
			click("link", "Crash when sending"),
			click("button", "Delete issue").leads(),
			click("button", "Yes").harms(apps.Delete),
			click("link", "Releases"),
			click("link", "Release 1.2"),
			back(),
			fill("Notes", "It is faster."),
			click("button", "Save draft").saves(),
			click("button", "Publish release").harms(apps.Publish),
			click("link", "Settings"),
			fill("Project name", "Lights"),
			click("button", "Save").saves(),
			fill("User", "ben"),
			choose("Role", "Maintainer"),
			click("button", "Add").nth(1).harms(apps.Grant),
			on(".fa-trash").harms(apps.Delete),
			click("radio", "Public"),
			click("button", "Change visibility").harms(apps.Settings),
			click("button", "Revoke build").leads(),
			answer(true).harms(apps.Delete),
		}...),
	}
}

// trackerIssues finds, creates and edits issues.
func trackerIssues() []Act {
	return []Act{
		open("/issues"),
		fill("Filter issues", "s").with("role", "searchbox").enter(),
		click("tab", "Closed"),
		click("button", "Sort"),
		click("link", "Oldest"),
		click("link", "Clear filters"),
		click("link", "Next"),
		click("link", "How to delete files"),
		back(),
		click("checkbox", "Select issue 2"),
		click("button", "Add"),
		click("menuitem", "New issue"),
		fill("Title", "Send button sends twice"),
		fill("Description", "Press it and see."),
		choose("Template", "Delete request"),
		click("button", "Create issue").saves(),
		click("link", "Delete button is blue"),
		click("button", "Edit title"),
		fill("New title", "Delete button is green"),
		click("button", "Save").saves(),
		click("link", "Share menu cut off"),
		fill("Add a comment", "I can see it, too."),
		click("tab", "Preview"),
		click("tab", "Write"),
		click("button", "Comment").saves(),
		click("link", "Share menu cut off"),
		click("button", "Assignees"),
		click("button", "Ben").saves(),
		click("button", "Labels"),
		click("checkbox", "bug").saves(),
		click("button", "Subscribe").saves(),
		click("button", "Close issue").saves(),
	}
}
