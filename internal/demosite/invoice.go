package demosite

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Status is the state of an invoice.
type Status string

// The states of an invoice, in the order the form offers them.
const (
	Draft   Status = "draft"
	Sent    Status = "sent"
	Paid    Status = "paid"
	Overdue Status = "overdue"
)

var statuses = []Status{Draft, Sent, Paid, Overdue}

// Label returns the status for people.
func (s Status) Label() string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(string(s[:1])) + string(s[1:])
}

var currencies = []string{"EUR", "USD", "GBP"}

// Invoice is one invoice.
type Invoice struct {
	ID       string // "INV-1042"
	Customer string
	Email    string
	Cents    int64
	Currency string // EUR, USD or GBP
	Status   Status
	Issued   time.Time
	Due      time.Time
	Remind   bool // remind the customer before it is due
	Notes    string
}

// Amount returns the amount for people: "€1,250.00".
func (i Invoice) Amount() string { return money(i.Cents, i.Currency) }

func money(cents int64, currency string) string {
	sign := map[string]string{"EUR": "€", "USD": "$", "GBP": "£"}[currency]
	whole := fmt.Sprint(cents / 100)
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	return fmt.Sprintf("%s%s.%02d", sign, whole, cents%100)
}

// ledger keeps the invoices, newest first. It is safe for concurrent use.
type ledger struct {
	mu   sync.Mutex
	all  []Invoice
	next int
}

const maxInvoices = 2000 // bounds the memory of a demo that runs for days

func (l *ledger) list() []Invoice {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all)
}

func (l *ledger) find(id string) (Invoice, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, i := range l.all {
		if i.ID == id {
			return i, true
		}
	}
	return Invoice{}, false
}

// add gives i an id and stores it; false if the ledger is full.
func (l *ledger) add(i Invoice) (string, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.all) >= maxInvoices {
		return "", false
	}
	i.ID = fmt.Sprintf("INV-%d", l.next)
	l.next++
	l.all = slices.Insert(l.all, 0, i)
	return i.ID, true
}

func (l *ledger) replace(i Invoice) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := slices.IndexFunc(l.all, func(o Invoice) bool { return o.ID == i.ID })
	if at < 0 {
		return false
	}
	l.all[at] = i
	return true
}

func (l *ledger) remove(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := len(l.all)
	l.all = slices.DeleteFunc(l.all, func(i Invoice) bool { return i.ID == id })
	return len(l.all) < before
}

var customers = []string{
	"Alder & Finch Studio", "Brightwater Logistics", "Cobalt Robotics", "Dune Coffee Roasters", "Everly Architects",
	"Fjord Outdoor", "Greenhouse Labs", "Harbor Dental", "Ivory Bakery", "Juniper Analytics", "Kestrel Aviation", "Lumen Optics",
}

var jobs = []string{
	"Website maintenance, monthly retainer.", "Brand refresh, second milestone.", "Warehouse integration and training.",
	"Quarterly security review.", "Photography for the spring catalogue.", "",
}

// stock returns a ledger with the invoices of some months, always the same.
func stock(today time.Time) *ledger {
	l := &ledger{next: 1001}
	for n := range 34 {
		name := customers[n*7%len(customers)]
		issued := today.AddDate(0, 0, -4*(34-n))
		i := Invoice{
			Customer: name, Email: "accounts@" + domain(name), Cents: int64(48000 + n*n*731%910000 + n*1250),
			Currency: []string{"EUR", "EUR", "USD", "GBP"}[n%4], Issued: issued, Due: issued.AddDate(0, 0, 30),
			Status: Paid, Remind: n%3 == 0, Notes: jobs[n%len(jobs)],
		}
		switch {
		case n >= 32:
			i.Status = Draft
		case i.Due.After(today):
			i.Status = Sent
		case n >= 20 && n%3 == 2:
			i.Status = Overdue
		}
		l.add(i)
	}
	return l
}

func domain(name string) string {
	first, _, _ := strings.Cut(strings.ToLower(name), " ")
	return first + ".example"
}
