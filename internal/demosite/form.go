package demosite

import (
	"net/http"
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"time"
)

const dateLayout = "2006-01-02" // of <input type=date>

// form is the visitor's input and its errors.
type form struct {
	Invoice
	AmountText string
	IssuedText string
	DueText    string
	Errors     map[string]string // by field name
}

// Currencies returns the choices of the form.
func (form) Currencies() []string { return currencies }

func formOf(i Invoice) form {
	return form{Invoice: i, AmountText: strconv.FormatFloat(float64(i.Cents)/100, 'f', 2, 64),
		IssuedText: i.Issued.Format(dateLayout), DueText: i.Due.Format(dateLayout)}
}

// readForm reads and checks a posted invoice.
func readForm(r *http.Request) form {
	text := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	f := form{AmountText: text("amount"), IssuedText: text("issued"), DueText: text("due"), Errors: map[string]string{}}
	f.Customer, f.Email, f.Notes = text("customer"), text("email"), text("notes")
	f.Currency, f.Status, f.Remind = text("currency"), Status(text("status")), r.PostFormValue("remind") != ""
	if f.Customer == "" || len(f.Customer) > 120 {
		f.Errors["customer"] = "Enter the customer's name"
	}
	if _, err := mail.ParseAddress(f.Email); err != nil || len(f.Email) > 200 {
		f.Errors["email"] = "Enter an e-mail address like accounts@example.com"
	}
	amount, err := strconv.ParseFloat(strings.ReplaceAll(f.AmountText, ",", ""), 64)
	if err != nil || !(amount > 0 && amount < 1e9) {
		f.Errors["amount"] = "Enter an amount above zero"
	} else {
		f.Cents = int64(amount*100 + 0.5)
	}
	if !slices.Contains(currencies, f.Currency) {
		f.Errors["currency"] = "Choose a currency"
	}
	if !slices.Contains(statuses, f.Status) {
		f.Errors["status"] = "Choose a status"
	}
	f.readDates()
	if len(f.Notes) > 2000 {
		f.Errors["notes"] = "Notes have at most 2,000 characters"
	}
	return f
}

func (f *form) readDates() {
	var err error
	if f.Issued, err = time.Parse(dateLayout, f.IssuedText); err != nil {
		f.Errors["issued"] = "Enter the day of issue"
	}
	if f.Due, err = time.Parse(dateLayout, f.DueText); err != nil || f.Due.Before(f.Issued) {
		f.Errors["due"] = "Enter a day on or after the day of issue"
	}
}
