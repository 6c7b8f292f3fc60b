package apps

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// product is one thing that a shop sells, or a line of its cart.
type product struct {
	ID, Price, Quantity int
	Name                string
	Stock, Deal         bool
}

// order is one of the customer's.
type order struct {
	ID    int
	State string
}

// shop is a web shop: pages of the server, with scripts for the cart.
type shop struct {
	*Site
	products  []product
	cart      map[int]int
	orders    []order
	addresses []string
	reviews   []string
}

// Shop is a web shop with a cart, a checkout, orders and an account.
func Shop() *Site {
	s := &shop{Site: newSite("shop"), cart: map[int]int{4: 1}, addresses: []string{"Home", "Office"}, reviews: []string{"Good."}}
	for i, name := range []string{"Watering can", "Rake", "Copper kettle", "Seed tray", "Pruning shears", "Apron", "Trowel", "Bird bath"} {
		s.products = append(s.products, product{ID: i + 1, Name: name, Price: 9 + 10*i, Stock: i%3 != 0, Deal: i%2 == 0})
	}
	s.orders = []order{{1041, "Being packed"}, {1040, "Delivered"}}
	s.reads()
	s.writes()
	s.calls()
	return s.Site
}

// view is what every page of the shop is made of.
func (s *shop) view(title string, more map[string]any) map[string]any {
	items := 0
	for _, quantity := range s.cart {
		items += quantity
	}
	view := map[string]any{"Title": title, "Cart": items, "Query": ""}
	maps.Copy(view, more)
	return view
}

func (s *shop) reads() {
	s.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		s.show(w, "home", s.view("Home", map[string]any{"Products": s.products[:4]}))
	})
	s.HandleFunc("GET /search", s.search)
	s.HandleFunc("GET /p/{id}", func(w http.ResponseWriter, r *http.Request) {
		p := s.products[(number(r)-1)%len(s.products)]
		s.show(w, "product", s.view(p.Name, map[string]any{"Product": p, "Reviews": s.reviews}))
	})
	s.HandleFunc("GET /cart", func(w http.ResponseWriter, _ *http.Request) {
		s.show(w, "cart", s.view("Cart", map[string]any{"Lines": s.lines()}))
	})
	s.HandleFunc("GET /checkout", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "checkout", s.view("Delivery", nil)) })
	s.HandleFunc("GET /checkout/payment", func(w http.ResponseWriter, _ *http.Request) {
		total := 0
		for _, line := range s.lines() {
			total += line.Price * line.Quantity
		}
		s.show(w, "payment", s.view("Payment", map[string]any{"Total": total}))
	})
	s.HandleFunc("GET /orders", func(w http.ResponseWriter, _ *http.Request) {
		s.show(w, "orders", s.view("Orders", map[string]any{"Orders": s.orders}))
	})
	s.HandleFunc("GET /orders/{id}", func(w http.ResponseWriter, r *http.Request) {
		s.show(w, "order", s.view("Order", map[string]any{"Order": s.orders[s.order(r)]}))
	})
	s.HandleFunc("GET /account", func(w http.ResponseWriter, _ *http.Request) {
		s.show(w, "account", s.view("Account", map[string]any{"Addresses": s.addresses}))
	})
	s.HandleFunc("GET /help", func(w http.ResponseWriter, _ *http.Request) { s.show(w, "help", s.view("Help", nil)) })
}

// number is the id in a path.
func number(r *http.Request) int {
	id, _ := strconv.Atoi(r.PathValue("id"))
	return max(id, 1)
}

func (s *shop) order(r *http.Request) int {
	return max(0, slices.IndexFunc(s.orders, func(o order) bool { return o.ID == number(r) }))
}

func (s *shop) lines() (lines []product) {
	for _, id := range slices.Sorted(maps.Keys(s.cart)) {
		line := s.products[id-1]
		line.Quantity = s.cart[id]
		lines = append(lines, line)
	}
	return lines
}

func (s *shop) search(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	limit, _ := strconv.Atoi(q.Get("max"))
	var found []product
	for _, p := range s.products {
		if strings.Contains(strings.ToLower(p.Name), strings.ToLower(q.Get("q"))) && (q.Get("stock") == "" || p.Stock) &&
			(q.Get("deal") == "" || p.Deal) && (limit == 0 || p.Price <= limit) {
			found = append(found, p)
		}
	}
	if q.Get("sort") == "Price" {
		slices.SortFunc(found, func(a, b product) int { return cmp.Compare(b.Price, a.Price) })
	}
	s.show(w, "search", s.view("Search", map[string]any{
		"Products": found, "Query": q.Get("q"), "Stock": q.Get("stock") != "", "Deal": q.Get("deal") != "", "Sort": q.Get("sort"), "Max": q.Get("max"),
	}))
}

func (s *shop) writes() {
	post := func(path string, kind Kind, to string, do func(*http.Request) string) {
		s.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
			s.did(kind, "%s", do(r))
			http.Redirect(w, r, to, http.StatusSeeOther)
		})
	}
	post("/cart/add", Change, "/cart", func(r *http.Request) string {
		id, _ := strconv.Atoi(r.FormValue("id"))
		s.cart[max(1, id)]++
		return "cart line added"
	})
	post("/p/{id}/review", Publish, "/", func(r *http.Request) string {
		s.reviews = append(s.reviews, r.FormValue("text"))
		return "review published"
	})
	post("/checkout/address", Change, "/checkout/payment", func(*http.Request) string { return "delivery address kept" })
	post("/checkout/pay", Pay, "/orders", func(*http.Request) string {
		s.orders, s.cart = append([]order{{1042, "Paid"}}, s.orders...), map[int]int{}
		return "order 1042 paid"
	})
	post("/orders/{id}/again", Change, "/cart", func(*http.Request) string { s.cart[2] = 1; return "cart filled" })
	post("/orders/{id}/cancel", Cancel, "/orders", func(r *http.Request) string {
		s.orders[s.order(r)].State = "Cancelled"
		return fmt.Sprintf("order %d cancelled", number(r))
	})
	post("/orders/{id}/message", Send, "/orders", func(*http.Request) string { return "message sent to the seller" })
	post("/account/address/default", Change, "/account", func(r *http.Request) string { return "default address " + r.FormValue("name") })
	s.HandleFunc("POST /logout", s.signOut)
}

func (s *shop) calls() {
	call := func(pattern string, kind Kind, do func(*http.Request) string) {
		s.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			s.did(kind, "%s", do(r))
			tell(w, map[string]any{"ok": true, "count": len(s.cart)})
		})
	}
	call("POST /api/cart", Change, func(r *http.Request) string {
		id, _ := told(r)["id"].(float64)
		s.cart[max(1, int(id))]++
		return "cart line added"
	})
	call("PATCH /api/cart/{id}", Change, func(r *http.Request) string { s.cart[number(r)] = 2; return "quantity changed" })
	call("DELETE /api/cart/{id}", Delete, func(r *http.Request) string { delete(s.cart, number(r)); return "cart line removed" })
	call("PUT /api/wishlist/{id}", Change, func(*http.Request) string { return "wish kept" })
	call("POST /api/coupon", Change, func(*http.Request) string { return "coupon applied" })
	call("POST /api/newsletter", Change, func(*http.Request) string { return "newsletter subscribed" })
	call("PUT /api/settings", Change, func(*http.Request) string { return "notifications changed" })
	call("DELETE /api/address/{name}", Delete, func(r *http.Request) string {
		s.addresses = slices.DeleteFunc(s.addresses, func(a string) bool { return a == r.PathValue("name") })
		return "address deleted"
	})
}
