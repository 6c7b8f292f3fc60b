package htmlonly

import (
	"regexp"

	"golang.org/x/net/html"
)

// As inpage's Markup has them.
var (
	shares       = regexp.MustCompile(`^(https?://(www\.)?(facebook\.com/(sharer|share\.php|dialog/(share|feed))|(twitter|x)\.com/(intent|share|home\?status)|linkedin\.com/(shareArticle|sharing)|pinterest\.[a-z.]+/pin/create|reddit\.com/submit|tumblr\.com/(share|widgets/share)|api\.whatsapp\.com/send|wa\.me/\?|t\.me/share|telegram\.me/share|plus\.google\.com/share|getpocket\.com/(save|edit)|news\.ycombinator\.com/submitlink|vk(ontakte)?\.(com|ru)/share)|whatsapp:)`)
	sharingWords = regexp.MustCompile(`(?i)(^|[\s_-])(share|sharing|shares|social|socials|addthis|addtoany|sharedaddy|sharethis)($|[\s_-])`)
	tagged       = regexp.MustCompile(`<[^>]*>`)
)

// sharing reports whether an element may be a row of links by which a page is
// shared, which is left out where it is short.
func sharing(n *html.Node) bool {
	class, _ := attribute(n, "class")
	id, _ := attribute(n, "id")
	return sharingWords.MatchString(class + " " + id)
}
