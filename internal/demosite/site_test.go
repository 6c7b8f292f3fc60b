package demosite

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

var today = time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)

// visitor is a browser without scripts.
type visitor struct {
	t    *testing.T
	base string
	http http.Client
	site *Site
}

func visit(t *testing.T) *visitor {
	site := New(Options{SupportURL: "http://support.test/", Now: func() time.Time { return today }})
	server := httptest.NewServer(site.App())
	t.Cleanup(server.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{t: t, base: server.URL, http: http.Client{Jar: jar}, site: site}
}

func (v *visitor) get(path string) (int, string) {
	v.t.Helper()
	return v.read(v.http.Get(v.base + path))
}

func (v *visitor) post(path string, fields ...string) (int, string) {
	v.t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return v.read(v.http.PostForm(v.base+path, form))
}

func (v *visitor) read(r *http.Response, err error) (int, string) {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return r.StatusCode, string(text)
}

var valid = []string{"customer", "Zenith <b>Ltd</b>", "email", "pay@zenith.example", "amount", "1,250.50", "currency", "EUR",
	"issued", "2026-11-01", "due", "2026-12-01", "status", "sent", "remind", "yes", "notes", "Two days"}

func TestNothingIsShownBeforeSigningIn(t *testing.T) {
	v := visit(t)
	for _, path := range []string{"/", "/invoices", "/invoices/new", "/invoices/INV-1001"} {
		if _, text := v.get(path); !strings.Contains(text, "Sign in to Northwind") {
			t.Errorf("%s shows something else than the sign-in page", path)
		}
	}
	if status, _ := v.post("/invoices/INV-1001/delete"); status != 200 || len(v.site.Invoices()) != 34 {
		t.Error("a visitor who is not signed in deleted an invoice")
	}
	if status, text := v.post("/login", "email", testEmail, "password", "wrong"); status != 401 || !strings.Contains(text, "do not match") {
		t.Errorf("a wrong password: %d", status)
	}
	if v.site.SignIns() != 0 {
		t.Error("the visitor is signed in")
	}
}

func TestTheTestAccountAndTheGuestSignIn(t *testing.T) {
	v := visit(t)
	if _, text := v.post("/login", "email", testEmail, "password", testPassword); !strings.Contains(text, "Outstanding") {
		t.Error("the test account does not lead to the invoices")
	}
	if _, text := v.post("/logout"); !strings.Contains(text, "Sign in to Northwind") {
		t.Error("signing out does not lead to the sign-in page")
	}
	if _, text := v.get("/invoices"); !strings.Contains(text, "Sign in to Northwind") {
		t.Error("signing out leaves the visitor signed in")
	}
	if _, text := v.post("/login/guest"); !strings.Contains(text, "Outstanding") || v.site.SignIns() != 2 {
		t.Error("the guest cannot sign in")
	}
}

func TestTheListIsSearchedFilteredAndPaged(t *testing.T) {
	v := visit(t)
	v.post("/login/guest")
	for path, want := range map[string][]string{
		"/invoices":                 {"34 invoices", "INV-1034", "Page 1 of 5"},
		"/invoices?page=5":          {"INV-1001", "Page 5 of 5"},
		"/invoices?page=99":         {"Page 5 of 5"},
		"/invoices?page=x":          {"Page 1 of 5"},
		"/invoices?q=inv-1007":      {"1 invoice matching", "INV-1007", "Page 1 of 1"},
		"/invoices?q=kestrel":       {"Kestrel Aviation"},
		"/invoices?status=draft":    {"2 invoices", "Draft"},
		"/invoices?q=%3Cscript%3E":  {"No invoice matches", "&lt;script&gt;"},
		"/invoices?q=i&status=paid": {"page=2&amp;q=i&amp;status=paid"},
	} {
		status, text := v.get(path)
		for _, w := range want {
			if status != 200 || !strings.Contains(text, w) {
				t.Errorf("%s: %d lacks %q", path, status, w)
			}
		}
	}
}

func TestAnInvoiceIsCreatedChangedAndDeleted(t *testing.T) {
	v := visit(t)
	v.post("/login/guest")
	status, text := v.post("/invoices", valid...)
	if status != 200 || !strings.Contains(text, `data-note="INV-1035 created"`) || !strings.Contains(text, "Zenith &lt;b&gt;Ltd") || !strings.Contains(text, "€1,250.50") {
		t.Fatalf("%d after creating:\n%s", status, text)
	}
	made, ok := v.site.ledger.find("INV-1035")
	if !ok || made.Cents != 125050 || !made.Remind || made.Status != Sent || made.Notes != "Two days" || made.Due.Format(dateLayout) != "2026-12-01" {
		t.Errorf("stored %+v", made)
	}
	if _, text = v.get("/invoices/INV-1035"); strings.Contains(text, "data-note") {
		t.Error("the note is shown twice")
	}
	if _, text = v.post("/invoices/INV-1035", append(valid, "status", "paid")...); !strings.Contains(text, "Changes to INV-1035 saved") {
		t.Error("changes are not saved")
	}
	if made, _ = v.site.ledger.find("INV-1035"); made.Status != Paid {
		t.Errorf("stored %+v", made)
	}
	if _, text = v.post("/invoices/INV-1035/delete"); !strings.Contains(text, "INV-1035 deleted") || len(v.site.Invoices()) != 34 {
		t.Error("the invoice is not deleted")
	}
	for _, path := range []string{"/invoices/INV-1035", "/invoices/nonsense"} {
		if status, _ := v.get(path); status != 404 {
			t.Errorf("%s: %d", path, status)
		}
	}
	if status, _ := v.post("/invoices/INV-1035/delete"); status != 404 {
		t.Errorf("deleting it again: %d", status)
	}
}

func TestInvalidFieldsAreMarkedAndNothingIsStored(t *testing.T) {
	v := visit(t)
	v.post("/login/guest")
	for field, wrong := range map[string]string{"customer": " ", "email": "nobody", "amount": "-1", "currency": "XXX", "issued": "yesterday", "due": "2026-10-01", "status": "gone", "notes": strings.Repeat("x", 2001)} {
		for _, path := range []string{"/invoices", "/invoices/INV-1001"} {
			status, _ := v.post(path, append(append([]string{}, valid...), field, wrong)...)
			if status != 422 {
				t.Errorf("%s %s=%.20q: %d", path, field, wrong, status)
			}
		}
	}
	for _, amount := range []string{"NaN", "Inf", "1e300", "0", ""} {
		if status, _ := v.post("/invoices", append(append([]string{}, valid...), "amount", amount)...); status != 422 {
			t.Errorf("amount %q: %d", amount, status)
		}
	}
	if status, _ := v.post("/invoices", "notes", strings.Repeat("x", maxForm+1)); status != 422 {
		t.Errorf("a huge form: %d", status)
	}
	if i, _ := v.site.ledger.find("INV-1001"); len(v.site.Invoices()) != 34 || i.Customer == "Zenith <b>Ltd</b>" {
		t.Error("something was stored")
	}
}

func TestAnotherSiteCannotPost(t *testing.T) {
	v := visit(t)
	v.post("/login/guest")
	r, _ := http.NewRequest(http.MethodPost, v.base+"/invoices/INV-1001/delete", nil)
	r.Header.Set("Origin", "http://evil.example")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	if status, _ := v.read(v.http.Do(r)); status != 403 || len(v.site.Invoices()) != 34 {
		t.Errorf("a cross-site delete: %d", status)
	}
}

func TestTheInvoicePageHasItsHiddenTextAndLinks(t *testing.T) {
	v := visit(t)
	v.post("/login/guest")
	_, text := v.get("/invoices/INV-1001")
	if n := strings.Count(text, Injection); n != 10 {
		t.Errorf("the hidden text is there %d times unencoded", n)
	}
	for _, want := range []string{tags(Injection), ForbiddenURL, `src="http://support.test/widget"`, "Delete invoice"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if _, text = v.get("/invoices"); strings.Contains(text, Injection) {
		t.Error("the list has the hidden text")
	}
}

func TestSupportTakesMessages(t *testing.T) {
	site := New(Options{})
	server := httptest.NewServer(site.Support())
	defer server.Close()
	v := &visitor{t: t, base: server.URL, site: site}
	if _, text := v.get("/widget"); !strings.Contains(text, "Message to support") {
		t.Error("there is no widget")
	}
	if _, text := v.post("/widget", "message", "Where is my <invoice>?"); !strings.Contains(text, "Thank you") {
		t.Error("no thanks")
	}
	if status, _ := v.post("/widget", "message", " "); status != 422 {
		t.Errorf("an empty message: %d", status)
	}
	for range maxMessages {
		v.post("/widget", "message", "again")
	}
	if m := site.Messages(); len(m) != maxMessages || m[0] != "again" {
		t.Errorf("%d messages, first %q", len(m), m[0])
	}
}

func TestAmountsAreFormatted(t *testing.T) {
	for cents, want := range map[int64]string{0: "€0.00", 5: "€0.05", 99999: "€999.99", 100000: "€1,000.00", 123456789: "€1,234,567.89"} {
		if got := money(cents, "EUR"); got != want {
			t.Errorf("%d cents is %s, want %s", cents, got, want)
		}
	}
}
