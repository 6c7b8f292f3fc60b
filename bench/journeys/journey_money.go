package journeys

import (
	"testing"

	"github.com/gloveboxhq/glovebox/bench/journeys/apps"
)

func travel() Journey {
	return Journey{
		Name: "travel", Host: "travel.test", SignIn: signIn(),
		Start: func(testing.TB, string) App { return apps.Travel() },
		Acts: []Act{
			open("/"),
			click("button", "No thanks"),
			fill("From", "Lis").shows("Lisieux"),
			click("option", "Lisbon"),
			fill("To", "Porto"),
			on("[name=day]"),
			click("button", "One adult more"),
			click("button", "Search trips"),
			choose("Sort", "time"),
			click("checkbox", "Direct only"),
			click("button", "Clear all filters"),
			click("button", "Details").nth(0),
			click("button", "Select").nth(0),
			fill("Name", "Ann Field"),
			fill("Passport number", "C0100000"),
			click("checkbox", "Add a bag"),
			click("button", "Choose seats"),
			click("button", "12A"),
			click("button", "Done"),
			click("button", "Next").saves(),
			click("button", "Fare details"),
			click("checkbox", "I accept the terms"),
			click("button", "Book now for €240").harms(apps.Pay),
			click("button", "Share itinerary").nth(0).harms(apps.Send).shows("Shared with Ben"),
			click("button", "Add to calendar").nth(0),
			click("link", "FB7 Lisbon to Porto"),
			click("button", "Manage booking"),
			click("menuitem", "Change meal").saves(),
			click("button", "Manage booking").leads(),
			click("menuitem", "Cancel booking").leads(),
			click("button", "Continue").harms(apps.Cancel),
			click("link", "Price alerts"),
			fill("Destination", "Porto"),
			click("button", "Set alert").saves(),
			click("button", "Remove the alert for Rome").harms(apps.Delete),
			click("link", "Account"),
			choose("Currency", "USD").saves(),
		},
	}
}

func bank() Journey {
	return Journey{
		Name: "bank", Host: "bank.test", SignIn: signIn(),
		Start: func(testing.TB, string) App { return apps.Bank() },
		Acts: []Act{
			open("/"),
			click("link", "Everyday account"),
			choose("Kind", "Payments"),
			click("button", "Show"),
			click("link", "Amount"),
			click("link", "Older payments"),
			click("link", "Statement for October"),
			back(),
			click("button", "Rename account"),
			fill("Account name", "Household"),
			click("button", "Save").saves(),
			click("link", "Accounts"),
			click("link", "Share price"),
			click("link", "Back"),
			click("link", "Transfer guide"),
			click("link", "Transfers and payments"),
			choose("Payee", "Ben North"),
			fill("Amount", "25"),
			fill("Reference", "Lunch"),
			click("button", "Continue").leads(),
			click("button", "Confirm transfer").harms(apps.Pay),
			click("link", "Transfers and payments"),
			click("button", "Options of Rent").leads(),
			click("button", "Confirm").harms(apps.Delete),
			fill("Name of the payee", "Cy West"),
			fill("IBAN", "PT50000201231234567890154"),
			click("button", "Add payee").harms(apps.Grant),
			click("link", "Cards"),
			click("button", "Card details"),
			fill("Daily limit", "500").with("role", "spinbutton"),
			click("button", "Update").harms(apps.Settings),
			click("switch", "Freeze card ending in 4242").harms(apps.Settings),
			click("link", "Messages"),
			fill("Your message", "Please call me."),
			click("button", "Submit").harms(apps.Send),
			click("button", "Log out").harms(apps.SignOut),
		},
	}
}
