package demosite

import (
	"net/url"
	"strconv"
	"strings"
)

const perPage = 8 // invoices on a page of the list

// listing is one page of the list and its query.
type listing struct {
	Query       string
	Status      Status
	Page, Pages int
	Total       int
	Invoices    []Invoice
	Outstanding string // sums in EUR, for the tiles
	Overdue     string
	Paid        string
}

// query reads ?q=, ?status= and ?page= and returns that page of all invoices.
func query(all []Invoice, values url.Values) listing {
	l := listing{Query: strings.TrimSpace(values.Get("q")), Status: Status(values.Get("status"))}
	sums := map[Status]int64{}
	for _, i := range all {
		if i.Currency == "EUR" {
			sums[i.Status] += i.Cents
		}
		if matches(i, l.Query, l.Status) {
			l.Invoices = append(l.Invoices, i)
		}
	}
	l.Outstanding, l.Overdue, l.Paid = money(sums[Sent]+sums[Overdue], "EUR"), money(sums[Overdue], "EUR"), money(sums[Paid], "EUR")
	l.Total = len(l.Invoices)
	l.Pages = max(1, (l.Total+perPage-1)/perPage)
	l.Page, _ = strconv.Atoi(values.Get("page"))
	l.Page = min(max(1, l.Page), l.Pages)
	first := (l.Page - 1) * perPage
	l.Invoices = l.Invoices[first:min(first+perPage, l.Total)]
	return l
}

func matches(i Invoice, text string, status Status) bool {
	if status != "" && i.Status != status {
		return false
	}
	return strings.Contains(strings.ToLower(i.ID+" "+i.Customer), strings.ToLower(text))
}

// To returns the address of another page of the same list.
func (l listing) To(page int) string {
	v := url.Values{}
	if l.Query != "" {
		v.Set("q", l.Query)
	}
	if l.Status != "" {
		v.Set("status", string(l.Status))
	}
	v.Set("page", strconv.Itoa(page))
	return "/invoices?" + v.Encode()
}

// Prev returns the number of the page before, 0 on the first.
func (l listing) Prev() int { return l.Page - 1 }

// Next returns the next page's number, 0 on the last.
func (l listing) Next() int {
	if l.Page == l.Pages {
		return 0
	}
	return l.Page + 1
}
