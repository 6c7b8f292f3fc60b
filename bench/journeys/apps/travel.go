package apps

import (
	"net/http"
	"slices"
	"strings"
)

// Travel is a booking site of one page, whose scripts ask a GraphQL interface:
// searches and changes alike are POSTs to one address.
func Travel() *Site {
	s := newSite("travel")
	trips := []string{"FB7 Lisbon to Porto", "FB2 Porto to Lisbon"}
	s.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "app", nil) })
	effects := map[string]Effect{
		"saveTravellers": {Kind: Change, What: "travellers kept"}, "changeMeal": {Kind: Change, What: "meal changed"},
		"createAlert": {Kind: Change, What: "alert set"}, "saveCurrency": {Kind: Change, What: "currency changed"},
		"payBooking": {Kind: Pay, What: "€240 paid"}, "shareTrip": {Kind: Send, What: "itinerary sent"},
		"removeAlert": {Kind: Delete, What: "alert removed"}, "cancelBooking": {Kind: Cancel, What: "booking cancelled"},
	}
	s.HandleFunc("POST /graphql", func(w http.ResponseWriter, r *http.Request) {
		name := str(told(r), "operationName")
		if e, has := effects[name]; has {
			s.did(e.Kind, "%s", e.What)
		}
		if name == "cancelBooking" {
			trips = slices.DeleteFunc(trips, func(t string) bool { return strings.HasPrefix(t, "FB7") })
		}
		tell(w, map[string]any{"trips": trips, "places": []string{"Lisbon", "Lisieux"}})
	})
	return s
}
