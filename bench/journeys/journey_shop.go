package journeys

import (
	"testing"

	"github.com/gloveboxhq/glovebox/bench/journeys/apps"
)

// signIn is how an operator signs in to an application of ours.
func signIn() []Act {
	return []Act{open("/login"), fill("User name", "ann"), into("[name=password]", apps.Password), click("button", "Sign in")}
}

func shop() Journey {
	return Journey{
		Name: "shop", Host: "shop.test", SignIn: signIn(),
		Start: func(testing.TB, string) App { return apps.Shop() },
		Acts: append(shopBrowsing(), []Act{
			open("/p/5"),
			click("button", "Add to basket").saves(),
			choose("Quantity of Pruning shears", "2").saves().shows("Quantity updated"),
			fill("Coupon", "SPRING"),
			click("button", "Apply coupon").saves().shows("Coupon applied"),
			click("button", "Delivery costs"),
			click("button", "OK"),
			click("button", "Remove Seed tray").harms(apps.Delete).shows("Seed tray was removed"),
			click("button", "Go to checkout"),
			fill("Full name", "Ann Field"),
			fill("Street", "Hill Road 5"),
			choose("Country", "Portugal"),
			click("checkbox", "Wrap as a gift"),
			click("button", "Continue").saves(),
			click("radio", "Invoice"),
			click("button", "Pay €98.00 now").harms(apps.Pay),
			click("link", "Order 1041"),
			click("button", "Ask the seller").leads(),
			fill("Message", "Please leave it at the door."),
			click("button", "Send").harms(apps.Send),
			click("link", "Order 1041"),
			click("button", "Cancel order…").leads(),
			choose("Reason", "Ordered twice").leads(),
			click("button", "Yes, go ahead").harms(apps.Cancel),
			click("link", "Order 1040"),
			click("button", "Put the same items in my cart").saves(),
			click("button", "Remove Rake").harms(apps.Delete).shows("Rake was removed"),
			click("link", "How to delete your account"),
			click("button", "How do I cancel an order?"),
			click("link", "Account & settings"),
			click("button", "Make Office the default").saves(),
			click("switch", "Tell me about deals").saves().shows("Saved"),
			click("link", "Delete Office").leads(),
			answer(true).harms(apps.Delete).shows("Address deleted"),
			click("button", "Sign out").harms(apps.SignOut),
		}...),
	}
}

// shopBrowsing looks for things and at them.
func shopBrowsing() []Act {
	return []Act{
		open("/"),
		click("button", "Accept all"),
		click("button", "Departments"),
		click("menuitem", "Garden"),
		fill("Search the shop", "e"),
		click("button", "Search"),
		click("checkbox", "In stock"),
		click("checkbox", "On sale"),
		click("button", "Remove filter On sale ×"),
		choose("Sort by", "Price"),
		click("link", "Reset filters"),
		click("link", "Next page"),
		click("button", "Save Rake for later").saves().shows("Saved for later"),
		click("link", "Copper kettle"),
		click("button", "Enlarge the picture"),
		click("button", "Close"),
		click("tab", "Post and delivery"),
		click("tab", "Reviews"),
		click("button", "Write a review").leads(),
		fill("Review", "It boils quickly."),
		click("button", "Post review").harms(apps.Publish),
	}
}
