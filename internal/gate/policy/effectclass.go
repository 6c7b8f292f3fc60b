package policy

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// classify judges a request by itself, and returns the kinds of harm that it names. That an
// address says that it only searches or measures does not lower the risk of what else the
// request names.
func (p *Policy) classify(r action.Request) (judgement, kinds) {
	j := judgement{risk: action.Low, rule: "effect.reads", why: "it only reads", hosts: effectHosts(r)}
	if reads(r) {
		kind := p.classifyReading(&j, r)
		return j, kind
	}
	if r.Kind == action.ChannelKind {
		j.rule, j.why = "effect.channel", "it opens a WebSocket to "+hostOf(r.URL)+", and what is sent over one is not held"
		return j, 0
	}
	op, called := graphQL(slices.Concat(r.Fields, queryFields(r.URL)))
	asksGraph := op == "query" && speaksGraphQL(r.URL)
	measures := isAnalytics(r)
	quiet := measures || asksGraph || isQuiet(r)
	if measures {
		j.rule, j.why = "effect.analytics", "it tells a server about the page"
	}
	if !quiet || r.Unknown && !measures {
		j.raise(action.Medium, "effect.change", "it sends "+r.Method+" to "+hostOf(r.URL)+", which may change something there")
	}
	if asksGraph {
		called = ""
	}
	kind := judgeStated(&j, append(statedActions(r, measures && !isAmbiguousName(r.URL)), called))
	kind |= judgePlaces(&j, r)
	kind |= judgeEncoded(&j, r)
	before := j.risk
	judgeAddress(&j, r.URL, !quiet, nil)
	if j.risk > before {
		j.rule = "effect.address"
		kind |= kindsOf(strings.Join(segmentsOf(r.URL), " · "))
	}
	kind |= judgeSentMethod(&j, r.Method)
	for _, inner := range batched(r) {
		kind |= judgeSentMethod(&j, inner.Method)
		judgeAddress(&j, inner.URL, !reads(inner), nil)
	}
	if measures {
		return j, kind
	}
	kind |= judgeThings(&j, r, called, quiet)
	kind |= judgeStates(&j, r)
	kind |= judgeCode(&j, r)
	p.judgeHostAndMoney(&j, r, quiet, &kind)
	if r.Cut && !quiet {
		j.raise(action.High, "effect.long", "it sends more than can be read")
	}
	return j, kind
}

// destroyingMethods are methods that delete or move what their address names: of HTTP, of
// caches, of links and of WebDAV.
var destroyingMethods = namesOf(`DELETE PURGE BPURGE UNLINK UNBIND MOVE`)

// judgeSentMethod raises the risk by the method of a request that is sent.
func judgeSentMethod(j *judgement, method string) kinds {
	method = strings.ToUpper(method) // browsers send "purge" as it is
	switch found := kindsOf(strings.ToLower(method)); {
	case destroyingMethods[method]:
		j.raise(action.High, "effect.delete", "it deletes or moves something by the method "+method)
		return destroys
	case !plainMethods[method] && found != 0:
		j.raise(action.High, "effect.acts", "its method is "+method)
		return found
	}
	return 0
}

// classifyReading raises the risk of a request whose method only reads.
func (p *Policy) classifyReading(j *judgement, r action.Request) kinds {
	if isFile(r) || isTemplate(r) {
		return 0
	}
	plain, address := *j, withoutEnding(r)
	if judgeActing(j, address); j.risk >= action.High && r.Kind != "Document" && siteOf(hostOf(r.Document)) == siteOf(hostOf(r.URL)) {
		*j = plain
		judgeAddress(j, address, false, titlesOf(r.Document))
	}
	said := queryFields(r.URL)
	if op, called := graphQL(said); op == "mutation" {
		j.raise(action.Medium, "effect.change", "it asks for a change in the address")
		judgeStated(j, []string{called})
	}
	judgeStated(j, statedActions(action.Request{Fields: append(said, r.Fields...)}, true))
	judgeStated(j, statedActions(action.Request{Fields: nestedFields(said)}, false))
	if changesPassword(said) || len(said) > 0 && namesPassword(r.URL) && hasPassword(said) {
		j.raise(action.High, "effect.signin", "it changes how somebody signs in")
	}
	if j.risk < action.High {
		return 0
	}
	return kindsOf(strings.Join(segmentsOf(r.URL), " · "))
}

// judgeStated raises the risk by words that say what the request does.
func judgeStated(j *judgement, said []string) kinds {
	whole := strings.Join(said, " · ")
	if other := spellings.Replace(whole); other != whole { // loeschen
		whole += " · " + other
	}
	found := words().harmful.find(readings(whole), mentioned)
	switch {
	case found.critical != 0:
		j.raise(action.Critical, "effect.pays", "what it sends says that it pays, orders or transfers money, or closes an account")
	case found.high != 0:
		j.raise(action.High, "effect.acts", "what it sends says that it deletes, ends, sends or publishes something")
	}
	return found.kinds()
}

// judgeHostAndMoney raises the risk of requests to banks and payment services, and of those that
// move money.
func (p *Policy) judgeHostAndMoney(j *judgement, r action.Request, quiet bool, kind *kinds) {
	if isBank(hostOf(r.URL)) && !quiet {
		j.raise(action.High, "effect.bank", "it changes something at a bank")
	}
	if isPayment(hostOf(r.URL)) && !quiet {
		j.raise(action.Critical, "effect.payment", "it is sent to a place to pay")
		*kind |= pays
	}
	switch moves, card := moneyIn(r.Fields); {
	case card || moves && !isReview(r.URL):
		j.raise(action.Critical, "effect.money", "it sends an amount of money and who gets it, or a payment card")
		*kind |= pays
	case moves:
		j.raise(action.Medium, "effect.change", "it sends an amount of money and who gets it to a page that shows it again")
	}
}

// effectHosts are the hosts that must be trusted: of the request and of the document that makes
// it.
func effectHosts(r action.Request) []string {
	hosts := []string{hostOf(r.URL)}
	if from := hostOf(r.Document); from != "" && from != hosts[0] {
		hosts = append(hosts, from)
	}
	return hosts
}

// scriptEndings are file extensions of programs on servers, which run whatever follows in the
// path.
var scriptEndings = map[string]bool{".php": true, ".asp": true, ".aspx": true, ".ashx": true, ".asmx": true, ".jsp": true, ".do": true, ".action": true, ".cgi": true, ".pl": true, ".py": true, ".cfm": true}

// harmfulThings are things whose creation sends, pays or gives rights: by a POST to a collection
// of them, and by any change of changeableThings.
var harmfulThings = map[string]kinds{
	"messages": sends, "message": sends, "mails": sends, "emails": sends, "email": sends, "tweet": sends, "tweets": sends, "toots": sends, "statuses": sends, "sms": sends, "invitations": sends, "invites": sends, "invite": sends,
	"replies": sends, "broadcasts": sends, "announcements": sends, "retweets": sends, "reposts": sends, "fax": sends, "faxes": sends, "friend requests": sends, "connection requests": sends,
	"orders": pays, "order": pays, "reservations": pays, "reservation": pays, "tips": pays, "trades": pays, "bids": pays, "payments": pays, "payment": pays, "transfers": pays, "transfer": pays, "bookings": pays, "booking": pays, "purchases": pays,
	"donations": pays, "refunds": pays, "charges": pays, "payouts": pays, "withdrawals": pays, "remittances": pays, "topups": pays, "bets": pays, "wagers": pays,
	"rentals": pays, "rental": pays, "topup": pays, "deployments": sends, "calls": sends, "call": sends, "dial": sends, "sign": grants,
	"members": grants, "maintainers": grants, "maintainer": grants, "collaborators": grants, "collaborator": grants, "permissions": grants, "permission": grants,
	"password": grants, "passwords": grants, "passwd": grants, "passkeys": grants, "ssh keys": grants, "api keys": grants, "apikeys": grants, "deploy keys": grants, "gpg keys": grants, "access keys": grants, "personal access tokens": grants, "role bindings": grants, "rolebindings": grants, "clusterrolebindings": grants, "role assignments": grants, "access tokens": grants, "webhooks": grants, "mfa": grants, "2fa": grants, "totp": grants,
	"roles": grants, "role": grants, "visibility": grants, "acl": grants, "access": grants, "forwarding": grants, "users": grants, "admins": grants, "people": grants, "payees": pays, "beneficiaries": pays,
}

// changeableThings are the harmfulThings of which every change counts, not only the creation.
var changeableThings = namesOf(`permissions permission roles role visibility acl access forwarding members maintainers collaborators people password passwords passwd mfa 2fa totp`)

// signInNames are names in addresses to which a password is sent for signing in.
var signInNames = namesOf(`login signin session sessions auth authenticate token logon register signup`)

// judgeThings raises the risk of creating things that send, pay or give rights.
func judgeThings(j *judgement, r action.Request, called string, quiet bool) kinds {
	var found kinds
	segments := segmentsOf(lenientReading(r.URL))
	if quiet || slices.ContainsFunc(segments, func(s string) bool { return signInNames[s] }) {
		segments = nil
	}
	for i := len(segments) - 1; i >= 0 && i >= len(segments)-2; i-- {
		if (i == len(segments)-1 && r.Method == http.MethodPost) || changeableThings[segments[i]] {
			found |= harmfulThings[segments[i]]
		}
	}
	for _, call := range strings.Split(called, " · ") {
		made := tokens(call)
		if len(made) > 1 && creatingWords[made[0]] {
			found |= harmfulThings[made[len(made)-1]]
		}
	}
	if givesRights(r.Fields) {
		found |= grants
	}
	switch {
	case found.has(pays):
		j.raise(action.Critical, "effect.pays", "it makes an order, a booking or a payment")
	case found == 0 && isMail(r.Fields):
		found = sends
		j.raise(action.High, "effect.makes", "it sends a message")
	case found != 0:
		j.raise(action.High, "effect.makes", "it sends a message, invites somebody or changes who may do what")
	}
	return found
}

// givesRights reports whether fields set roles or permissions: fields of a form, or members of a
// JSON object.
func givesRights(all []action.BodyField) bool {
	for _, f := range all {
		name := strings.TrimRight(strings.ToLower(f.Name), "[]0123456789.")
		if rights[name] && f.Value != "" {
			return true
		}
	}
	return false
}

// rights are names of fields for roles and permissions.
var rights = namesOf(`role roles user_role userrole permission permissions user_permissions is_superuser is_staff is_admin isadmin issuperuser superuser admin_level
		access_level accesslevel access_role accessrole capabilities privilege privileges user_groups acl`)

// isMail reports whether fields are those of a message: a recipient and a subject.
func isMail(fields []action.BodyField) bool {
	to, subject := false, false
	for _, f := range fields {
		switch name := normalize(fieldName(f.Name)); name {
		case "to", "recipient", "recipients", "rcpt", "mail to", "to address":
			to = to || strings.Contains(f.Value, "@")
		case "subject":
			subject = true
		}
	}
	return to && subject
}

// creatingWords are first words of operations that create a thing.
var creatingWords = namesOf(`create add make place new submit send book set update change put post`)

// moneyIn reports whether fields have an amount and a payee, and whether they have the number of a
// payment card.
func moneyIn(fields []action.BodyField) (moves, card bool) {
	amount, to := false, false
	for _, f := range fields {
		name := normalize(strings.ReplaceAll(f.Name, ".", " "))
		for w := range strings.FieldsSeq(name) {
			amount = amount || moneyWords[w]
			to = to || payeeWords[w]
		}
		card = card || cardWords.MatchString(name)
	}
	return amount && to, card
}

// isReview reports whether an address ends with a name for the step before a payment, at which
// people see what they are about to pay.
func isReview(address string) bool {
	segments := pathOf(address)
	return len(segments) > 1 && isUnambiguousPath(address) && segments[len(segments)-1].is(reviewNames)
}

var reviewNames = namesOf(`review preview quote estimate`)

var (
	moneyWords = map[string]bool{"amount": true, "betrag": true, "montant": true, "importe": true, "valor": true, "importo": true, "bedrag": true, "summe": true, "monto": true, "quantia": true}
	payeeWords = map[string]bool{"to": true, "payee": true, "recipient": true, "iban": true, "beneficiary": true, "receiver": true, "destination": true, "creditor": true,
		"empfaenger": true, "empfänger": true, "beneficiaire": true, "beneficiario": true, "destinatario": true, "ontvanger": true, "begunstigde": true}
	cardWords = regexp.MustCompile(`\b(card ?number|cc ?number|cardnumber|cvc|cvv|security code)\b`)
)
