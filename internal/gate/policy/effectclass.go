package policy

import (
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// classify tells how bad a request is by itself, and which kinds of harm it
// names.
func (p *Policy) classify(r action.Request) (judgement, kinds) {
	j := judgement{risk: action.Low, rule: "effect.reads", why: "it only reads", hosts: effectHosts(r)}
	if reads(r.Method) {
		if isFile(r) {
			return j, 0
		}
		plain := j
		if judgeActing(&j, r.URL); j.risk >= action.High && r.Kind != "Document" && siteOf(hostOf(r.Document)) == siteOf(hostOf(r.URL)) {
			j = plain
			judgeAddress(&j, r.URL, false, titlesOf(r.Document))
		}
		if j.risk < action.High {
			return j, 0
		}
		return j, kindsOf(strings.Join(segmentsOf(r.URL), " · "))
	}
	if r.Kind == action.ChannelKind {
		j.rule, j.why = "effect.channel", "it opens a WebSocket to "+hostOf(r.URL)+", and what is sent over one is not held"
		return j, 0
	}
	if tellsAboutPage(r) {
		j.rule, j.why = "effect.analytics", "it tells a server about the page"
		return j, 0
	}
	op, called := graphQL(r)
	quiet := isQuiet(r) || op == "query"
	if !quiet {
		j.raise(action.Medium, "effect.change", "it sends "+r.Method+" to "+hostOf(r.URL)+", which may change something there")
	}
	said := append(saidBy(r), called)
	found := words.harmful.find(readings(strings.Join(said, " · ")), mentioned)
	kind := found.kinds()
	if op != "query" {
		before := j.risk
		judgeAddress(&j, r.URL, !quiet, nil)
		if j.risk > before {
			j.rule = "effect.address"
			kind |= kindsOf(strings.Join(segmentsOf(r.URL), " · "))
		}
	}
	switch {
	case op == "query":
		kind = 0
	case found.critical != 0:
		j.raise(action.Critical, "effect.pays", "what it sends says that it pays, orders or transfers money, or closes an account")
	case found.high != 0:
		j.raise(action.High, "effect.acts", "what it sends says that it deletes, ends, sends or publishes something")
	}
	if r.Method == http.MethodDelete {
		j.raise(action.High, "effect.delete", "it deletes something by the method DELETE")
		kind |= destroys
	}
	if !quiet {
		kind |= p.judgeThings(&j, r, called)
	}
	if isBank(hostOf(r.URL)) && !quiet {
		j.raise(action.High, "effect.bank", "it changes something at a bank")
	}
	if isPayment(hostOf(r.URL)) && !quiet {
		j.raise(action.Critical, "effect.payment", "it is sent to a place to pay")
		kind |= pays
	}
	if !quiet && movesMoney(r.Fields) {
		j.raise(action.Critical, "effect.money", "it sends an amount of money and who gets it, or a payment card")
		kind |= pays
	}
	return j, kind
}

// effectHosts are the hosts whose trust counts: of the request and of the
// document that makes it.
func effectHosts(r action.Request) []string {
	hosts := []string{hostOf(r.URL)}
	if from := hostOf(r.Document); from != "" && from != hosts[0] {
		hosts = append(hosts, from)
	}
	return hosts
}

// saidBy are the words of a body that say what it does: values of fields that
// name a deed, and fields that are called as a deed is.
func saidBy(r action.Request) []string {
	var said []string
	for _, f := range r.Fields {
		name := f.Name[strings.LastIndexByte(f.Name, '.')+1:]
		switch {
		case strings.ToLower(name) == "post": // "the form was sent", as Django says it
		case commandNames[strings.ToLower(name)]:
			if !isDraft(tokens(split(f.Value))) {
				said = append(said, split(f.Value))
			}
		case kindsOf(split(name))&(destroys|pays|sends) != 0 && words.high.is(split(name)):
			said = append(said, split(name))
		}
	}
	return said
}

// quiet are names of addresses that are sent to without changing anything that
// matters: searches, checks, and what pages tell about themselves.
var quiet = setOf(strings.Fields(`search searches query queries filter filters suggest suggestions autocomplete typeahead complete completion lookup find count
		review preview render validate validation check verify ping poll track log logging stats view views viewed read seen presence typing autosave autosaves draft drafts list browse
		translate highlight markdown diff batchread msearch scroll recommend recommendations perf performance react reactions heartbeat`))

// commandNames are names of fields that say what is to be done.
var commandNames = setOf(strings.Fields(`action action2 act do op operation cmd command method _method mode func function intent bulk_action doaction wc-ajax`))

// analytics are names of addresses to which pages tell about themselves, and
// nothing else. What stands in the body counts for nothing there.
var analytics = setOf(strings.Fields(`collect beacon telemetry analytics metrics rum vitals tracking heartbeat keepalive csp impressions impression sentry envelope`))

// tellsAboutPage reports whether a request goes where pages tell about
// themselves.
func tellsAboutPage(r action.Request) bool {
	if r.Kind == "CSPViolationReport" {
		return true
	}
	segments := segmentsOf(r.URL)
	if len(segments) == 0 || !reads(r.Method) && r.Method != http.MethodPost {
		return false
	}
	return analytics[segments[len(segments)-1]]
}

// things are what is sent, paid, or given rights by making one: a POST to a
// collection of them, or any change of those that are rights.
var things = map[string]kinds{
	"messages": sends, "message": sends, "mails": sends, "emails": sends, "sms": sends, "invitations": sends, "invites": sends, "invite": sends,
	"orders": pays, "order": pays, "payments": pays, "payment": pays, "transfers": pays, "transfer": pays, "bookings": pays, "booking": pays, "purchases": pays,
	"donations": pays, "refunds": pays, "charges": pays,
	"members": grants, "maintainers": grants, "maintainer": grants, "collaborators": grants, "collaborator": grants, "permissions": grants, "permission": grants,
	"roles": grants, "role": grants, "visibility": grants, "acl": grants, "access": grants, "forwarding": grants, "users": grants, "admins": grants, "people": grants, "payees": pays, "beneficiaries": pays,
}

// changed are the things of which every change counts, not only a new one.
var changed = setOf(strings.Fields(`permissions permission roles role visibility acl access forwarding members maintainers collaborators people`))

// judgeThings raises the risk of making what sends, pays or gives rights.
func (p *Policy) judgeThings(j *judgement, r action.Request, called string) kinds {
	var found kinds
	segments := segmentsOf(r.URL)
	for i := len(segments) - 1; i >= 0 && i >= len(segments)-2; i-- {
		if (i == len(segments)-1 && r.Method == http.MethodPost) || changed[segments[i]] {
			found |= things[segments[i]]
		}
	}
	for _, call := range strings.Split(called, " · ") {
		made := tokens(call)
		if len(made) > 1 && makes[made[0]] {
			found |= things[made[len(made)-1]]
		}
	}
	if givesRights(r.Fields) {
		found |= grants
	}
	switch {
	case found.has(pays):
		j.raise(action.Critical, "effect.pays", "it makes an order, a booking or a payment")
	case found != 0:
		j.raise(action.High, "effect.makes", "it sends a message, invites somebody or changes who may do what")
	}
	return found
}

// givesRights reports whether fields say who may do what: those of a form, or of
// the thing that a JSON body is.
func givesRights(all []action.BodyField) bool {
	for _, f := range all {
		name := strings.TrimRight(strings.ToLower(f.Name), "[]0123456789.")
		if rights[name] && f.Value != "" {
			return true
		}
	}
	return false
}

// rights are names of fields that say who may do what.
var rights = setOf(strings.Fields(`role roles user_role userrole permission permissions user_permissions is_superuser is_staff is_admin isadmin issuperuser superuser admin_level
		access_level accesslevel access_role accessrole capabilities privilege privileges user_groups acl`))

// makes are what names of operations begin with that make a thing.
var makes = setOf(strings.Fields(`create add make place new submit send book set update change put post`))

// isQuiet reports whether an address names nothing but what is quiet at its end.
func isQuiet(r action.Request) bool {
	segments := segmentsOf(r.URL)
	for i := len(segments) - 1; i >= 0 && i >= len(segments)-2; i-- {
		for w := range strings.FieldsSeq(segments[i]) {
			if quiet[w] {
				return true
			}
		}
	}
	for _, f := range r.Fields {
		if name := strings.ToLower(f.Name); commandNames[name] && (quiet[plainly(f.Value)] || onlyReads(f.Value)) {
			return true
		}
	}
	return false
}

// onlyReads reports whether the name of an operation says that it reads:
// "torrent-get", "listItems".
func onlyReads(operation string) bool {
	t := tokens(split(operation))
	return len(t) > 1 && (readingWords[t[0]] || readingWords[t[len(t)-1]]) && kindsOf(split(operation)) == 0
}

// readingWords are the words of operations that read.
var readingWords = setOf(strings.Fields(`get list fetch read query search find count status info describe lookup`))

var (
	graphQLStart = regexp.MustCompile(`^\s*(?:#[^\n]*\n\s*)*(query|mutation|subscription|\{)\s*(\w*)`)
	graphQLCalls = regexp.MustCompile(`(\w+)\s*[({]`)
)

// graphQL tells of a GraphQL document what it is, "query" or "mutation", and the
// words of what it calls; empty for what is none.
func graphQL(r action.Request) (op, called string) {
	for _, f := range r.Fields {
		name := f.Name[strings.LastIndexByte(f.Name, '.')+1:]
		if name != "query" && name != "operationName" && name != "" {
			continue
		}
		start := graphQLStart.FindStringSubmatch(f.Value)
		switch {
		case name == "operationName" && op == "" && strings.Contains(strings.ToLower(r.URL), "graphql"):
			op, called = "operation", called+" · "+split(f.Value)
		case start == nil:
		case start[1] == "mutation":
			op = "mutation"
			called += " · " + split(start[2])
			for _, call := range graphQLCalls.FindAllStringSubmatch(f.Value, 40) {
				called += " · " + split(call[1])
			}
		case op != "mutation":
			op = "query"
		}
	}
	return op, called
}

// movesMoney reports whether fields hold an amount together with who gets it, or
// the number of a payment card.
func movesMoney(fields []action.BodyField) bool {
	amount, to, card := false, false, false
	for _, f := range fields {
		name := plainly(strings.ReplaceAll(f.Name, ".", " "))
		for w := range strings.FieldsSeq(name) {
			amount = amount || moneyWords[w]
			to = to || payeeWords[w]
		}
		card = card || cardWords.MatchString(name)
	}
	return amount && to || card
}

var (
	moneyWords = map[string]bool{"amount": true, "betrag": true, "montant": true, "importe": true, "valor": true, "importo": true, "bedrag": true}
	payeeWords = map[string]bool{"to": true, "payee": true, "recipient": true, "iban": true, "beneficiary": true, "receiver": true, "destination": true, "creditor": true}
	cardWords  = regexp.MustCompile(`\b(card ?number|cc ?number|cardnumber|cvc|cvv|security code)\b`)
)

// isStatic reports whether a request is for a file that pages load for their
// looks.
func isStatic(r action.Request) bool {
	switch r.Kind {
	case "Image", "Stylesheet", "Font", "Script", "Media":
	default:
		return r.Kind != "Document" && staticFile[extensionOf(r.URL)]
	}
	u, err := url.Parse(r.URL)
	return err == nil && (u.RawQuery == "" || staticFile[path.Ext(u.Path)])
}

// isFile reports whether a request is for a file of a page's looks or code by its
// kind and its name: cancel.js does nothing.
func isFile(r action.Request) bool {
	switch r.Kind {
	case "Image", "Stylesheet", "Font", "Script", "Media":
	default:
		return false
	}
	u, err := url.Parse(r.URL)
	return err == nil && u.RawQuery == "" && staticFile[path.Ext(u.Path)]
}

func extensionOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return path.Ext(u.Path)
}

var staticFile = map[string]bool{".js": true, ".mjs": true, ".css": true, ".png": true, ".svg": true, ".jpg": true, ".jpeg": true, ".gif": true, ".webp": true,
	".ico": true, ".woff": true, ".woff2": true, ".ttf": true, ".json": true, ".map": true, ".html": true, ".wasm": true, ".avif": true}
