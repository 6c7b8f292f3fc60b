package scan

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"
)

// Parts of credentials. The tests join them, so that no file of the repository has a credential.
const (
	github  = "ghp_" + "q7Zk2XvB9mLw4RtY8nPc3HdJ6sFg1Ka5Ue0W"
	aws     = "AKIA" + "Q3EGW7RZ5TKMP2LX"
	stripe  = "sk_live_" + "51Hq7Zk2XvB9mLw4RtY8nPc3Hd"
	random  = "Zf3D0LXCM3EIMbgJ" + "pUNnkRtOfOueHznB"
	strong  = "vT7!kq" + "Zx2#Lm"
	visa    = "4539 5787" + " 6362 1486"
	rsaBody = "MIIEpAIBAAKCAQEAx7Vd0mJ2Yk8S3bQ9" + "wZpL5nHtR1cFgUaE6sKi4oXyBvNqMjDlTf0uPz8C"
)

var jwt = "ey" + "JhbGciOiJSUzI1NiIsImtpZCI6IjQ3MTEifQ.ey" + "JzdWIiOiI0NzExIiwiZW1haWwiOiJhZGFAZXhhbXBsZS5jb20ifQ.dF7kq2ZxLmVt9RwYc3HdJ6sFg1Ka5Ue0WnPbX8"

// typed are texts and the kinds that are found in them.
var typed = []struct {
	name, label, text, kind string
}{
	{"a token alone", "", github, "github-pat"},
	{"at the end of a sentence", "", "Use " + stripe + ". It is new.", "stripe-access-token"},
	{"in brackets", "", "the key (" + aws + ") of the bucket", "aws-access-token"},
	{"in markup", "", "<code>" + stripe + "</code>", "stripe-access-token"},
	{"in the path of an address", "", "https://api.example.com/" + github + "/items", "github-pat"},
	{"in a query", "", "https://api.example.com/?page=2&api_key=" + random + "&sort=up", "generic-api-key"},
	{"in a fragment", "", "https://app.example.com/#access_token=" + jwt + "&state=1", "jwt"},
	{"percent-encoded", "", "https://app.example.com/?q=" + percent(github), "github-pat"},
	{"percent-encoded twice", "", "https://app.example.com/?q=" + strings.ReplaceAll(percent(github), "%", "%25"), "github-pat"},
	{"beside a percent sign", "", "100% sure: %" + percent(github)[1:], "github-pat"},
	{"in full width", "", fullWidth(stripe), "stripe-access-token"},
	{"with letters nobody sees", "", github[:9] + "\u200b" + github[9:20] + "\u2060" + github[20:], "github-pat"},
	{"as an address's user information", "", "postgres://app:" + strong[:5] + "Zx2@db.example.com/prod", "address-password"},
	{"in a header", "", "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("ada:"+strong)), "authorization-header"},
	{"in a script's headers", "", `fetch("/x", {headers: {"Authorization": "Bearer ` + random + `"}})`, "authorization-header"},
	{"as a bearer token", "", "send it as Bearer " + random, "bearer-token"},
	{"in a cookie header", "", "Cookie: sid=" + random + "; theme=dark", "cookie-header"},
	{"a private key", "", "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat(rsaBody+"\n", 3) + "-----END RSA PRIVATE KEY-----", "private-key"},
	{"a private key that is cut off", "", "-----BEGIN PRIVATE KEY-----\n" + rsaBody, "private-key"},
	{"a private key in JSON", "", `{"key":"-----BEGIN PRIVATE KEY-----\n` + rsaBody + `\n"}`, "private-key"},
	{"a JSON Web Key", "", `{"kty":"EC","crv":"P-256","d":"` + random + `q7Zk2XvB9mL"}`, "jwk-private-key"},
	{"a password in prose", "", "the password is " + strong + " as agreed", "password"},
	{"a password in German", "", "Passwort: " + strong, "password"},
	{"a password in Russian", "", "Пароль: " + strong, "password"},
	{"a password in Chinese", "", "密码：" + strong, "password"},
	{"a password in Vietnamese", "", "Mật khẩu là: " + strong, "password"},
	{"alone in a field for it", "API key", random, "generic-api-key"},
	{"alone in a field for it, in French", "Clé API", random, "generic-api-key"},
	{"alone in a field for it, in Japanese", "APIトークン", random, "generic-api-key"},
	{"a card in groups", "", visa, "card-number"},
	{"a card in one", "", strings.ReplaceAll(visa, " ", ""), "card-number"},
	{"a card with hyphens in a sentence", "", "my card " + strings.ReplaceAll(visa, " ", "-") + ", valid until 12/28", "card-number"},
	{"a card behind another number", "", "pay 12 " + visa + " please", "card-number"},
	{"a card in a query", "", "https://shop.example.com/?pan=" + strings.ReplaceAll(visa, " ", "+") + "&cvc=1", "card-number"},
	{"a card in full-width digits", "", fullWidth(strings.ReplaceAll(visa, " ", "")), "card-number"},
	{"a card beside Chinese", "", "卡号" + strings.ReplaceAll(visa, " ", "") + "谢谢", "card-number"},
	{"the secret of one-time codes", "", "otpauth://totp/Example:ada?secret=" + "GEZDGNBVGY3TQOJQ" + "&issuer=Example", "one-time-code-secret"},
	{"behind much else", "", strings.Repeat(prose, 2000) + github, "github-pat"},
}

func TestTypedCredentialsAreFound(t *testing.T) {
	for _, c := range typed {
		if kinds := kindsIn(Text{Field: "text", Label: c.label, Value: c.text}); !slices.Contains(kinds, c.kind) {
			t.Errorf("%s: found %q, want %s", c.name, kinds, c.kind)
		}
	}
}

func TestLongTextsAreScannedAtBothEnds(t *testing.T) {
	for name, text := range map[string]string{
		"begin": github + strings.Repeat(" "+prose, 20_000),
		"end":   strings.Repeat(prose, 20_000) + github,
	} {
		if kinds := kindsIn(Text{Value: text}); !slices.Equal(kinds, []string{"github-pat"}) {
			t.Errorf("%s of %d bytes: found %q", name, len(text), kinds)
		}
	}
}

func TestCertainFilesAreCredentialsByName(t *testing.T) {
	if kinds := kindsIn(Text{File: "backup/ada.p12", Value: "\x30\x82"}); !slices.Equal(kinds, []string{"pkcs12-file"}) {
		t.Errorf("found %q", kinds)
	}
}

func TestDocumentedExamplesPass(t *testing.T) {
	for _, example := range examples {
		for _, text := range []string{example, "token = \"" + example + "\"", "Authorization: Bearer " + example} {
			if kinds := kindsIn(Text{Value: text}); len(kinds) > 0 {
				t.Errorf("%.12s… is taken for %q", example, kinds)
			}
		}
	}
}

func TestTestValuesPass(t *testing.T) {
	s := New([]string{github, strings.ReplaceAll(visa, " ", "")})
	for _, text := range []string{github, "token: " + github + ".", visa} {
		if found := s.Find(Text{Value: text}); len(found) > 0 {
			t.Errorf("found %v", found)
		}
	}
	if found := s.Find(Text{Value: github + " " + aws}); len(found) != 1 || found[0].Kind != "aws-access-token" {
		t.Errorf("beside a test value found %v", found)
	}
}

func TestFindingsHoldNothingOfTheText(t *testing.T) {
	for _, f := range new(Scanner).Find(Text{Field: "text", Label: "API key", Value: github + " " + visa}) {
		if strings.Contains(f.Kind+f.Field, "q7Zk") || strings.Contains(f.Kind+f.Field, "4539") {
			t.Errorf("%+v", f)
		}
	}
}

// percent encodes every byte.
func percent(text string) string {
	var b strings.Builder
	for i := range len(text) {
		b.WriteByte('%')
		b.WriteByte("0123456789ABCDEF"[text[i]>>4])
		b.WriteByte("0123456789ABCDEF"[text[i]&15])
	}
	return b.String()
}

// fullWidth writes a text in the forms that Chinese and Japanese type has
// (Unicode block FF00).
func fullWidth(text string) string {
	return strings.Map(func(r rune) rune {
		if r > ' ' && r <= '~' {
			return r - '!' + '！'
		}
		return r
	}, text)
}
