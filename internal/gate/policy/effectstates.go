package policy

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// judgeStates raises the risk of requests that set a state which means that a thing is deleted,
// cancelled, published or paid, that give rights, or that change how somebody signs in.
func judgeStates(j *judgement, r action.Request) (found kinds) {
	for _, f := range r.Fields {
		name := normalize(fieldName(f.Name))
		value := normalize(f.Value)
		if f.Name == "" { // the whole body is the value: PUT /orders/7/status
			name = lastWords(r.URL)
		}
		switch {
		case switchNames[name] != 0 && (truths[value] || strings.HasSuffix(name, " at") && value != "null" && value != ""):
			found |= switchNames[name]
		case (name == "private" || name == "is private") && (value == "false" || value == "0"):
			found |= sends
		case name == "status" || name == "state" || name == "new status":
			found |= stateNames[value]
		case powers[value] && endsWithRank(name):
			found |= grants
		case audiences[name] && everybody[value]:
			found |= sends
		}
	}
	if found != 0 {
		j.raise(action.High, "effect.state", "what it sends deletes, cancels, publishes or pays something, or gives rights, by its state")
	}
	if changesPassword(r.Fields) || setsPassword(r) {
		j.raise(action.High, "effect.signin", "it changes how somebody signs in")
		found |= grants
	}
	return found
}

var (
	truths      = map[string]bool{"true": true, "1": true, "on": true, "yes": true}
	switchNames = map[string]kinds{
		"deleted": destroys, "is deleted": destroys, "removed": destroys, "trashed": destroys, "deleted at": destroys, "cancelled": ends, "canceled": ends, "cancelled at": ends, "revoked": ends, "published": sends, "is published": sends, "published at": sends,
		"banned": ends, "is banned": ends, "suspended": ends, "is suspended": ends, "terminated": ends, "refunded": pays, "paid": pays, "is paid": pays,
		"is administrator": grants, "is admin": grants, "admin": grants, "is superuser": grants, "is staff": grants, "superuser": grants, "is public": sends, "public": sends,
	}
	stateNames = map[string]kinds{"deleted": destroys, "trashed": destroys, "trash": destroys, "removed": destroys, "cancelled": ends, "canceled": ends, "terminated": ends, "revoked": ends, "suspended": ends, "published": sends, "publish": sends, "sent": sends, "paid": pays, "refunded": pays}
	powers     = namesOf(`admin admins administrator administrators owner owners superuser superusers root superadmin superadmins`)
	audiences  = setOf(strings.Split("visibility,privacy,access,sharing,audience,link access,link sharing", ","))
	everybody  = setOf(strings.Split("public,world,everyone,everybody,anyone,anyone with link,anyone with the link", ","))
	ranks      = namesOf(`role roles group groups level rank scope scopes permission permissions`)
)

// endsWithRank reports whether the name of a field is about what somebody may do.
func endsWithRank(name string) bool {
	t := strings.Fields(name)
	return len(t) > 0 && (ranks[t[len(t)-1]] || name == "user type" || name == "account type")
}

// lastWords are the words at the end of an address's path.
func lastWords(address string) string {
	segments := segmentsOf(address)
	if len(segments) == 0 {
		return ""
	}
	return segments[len(segments)-1]
}

// setsPassword reports whether a request sets the password of what its address names. Signing in is
// a POST.
func setsPassword(r action.Request) bool {
	if r.Method != http.MethodPatch && r.Method != http.MethodPut || signInNames[lastWords(r.URL)] {
		return false
	}
	return slices.ContainsFunc(r.Fields, func(f action.BodyField) bool {
		return f.Value != "" && f.Value != "null" && ownPassword[strings.ToLower(fieldName(f.Name))]
	})
}

var ownPassword = namesOf(`password passwd pwd`)

// newPassword matches names of fields for a password that is set, not one that signs in.
var newPassword = regexp.MustCompile(`(?i)^(new|confirm(ed|ation)?|repeat(ed)?|verify|retype|re|change|old|current)[-_. ]?(pass|passwd|password|pwd)\d?$|(pass|passwd|password|pwd)[-_. ]?(new|conf|confirm(ation)?|repeat(ed)?|again|verify|2)$|^inpassword$`)

func changesPassword(fields []action.BodyField) bool {
	for _, f := range fields {
		if newPassword.MatchString(fieldName(f.Name)) {
			return true
		}
	}
	return false
}

var anyPassword = regexp.MustCompile(`(?i)pass(word|wd)?$|pwd$`)

func hasPassword(fields []action.BodyField) bool {
	for _, f := range fields {
		if anyPassword.MatchString(f.Name) {
			return true
		}
	}
	return false
}

// namesPassword reports whether the path of an address has the word password.
func namesPassword(address string) bool {
	return strings.Contains(strings.ToLower(wholePath(address)), "passw")
}
