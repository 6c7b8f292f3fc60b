package policy

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// Cover is what a person's approval of an act covers of its requests: one that the element
// makes by itself, or else one that names no harm, and those that only read.
type Cover struct {
	Hosts []string // with ports, that the person was shown: of the page, the frame and the form
	Kinds kinds    // of harm that the person was shown
	Risk  action.Risk

	own []ownRequest // that the element makes by itself: its form's, its link's
}

// ownRequest is a request that an element makes by itself.
type ownRequest struct {
	method string
	url    string // without fragment; of a GET form without its fields
	fields [][2]string
	form   bool // it sends fields, and others besides that say nothing of what it does
}

// Covers is what a person's approval of a call covers of its requests.
func (p *Policy) Covers(facts action.Facts, risk action.Risk) Cover {
	c := Cover{Risk: risk, own: ownRequests(facts)}
	for _, address := range shownAddresses(facts) {
		if place := hostPort(address); place != "" && !slices.Contains(c.Hosts, place) {
			c.Hosts = append(c.Hosts, place)
		}
	}
	for _, text := range shownTexts(facts) {
		c.Kinds |= kindsOf(text)
	}
	if facts.Element != nil {
		if r, posts := posted(facts.Element); posts {
			_, found := p.classify(r)
			c.Kinds |= found
		}
	}
	return c
}

// ownRequests are the requests that an act makes without a script of the page that decides
// about them: of its form, of its link, and those that its attributes name.
func ownRequests(facts action.Facts) []ownRequest {
	e := facts.Element
	if e == nil {
		if facts.Destination == nil {
			return nil
		}
		return []ownRequest{{method: http.MethodGet, url: withoutFragment(facts.Destination.URL)}}
	}
	var own []ownRequest
	if e.Submits && e.FormAction != "" && e.FormRead {
		o := ownRequest{method: http.MethodGet, url: withoutFragment(e.FormAction), fields: e.FormFields, form: true}
		if e.FormMethod == "post" {
			o.method = http.MethodPost
		} else {
			o.url, _, _ = strings.Cut(o.url, "?")
		}
		own = append(own, o)
	}
	method := ""
	for _, order := range splitFact(e.Orders) {
		name, value, _ := strings.Cut(order, "=")
		name = strings.TrimPrefix(name, "data-")
		switch {
		case name == "method" || name == "turbo-method":
			method = strings.ToUpper(value)
		case strings.HasPrefix(name, "hx-") && name != "hx-confirm":
			own = append(own, ownRequest{method: strings.ToUpper(strings.TrimPrefix(name, "hx-")), url: withoutFragment(resolved(e.FrameURL, value)), fields: e.FormFields, form: true})
		}
	}
	if e.LinkURL == "" {
		return own
	}
	link := withoutFragment(e.LinkURL)
	if method == "" || method == http.MethodGet {
		return append(own, ownRequest{method: http.MethodGet, url: link})
	}
	// Libraries send the method, or a form that has it in a field.
	return append(own, ownRequest{method: method, url: link},
		ownRequest{method: http.MethodPost, url: link, fields: [][2]string{{"_method", strings.ToLower(method)}}, form: true})
}

// resolved returns an absolute address; "" if that cannot be made.
func resolved(base, address string) string {
	b, err := url.Parse(base)
	if err != nil {
		return ""
	}
	to, err := b.Parse(address)
	if err != nil {
		return ""
	}
	return to.String()
}

func withoutFragment(address string) string {
	address, _, _ = strings.Cut(address, "#")
	return address
}

// OwnRequest reports whether a request is one that the approved element makes by itself, with
// the values that it had when the person was asked. The caller lets one of them pass.
func (c Cover) OwnRequest(r action.Request) bool {
	return c.sentBy(r) && slices.ContainsFunc(c.own, func(o ownRequest) bool { return o.fits(r) })
}

// OpaqueRequest reports whether a request changes something on a host that the person was
// shown, and names no harm. The caller lets one pass, where no own request has.
func (c Cover) OpaqueRequest(v EffectVerdict, r action.Request) bool {
	return v.Own <= action.Medium && v.Kinds == 0 && !v.Reads && c.shows(hostPort(r.URL)) && c.sentBy(r)
}

func (o ownRequest) fits(r action.Request) bool {
	address, fields := withoutFragment(r.URL), r.Fields
	if r.Method != o.method || r.Unread || r.Cut {
		return false
	}
	if o.form && o.method == http.MethodGet {
		query := ""
		address, query, _ = strings.Cut(address, "?")
		if _, err := url.ParseQuery(query); err != nil {
			return false
		}
		fields = queryFields(r.URL)
	}
	if address != o.url {
		return false
	}
	return !o.form && len(fields) == 0 || o.form && sameFields(o.fields, fields)
}

// sameFields reports whether a request has the fields of a form with the same values. It may
// have others, as scripts add tokens, but none that says what the request does.
func sameFields(shown [][2]string, sent []action.BodyField) bool {
	left := slices.Clone(sent)
	for _, s := range shown {
		at := slices.IndexFunc(left, func(f action.BodyField) bool { return f.Name == s[0] && sameValue(s[1], f.Value) })
		if at < 0 {
			return false
		}
		name, whole := left[at].Name, !strings.HasSuffix(s[1], "…")
		left = slices.Delete(left, at, at+1)
		if whole { // what is read within the value was shown with it
			left = slices.DeleteFunc(left, func(f action.BodyField) bool { return name != "" && strings.HasPrefix(f.Name, name+".") })
		}
	}
	return !slices.ContainsFunc(left, func(f action.BodyField) bool {
		return Significant(f) || slices.ContainsFunc(shown, func(s [2]string) bool { return s[0] == f.Name })
	})
}

const shownValue = 200 // characters of a form's value that are known, see action.Element.FormFields

// sameValue compares a value of a form, which may be cut, with one that is sent.
func sameValue(shown, sent string) bool {
	sent = strings.Join(strings.Fields(sent), " ")
	if cut, isCut := strings.CutSuffix(shown, "…"); isCut && len(cut) >= shownValue-1 {
		return strings.HasPrefix(sent, cut)
	}
	return sent == strings.Join(strings.Fields(shown), " ")
}

// follows reports whether a request is one of those that pages make after an approved one: it
// only reads or is a search by its own words, or it opens a channel, on a host that was shown.
func (c Cover) follows(r action.Request, risk action.Risk) bool {
	most := action.Low
	if r.Kind == action.ChannelKind {
		most = action.Medium
	}
	return risk <= most && c.shows(hostPort(r.URL)) && c.sentBy(r)
}

// shows reports whether a host was shown, or is by its name a host of the API of a site that
// was shown.
func (c Cover) shows(host string) bool {
	if slices.Contains(c.Hosts, host) && host != "" {
		return true
	}
	first, _, _ := strings.Cut(host, ".")
	return apiHosts[first] && slices.ContainsFunc(c.Hosts, func(shown string) bool { return siteOf(withoutPort(shown)) == siteOf(withoutPort(host)) })
}

var apiHosts = map[string]bool{"api": true, "apis": true, "graphql": true, "gateway": true, "backend": true, "rest": true}

// sentBy reports whether the sender of a request was shown. A request of another frame, or of a
// document without an origin, is not covered.
func (c Cover) sentBy(r action.Request) bool {
	if r.Kind == action.ChannelKind { // the egress proxy knows only its destination
		return true
	}
	if r.Top && slices.ContainsFunc(c.own, func(o ownRequest) bool { return o.method == http.MethodGet && o.url == withoutFragment(r.URL) }) {
		return true
	}
	return (r.Origin == "" || c.shows(hostPort(r.Origin))) && c.shows(hostPort(r.Document))
}

// CoversEffect is what a person's approval of a request covers besides it: what the page reads
// then from the same hosts, and from those of the act that caused it.
func CoversEffect(r action.Request, act Cover) Cover {
	return Cover{Hosts: append([]string{hostPort(r.URL), SenderOf(r)}, act.Hosts...)}
}

// CoverOfRequest is what a question about a request shows.
func CoverOfRequest(r action.Request, v EffectVerdict) Cover {
	return Cover{Hosts: []string{hostPort(r.URL), SenderOf(r)}, Kinds: v.Kinds, Risk: v.Risk}
}

// Includes reports whether c shows all hosts and kinds of harm that other shows, up to its risk.
func (c Cover) Includes(other Cover) bool {
	return other.Kinds&^c.Kinds == 0 && other.Risk <= max(c.Risk, action.Medium) && !slices.ContainsFunc(other.Hosts, func(host string) bool { return !c.shows(host) })
}

// IsConfirmation reports whether the value of a field is one by which somebody confirms: "yes", or
// the words of a button such as "Delete invoice".
func IsConfirmation(value string) bool {
	plain := normalize(value)
	return truths[plain] || plain == "y" || plain == "post" || plain == "✓" || words().affirm.is(value) ||
		len(tokens(value)) <= maxCommand && !strings.ContainsAny(value, "0123456789,") && kindsOf(value) != 0
}

// shownAddresses are the addresses that a call concerns.
func shownAddresses(facts action.Facts) []string {
	all := []string{facts.Page.URL}
	for _, e := range []*action.Element{facts.Element, facts.Onto} {
		if e == nil {
			continue
		}
		all = append(all, e.FrameURL)
		if e.Submits {
			all = append(all, e.FormAction)
		}
	}
	if facts.Destination != nil {
		all = append(all, facts.Destination.URL)
	}
	return all
}

// shownTexts are the texts by which a call is judged.
func shownTexts(facts action.Facts) []string {
	texts := slices.Clone(facts.Options)
	for _, e := range []*action.Element{facts.Element, facts.Onto} {
		if e != nil {
			texts = append(texts, e.Name, split(e.Label), e.SubmitName, e.Within, e.Dialog, split(e.Orders))
			texts = append(texts, e.Also)
			texts = append(texts, segmentsOf(e.FormAction)...)
			texts = append(texts, segmentsOf(e.LinkURL)...)
		}
	}
	if facts.Dialog != nil {
		texts = append(texts, facts.Dialog.Message)
	}
	if facts.Destination != nil {
		texts = append(texts, segmentsOf(facts.Destination.URL)...)
	}
	return texts
}
