package policy

import (
	"encoding/hex"
	"regexp"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// placed is what an address asks for by its last name together with a name before it: each of
// them alone is harmless.
type placed struct {
	last, place map[string]bool
	paid        bool // also where payments and orders are
	kind        kinds
	why         string
}

var placedActs = []placed{
	{namesOf(`complete confirm verify capture settle finalize finalise execute void reverse`), namesOf(`checkout kasse caja caisse cassa`), true, pays, "it finishes an order, a booking or a payment"},
	{namesOf(`complete confirm submit finalize finalise place`), namesOf(`cart basket bag trolley warenkorb panier carrito carrello`), false, pays, "it orders what is in the cart"},
	{namesOf(`upgrade subscribe renew reactivate activate extend`), namesOf(`billing subscription subscriptions membership memberships pricing`), false, pays, "it takes or changes a paid plan"},
	{namesOf(`switch change`), namesOf(`subscription subscriptions membership memberships`), false, pays, "it takes or changes a paid plan"},
	{namesOf(`upgrade subscribe renew extend buy`), namesOf(`plan plans licence licences license licenses`), false, pays, "it takes or changes a paid plan"},
	{namesOf(`add buy topup charge reload`), namesOf(`credits credit wallet balance`), false, pays, "it buys credit"},
	{namesOf(`unlock open disarm release`), namesOf(`door doors lock locks gate gates garage car cars vehicle vehicles valve valves safe alarm alarms`), false, grants, "it opens or unlocks something"},
}

// judgePlaces raises the risk of requests whose last name does harm in the place that the names
// before it say, as in /cart/submit.
func judgePlaces(j *judgement, r action.Request) (found kinds) {
	segments := segmentsOf(lenientReading(r.URL))
	if len(segments) == 0 {
		return 0
	}
	last, before := segments[len(segments)-1], segments[:len(segments)-1]
	if planPlaces[last] && namesPlan(r.Fields) {
		j.raise(action.Critical, "effect.pays", "it takes or changes a paid plan")
		found |= pays
	}
	for _, act := range placedActs {
		if !act.last[last] || !slices.ContainsFunc(before, act.is) {
			continue
		}
		if act.kind.has(pays) {
			j.raise(action.Critical, "effect.pays", act.why)
		} else {
			j.raise(action.High, "effect.makes", act.why)
		}
		found |= act.kind
	}
	return found
}

// is reports whether a name in an address is the place of the act.
func (a placed) is(name string) bool {
	return a.place[name] || a.paid && (harmfulThings[name].has(pays) || words().checkout.exact[name])
}

// planNames are names of fields for a paid plan or its price, planPlaces ends of addresses that
// take one. A newsletter is subscribed to by an address of mail.
var (
	planNames  = namesOf(`plan plan_id planid price price_id priceid tier product_id productid offer_id`)
	planPlaces = namesOf(`subscribe subscription subscriptions plan upgrade billing membership`)
)

// namesPlan reports whether a field names a paid plan or its price.
func namesPlan(fields []action.BodyField) bool {
	return slices.ContainsFunc(fields, func(f action.BodyField) bool { return planNames[strings.ToLower(fieldName(f.Name))] && f.Value != "" })
}

// judgeEncoded raises the risk of requests that name an operation in hexadecimal digits or base64,
// in their path or as a value.
func judgeEncoded(j *judgement, r action.Request) kinds {
	var said []string
	for name := range strings.SplitSeq(wholePath(r.URL), "/") {
		said = append(said, decodedOrder(name))
	}
	for _, f := range r.Fields {
		said = append(said, decodedOrder(f.Value))
	}
	found := kindsOf(strings.Join(said, " · ")) & (destroys | pays | sends)
	if found != 0 {
		j.raise(action.High, "effect.acts", "it names, in another spelling, an operation that deletes, pays or sends something")
	}
	return found
}

const (
	shortestEncoded = 8 // characters
	longestEncoded  = 120
)

// operationName matches the name of an operation; plain words are texts.
var operationName = regexp.MustCompile(`^[A-Za-z][A-Za-z_.:/-]{4,60}$`)

// decodedOrder is the order that a text gives when it is decoded, "" if there is none.
func decodedOrder(text string) string {
	if len(text) < shortestEncoded || len(text) > longestEncoded {
		return ""
	}
	plain, err := hex.DecodeString(text)
	if err != nil {
		plain, err = fromBase64(text)
	}
	if err != nil || !operationName.Match(plain) {
		return ""
	}
	return orderOf(operationWords(string(plain)), anyHarm)
}
