package action

import "net/http"

// The verbs of this file.
var (
	VerbPageScroll     = Define[Scroll, Scrolled](Verb{Name: "page.scroll", Class: Write, Risk: Low, Counts: true, Method: http.MethodPost, Path: "/browser/scroll", Tool: "browser_scroll", Command: "scroll", Summary: "Scroll the page or an element"})
	VerbPageResize     = Define[Resize, Resized](Verb{Name: "page.resize", Class: Write, Risk: Low, Counts: true, Method: http.MethodPost, Path: "/browser/resize", Tool: "browser_resize", Command: "resize", Summary: "Resize the viewport"})
	VerbPageScreenshot = Define[TakeScreenshot, Screenshot](Verb{Name: "page.screenshot", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/browser/screenshot", Tool: "browser_take_screenshot", Command: "screenshot", Summary: "Take a screenshot"})
)

// Scroll scrolls the viewport or an element, or scrolls an element into view if
// no distance is given.
type Scroll struct {
	Locator
	X float64 `json:"x,omitempty" doc:"CSS pixels to the right"`
	Y float64 `json:"y,omitempty" doc:"CSS pixels down" example:"600"`

	AtX *float64 `json:"atX,omitempty" minimum:"0" maximum:"16384" doc:"Scroll what is at this point of the viewport; CSS pixels from its left, with atY"`
	AtY *float64 `json:"atY,omitempty" minimum:"0" maximum:"16384" doc:"CSS pixels from its top"`
	Timing
}

// What returns what is scrolled; x and y are the distance.
func (s *Scroll) What() Locator {
	l := s.Locator
	l.X, l.Y = s.AtX, s.AtY
	return l
}

// Sound refuses a second way of naming what is scrolled.
func (s *Scroll) Sound() error {
	what := s.What()
	return what.Sound()
}

// TakeScreenshot asks for a screenshot.
type TakeScreenshot struct {
	Format   string `json:"format,omitempty" query:"format" enum:"png,jpeg,webp" default:"png" doc:"png when empty"`
	Quality  int    `json:"quality,omitempty" query:"quality" minimum:"0" maximum:"100" doc:"Of jpeg and webp; 80 when 0"`
	FullPage bool   `json:"fullPage,omitempty" query:"fullPage" doc:"All of the page, and not only what is in view"`
	Selector string `json:"selector,omitempty" query:"selector" maxLength:"4096" doc:"Only this element"`
	Ref      string `json:"ref,omitempty" query:"ref" maxLength:"32" doc:"Only this element"`
	Labels   bool   `json:"labels,omitempty" query:"labels" doc:"Draw the reference of each element that can be acted on; png and jpeg only"`
}

// Sound refuses a second element, and options that the image format does not
// have.
func (a *TakeScreenshot) Sound() error {
	switch {
	case a.Ref != "" && a.Selector != "":
		return invalid("selector", "is given with ref: each names the element").Hinted("give one of them")
	case a.FullPage && (a.Ref != "" || a.Selector != ""):
		return invalid("fullPage", "does not go with an element").Hinted("leave fullPage out, or ref and selector")
	case a.Quality != 0 && (a.Format == "" || a.Format == "png"):
		return invalid("quality", "is of jpeg and webp: a png has none").Hinted("give format jpeg or webp, or leave quality out")
	case a.Labels && a.Format == "webp":
		return invalid("labels", "are not drawn on webp").Hinted("use png or jpeg, or leave labels out")
	}
	return nil
}

// Resize changes the viewport of a session's pages until the session ends.
type Resize struct {
	Width  int `json:"width" minimum:"100" maximum:"3840" doc:"CSS pixels" example:"800"`
	Height int `json:"height" minimum:"100" maximum:"2160" doc:"CSS pixels" example:"600"`
}

// Resized says how large the viewport is now, in CSS pixels.
type Resized struct {
	OK     bool `json:"ok"`
	Width  int  `json:"width"`
	Height int  `json:"height"`
}

// Scrolled says where the scroll ended.
type Scrolled struct {
	OK bool    `json:"ok"`
	X  float64 `json:"x"` // scroll position in CSS pixels
	Y  float64 `json:"y"`
}

// Screenshot is a screenshot.
type Screenshot struct {
	Format string `json:"format"`
	Width  int    `json:"width"` // pixels
	Height int    `json:"height"`
	Cut    bool   `json:"cut,omitempty"` // a part is missing: it was too large, or its scroll container hides it
	Bytes  []byte `json:"bytes"`
}
