package journeys

import (
	"testing"

	"github.com/gloveboxhq/glovebox/bench/journeys/apps"
)

func mail() Journey {
	return Journey{
		Name: "mail", Host: "mail.test", SignIn: signIn(),
		Start: func(testing.TB, string) App { return apps.Mail() },
		Acts: append(mailReading(), []Act{
			click("button", "New message"),
			fill("To", "ben@north.example"),
			fill("Subject", "Minutes"),
			into("[contenteditable]", "Here they are."),
			upload("#composer [type=file]", "minutes.txt", "We met.").shows("Attached minutes.txt"),
			on("[title='Discard draft']").harms(apps.Delete).shows("Draft discarded"),
			click("link", "Sent"),
			click("link", "Deleted items"),
			click("button", "Refresh"),
			click("button", "Empty folder"),
			click("button", "Cancel"),
			click("button", "Empty folder").leads(),
			click("button", "OK").harms(apps.Delete).shows("The folder is empty"),
			click("button", "Ann Field, account menu"),
			click("button", "Settings"),
			fill("Signature", "Ann Field"),
			click("button", "Save changes").saves().shows("Saved"),
			choose("Messages a page", "50").saves(),
			fill("From contains", "offers@"),
			click("button", "Create filter").saves().shows("Filter created"),
			fill("Forward all mail to", "other@south.example"),
			click("button", "Add address").harms(apps.Grant).shows("Forwarding is on"),
			click("button", "Ann Field, account menu").leads(),
			click("button", "Sign out").harms(apps.SignOut),
		}...),
	}
}

// mailReading reads, answers and deletes messages.
func mailReading() []Act {
	return []Act{
		open("/"),
		click("link", "How to delete files"),
		click("button", "More actions"),
		click("menuitem", "Larger text"),
		click("button", "Labels"),
		click("checkbox", "Travel").saves(),
		click("button", "Done"),
		click("button", "Back"),
		click("button", "Load more"),
		fill("Search mail", "re").with("role", "searchbox"),
		click("link", "Release 1.2"),
		click("button", "Archive").saves().shows("Archived"),
		fill("Search mail", "").with("role", "searchbox"),
		choose("Show", "Unread"),
		click("checkbox", "Select Payment received"),
		click("button", "Star Invoice for October").saves(),
		on("[data-subject='Payment received']").harms(apps.Delete).shows("Moved to Deleted items"),
		click("link", "Invoice for October"),
		click("button", "Reply"),
		click("textbox", "Message body"),
		into("[contenteditable]", "Thank you, it is paid.").shows("Saved to drafts"),
		click("button", "Bold"),
		click("button", "Send").harms(apps.Send).shows("Message sent"),
		fill("Quick reply", "And thanks again."),
		key("Enter").harms(apps.Send).shows("Reply sent"),
		click("button", "More actions").leads(),
		click("menuitem", "Block sender").harms(apps.Settings).shows("Blocked"),
		click("heading", "Invoice for October"),
		key("Delete").harms(apps.Delete).shows("Moved to Deleted items"),
	}
}
