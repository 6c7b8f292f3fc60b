package action

import "fmt"

// The kinds of a Document.
const (
	KindPDF   = "pdf"
	KindImage = "image"
	KindJSON  = "json"
	KindXML   = "xml"
	KindText  = "text"
)

// Document describes what a tab shows if it is not an HTML page.
type Document struct {
	Kind     string `json:"kind" enum:"pdf,image,json,xml,text"`
	Pages    int    `json:"pages,omitempty"`    // of a PDF document
	Width    int    `json:"width,omitempty"`    // pixels of an image
	Height   int    `json:"height,omitempty"`   // pixels of an image
	Name     string `json:"name,omitempty"`     // of a file that was downloaded instead of being drawn, as PDF documents are
	Artifact string `json:"artifact,omitempty"` // id of the artifact that this file is stored as
}

// String describes the document to people and agents.
func (d Document) String() string {
	switch d.Kind {
	case KindPDF:
		if d.Pages == 1 {
			return "PDF document of 1 page"
		}
		return fmt.Sprintf("PDF document of %d pages", d.Pages)
	case KindImage:
		return fmt.Sprintf("image of %d×%d pixels", d.Width, d.Height)
	case KindJSON:
		return "JSON document"
	case KindXML:
		return "XML document"
	}
	return "plain text"
}

// Paging asks for a part of a text.
type Paging struct {
	MaxTokens int `json:"max_tokens,omitempty" query:"max_tokens" minimum:"0" maximum:"24000" doc:"Most tokens of the text, 500 or more; all of it when 0"`
	Offset    int `json:"offset,omitempty" query:"offset" minimum:"0" maximum:"10000000" doc:"Where to go on: nextOffset of the part before"`
}

// Paged says which part of a text was returned.
type Paged struct {
	Tokens     int `json:"tokens,omitempty"`     // of the text, at most, where max_tokens was given
	NextOffset int `json:"nextOffset,omitempty"` // where the next part begins; 0 when this is the last
	MoreTokens int `json:"moreTokens,omitempty"` // of all later parts, at most
}

// Sound refuses a budget that is too small for any text.
func (p *Paging) Sound() error {
	if p.MaxTokens != 0 && p.MaxTokens < leastTokens {
		return invalid("max_tokens", "must be 500 or more").Hinted("leave max_tokens out for all of it")
	}
	return nil
}
