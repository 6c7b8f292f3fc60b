package htmlonly

import (
	"regexp"
	"strings"

	"github.com/andybalholm/cascadia"
	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
	"golang.org/x/net/html"
)

const (
	mostSheets = 8
	mostRules  = 5000
	leastSize  = 0.35 // of the ordinary size of letters; text below 2 px counts as hidden
)

// look is what style sheets make of an element.
type look struct {
	hidden bool    // a rule hides it
	shown  bool    // another one shows it
	shrink float64 // the smallest size of letters that a rule gives it, beside its parent's; 0 when none does
}

// Sheets are the addresses of the style sheets that the page needs.
func (p *Page) Sheets() []string { return p.linked }

// Styled reports whether the page has styles of any kind.
func (p *Page) Styled() bool { return p.styled || len(p.inline) > 0 }

// Style takes in the style sheets, and reports whether with them every word is
// shown that display: none does not hide: what a rule says of an element of the
// page is known to hide, move and cover nothing.
func (p *Page) Style(linked []string) bool {
	if p.styled && !p.standard {
		return false // quirks: classes match in any case
	}
	for _, sheet := range append(linked, p.sheets...) {
		if !p.sheet(sheet) {
			return false
		}
	}
	for _, s := range p.inline {
		r := rule{nodes: []*html.Node{s.node}}
		parser := css.NewParser(parse.NewInputString(s.text), true)
		if !p.declarations(parser, &r) {
			return false
		}
	}
	return p.contrast() && p.legible(p.root, 1)
}

// rule is what its declarations are held against.
type rule struct {
	nodes   []*html.Node
	perhaps bool // it may hold for them, or not
	pseudo  bool // for what is before or after them
}

// sheet reads one style sheet.
func (p *Page) sheet(text string) bool {
	parser := css.NewParser(parse.NewInputString(text), false)
	var selectors []string
	open := []string{} // the at-rules that are open
	for range mostRules * 20 {
		kind, _, data := parser.Next()
		switch kind {
		case css.ErrorGrammar:
			return !parser.HasParseError() && len(open) == 0
		case css.CommentGrammar:
		case css.AtRuleGrammar:
			if string(data) != "@charset" {
				return false
			}
		case css.BeginAtRuleGrammar:
			open = append(open, strings.ToLower(string(data))+" "+joined(parser.Values()))
			if !knownAround.MatchString(open[len(open)-1]) {
				return false
			}
		case css.EndAtRuleGrammar:
			open = open[:max(0, len(open)-1)]
		case css.QualifiedRuleGrammar:
			selectors = append(selectors, joined(parser.Values()))
		case css.BeginRulesetGrammar:
			r := p.rule(append(selectors, joined(parser.Values())), len(open) > 0)
			selectors = nil
			if idle(open) {
				r = rule{}
			}
			if !p.declarations(parser, &r) {
				return false
			}
		case css.DeclarationGrammar, css.CustomPropertyGrammar: // of a font face
			if strings.Contains(joined(parser.Values()), "data:") {
				return false
			}
		default:
			return false
		}
	}
	return false
}

var knownAround = regexp.MustCompile(`^@(media|supports|font-face|(-\w+-)?keyframes) ?`)

// idle reports whether what is in the at-rules never holds by itself.
func idle(around []string) bool {
	for _, a := range around {
		if strings.HasPrefix(a, "@media") && strings.TrimSpace(strings.TrimPrefix(a, "@media")) == "print" || strings.Contains(a, "keyframes ") {
			return true
		}
	}
	return false
}

func joined(tokens []css.Token) string {
	var all strings.Builder
	for _, t := range tokens {
		all.Write(t.Data)
	}
	return strings.TrimSpace(all.String())
}

var (
	beside  = regexp.MustCompile(`::?(before|after)$`)
	states  = regexp.MustCompile(`:(hover|focus|focus-visible|focus-within|active|visited|link|target)\b`)
	certain = regexp.MustCompile(`^([\w\s.#>+~*-]|\[hidden\])+$`)
	bare    = regexp.MustCompile(`(^|[\s>+~]):`) // of no element by name
)

// rule is that of some selectors, which style sheets repeat.
func (p *Page) rule(selectors []string, perhaps bool) rule {
	key := strings.Join(selectors, ",")
	r, known := p.rules[key]
	if !known {
		r = p.matched(selectors, false)
		p.rules[key] = r
	}
	r.perhaps = r.perhaps || perhaps
	return r
}

// matched finds the elements that a rule is for. A selector that is not plain
// is taken more widely than it is meant, or for everything.
func (p *Page) matched(selectors []string, perhaps bool) rule {
	r := rule{perhaps: perhaps, pseudo: true}
	known := map[*html.Node]bool{}
	for _, selector := range selectors {
		wide := beside.ReplaceAllString(selector, "")
		r.pseudo = r.pseudo && wide != selector
		if !strings.Contains(wide, ":not(") && !strings.Contains(wide, ":has(") {
			wide = states.ReplaceAllString(wide, "")
		}
		r.perhaps = r.perhaps || wide != selector
		s, err := cascadia.Compile(wide)
		if err != nil || !certain.MatchString(wide) || bare.MatchString(selector) {
			s, r.perhaps = cascadia.MustCompile("*"), true
		}
		for _, n := range s.MatchAll(p.root) {
			if !known[n] {
				known[n], r.nodes = true, append(r.nodes, n)
			}
		}
	}
	return r
}

// declarations reads those of one rule, to its end.
func (p *Page) declarations(parser *css.Parser, r *rule) bool {
	for range mostRules {
		kind, _, data := parser.Next()
		switch kind {
		case css.EndRulesetGrammar:
			return true
		case css.ErrorGrammar:
			return !parser.HasParseError()
		case css.CommentGrammar, css.CustomPropertyGrammar:
		case css.DeclarationGrammar:
			if len(r.nodes) > 0 && !p.declared(r, strings.ToLower(string(data)), strings.ToLower(joined(parser.Values()))) {
				return false
			}
		default:
			return false
		}
	}
	return false
}

// declared takes in one declaration for elements of the page.
func (p *Page) declared(r *rule, property, value string) bool {
	value = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "!important"))
	switch {
	case strings.ContainsAny(value, "\\") || strings.Contains(value, "var(") || strings.Contains(value, "calc("):
		return false
	case r.pseudo:
		return !strings.HasPrefix(property, "margin") // nothing else of it reaches beyond itself
	case property == "display":
		return p.hide(r, value)
	case property == "color":
		return p.colours(&p.front, value)
	case property == "background-color" || property == "background":
		return p.colours(&p.ground, value)
	case property == "font-size":
		return p.size(r, value)
	case property == "padding" || strings.HasPrefix(property, "padding-"):
		return padding(r, value)
	}
	values, known := harmless[property]
	return known && values.MatchString(value)
}

var (
	anything    = regexp.MustCompile(``)
	forward     = regexp.MustCompile(`^(((\d*\.)?\d+(px|em|rem|ex|ch|pt|%)?|auto)( |$))+$`)
	broad       = regexp.MustCompile(`^(none|auto|[1-9]\d%|100%|[1-9]\d{2,}px|[6-9](\.\d+)?r?em|[1-9]\d+(\.\d+)?(r?em|ch))$`)
	lineHeight  = regexp.MustCompile(`^(normal|[1-3](\.\d+)?(r?em)?|[1-3]\d\d%|([12]\d|[89])px)$`)
	borderStyle = regexp.MustCompile(`^[\w\s#.%(),-]*$`)
)

// harmless are properties that hide, move and cover nothing, with the values
// for which that is so.
var harmless = map[string]*regexp.Regexp{
	"margin": forward, "margin-top": forward, "margin-bottom": forward, "margin-left": forward, "margin-right": forward,
	"max-width": broad, "width": broad, "line-height": lineHeight,
	"font": regexp.MustCompile(`^(inherit|((normal|italic|bold|[1-9]00) )*([89]|[1-9]\d)px(/[1-3](\.\d+)?)? .+)$`), "font-family": anything, "font-weight": anything, "font-style": anything, "font-variant": anything,
	"text-align": regexp.MustCompile(`^(left|right|center|justify|start)$`), "text-decoration": anything, "text-decoration-line": anything, "text-transform": anything,
	"vertical-align": regexp.MustCompile(`^(baseline|top|middle|bottom)$`),
	"border":         borderStyle, "border-top": borderStyle, "border-bottom": borderStyle, "border-left": borderStyle, "border-right": borderStyle,
	"border-color": borderStyle, "border-width": borderStyle, "border-style": borderStyle, "border-radius": borderStyle, "border-collapse": borderStyle, "border-spacing": forward,
	"list-style": anything, "list-style-type": anything, "box-sizing": anything, "cursor": anything, "overflow-wrap": anything, "word-wrap": anything,
	"-webkit-font-smoothing": anything, "-moz-osx-font-smoothing": anything, "-webkit-text-size-adjust": anything, "-ms-text-size-adjust": anything,
	"text-rendering": anything, "text-underline-offset": anything, "box-shadow": anything, "hyphens": anything, "scroll-behavior": anything, "quotes": anything,
}

// hide takes in a display. Only none is known, and blocks that stay blocks.
func (p *Page) hide(r *rule, value string) bool {
	for _, n := range r.nodes {
		switch kind := tags[n.Data]; {
		case value == "none" && !r.perhaps && !p.look(n).shown:
			p.look(n).hidden = true
		case value == "block" && kind == block && !shaped[n.Data]:
			if _, hides := attribute(n, "hidden"); hides {
				return false
			}
			if p.look(n).hidden {
				return false
			}
			p.look(n).shown = true
		default:
			return false
		}
	}
	return true
}

// shaped are blocks of a display of their own.
var shaped = wordSet("li summary table thead tbody tfoot tr caption")

func (p *Page) look(n *html.Node) *look {
	if p.looks[n] == nil {
		p.looks[n] = &look{}
	}
	return p.looks[n]
}

var inlinePadding = regexp.MustCompile(`^(([0-7](\.\d+)?px|0|0?\.[0-4]\d*r?em)( |$))+$`)

// padding of what is in a line reaches into the lines beside it.
func padding(r *rule, value string) bool {
	for _, n := range r.nodes {
		if tags[n.Data] == inline && !inlinePadding.MatchString(value) {
			return false
		}
	}
	return forward.MatchString(value) && !strings.Contains(value, "auto")
}
