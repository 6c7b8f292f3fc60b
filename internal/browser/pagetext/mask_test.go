package pagetext

import "testing"

func TestAddressesAreShownWithoutSecrets(t *testing.T) {
	for address, want := range map[string]string{
		"https://a.example/x?y=1#top":                              "https://a.example/x?y=1#top",
		"https://user:pw@a.example/":                               "https://a.example/",
		"https://a.example/?access_token=abc&page=2":               "https://a.example/?access_token=(masked)&page=2",
		"https://a.example/#id_token=abc":                          "https://a.example/#id_token=(masked)",
		"https://a.example/?code=short&state=12345678":             "https://a.example/?code=short&state=(masked)",
		"https://a.example/?q=eyJhbGciOiJIUzI1NiJ9":                "https://a.example/?q=(masked)",
		"https://a.example/reset/0123456789abcdef0123456789ABCDEF": "https://a.example/reset/(masked)",
		"https://a.example/s/aB3aB3aB3aB3aB3aB3aB3aB3/edit":        "https://a.example/s/(masked)/edit",
		"https://a.example/?x-api-key=k&api%5Fkey=k":               "https://a.example/?x-api-key=(masked)&api%5Fkey=(masked)",
		"https://a.example/?empty_token=":                          "https://a.example/?empty_token=",
		"data:text/html,secret":                                    "data:",
		"javascript:alert(1)":                                      "javascript:",
		"https://a.example/%zz?token=abc":                          "https://a.example/%zz?(masked)",
		"":                                                         "",
	} {
		if got := MaskURL(address); got != want {
			t.Errorf("%s\n got %s\nwant %s", address, got, want)
		}
	}
	text := `went to https://a.example/?token=abc, then "wss://b.example/?sid=12345678"`
	if got, want := MaskURLs(text), `went to https://a.example/?token=(masked) then "wss://b.example/?sid=(masked)"`; got != want {
		t.Errorf("got %s", got)
	}
}
