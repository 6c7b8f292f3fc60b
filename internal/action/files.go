package action

import (
	"fmt"
	"net/http"
	"time"
)

// The verbs of this file.
var (
	VerbPageUpload     = Define[Upload, Uploaded](Verb{Name: "page.upload", Class: Write, Risk: Medium, Counts: true, Target: true, Method: http.MethodPost, Path: "/browser/upload", Body: filesBody, Tool: "browser_file_upload", Command: "upload", Summary: "Give files to a file input, or to the file chooser an element opens"})
	VerbDownloadList   = Define[DownloadList, DownloadListing](Verb{Name: "download.list", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/browser/downloads", Tool: "browser_downloads", Command: "downloads list", Summary: "List what pages downloaded, oldest first"})
	VerbDownloadGet    = Define[ByID, File](Verb{Name: "download.get", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/browser/downloads/{id}", Tool: "browser_downloads", Command: "downloads get", Summary: "Fetch a downloaded file out of the box, and keep it as an artifact"})
	VerbDownloadRead   = Define[DownloadRead, DownloadText](Verb{Name: "download.read", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/browser/downloads/{id}/text", Tool: "browser_downloads", Command: "downloads read", Summary: "Read the text of a downloaded file, PDF documents too"})
	VerbDownloadCancel = Define[ByID, Closed](Verb{Name: "download.cancel", Class: Write, Risk: Low, Method: http.MethodDelete, Path: "/browser/downloads/{id}", Command: "downloads cancel", Summary: "Cancel a download, or remove what came of it from the box"})
)

// MostUpload is the maximum total size of the files of one upload, in bytes.
const MostUpload = 24 << 20

// Upload gives files to a file input, or to the file chooser that an element
// opens when it is clicked.
type Upload struct {
	Locator
	Path     string    `json:"path,omitempty" maxLength:"512" doc:"A file uploaded to this session before, by the path its answer gave" example:"/tmp/upload/0123456789abcdef/report.pdf"`
	Artifact string    `json:"artifact,omitempty" maxLength:"64" doc:"Id of an artifact: a download, a screenshot, or one put there by artifact.put"`
	Paths    []string  `json:"paths,omitempty" maxItems:"20" doc:"Several of either: paths or ids of artifacts"`
	Files    []NewFile `json:"files,omitempty" maxItems:"20" doc:"Files sent with the call; 24 MiB together"`
	Clear    bool      `json:"clear,omitempty" doc:"Take all files out of the input; without files only"`
	Timing
}

// Count is how many files u names.
func (u Upload) Count() int {
	n := len(u.Paths) + len(u.Files)
	for _, one := range []string{u.Path, u.Artifact} {
		if one != "" {
			n++
		}
	}
	return n
}

// Uploaded lists the files that were given to the page.
type Uploaded struct {
	Acted
	Files []SentFile `json:"files"`
}

// SentFile is a file that was given to a page.
type SentFile struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"` // bytes
	SHA256 string `json:"sha256"`
	Path   string `json:"path"` // where the browser finds it
}

// DownloadList asks for the downloads of the session's browser.
type DownloadList struct {
	Wait int `json:"wait,omitempty" query:"wait" minimum:"0" maximum:"20000" doc:"Milliseconds to wait for running downloads to end"`
}

// DownloadRead asks for the text of a downloaded file.
type DownloadRead struct {
	ByID
	MaxTokens int `json:"max_tokens,omitempty" query:"max_tokens" minimum:"0" maximum:"24000" doc:"Most tokens of the text; 6000 when 0"`
	Offset    int `json:"offset,omitempty" query:"offset" minimum:"0" doc:"Where to go on: nextOffset of the part before"`
}

// DownloadText is the text of a downloaded file, or a part of it. The text of
// each page of a PDF document begins with a line that names the page.
type DownloadText struct {
	Name       string `json:"name"`
	MediaType  string `json:"mediaType" example:"application/pdf"` // by its content
	Artifact   string `json:"artifact"`                            // what the file is kept as
	Text       string `json:"text"`
	Pages      int    `json:"pages,omitempty"` // of a PDF document
	Tokens     int    `json:"tokens"`
	NextOffset int    `json:"nextOffset,omitempty"`
	MoreTokens int    `json:"moreTokens,omitempty"`
}

// DownloadListing is the session's downloads, oldest first.
type DownloadListing struct {
	Downloads []Download `json:"downloads"`
}

// Download is a file that a page gave to the browser. It stays in the box until
// it is fetched.
type Download struct {
	ID        string    `json:"id"`
	URL       string    `json:"url"`  // without what looks like a secret
	Name      string    `json:"name"` // as the page suggests it, made safe
	State     string    `json:"state" enum:"running,done,failed,cancelled,refused"`
	Size      int64     `json:"size"`               // bytes; 0 while it is not known
	Received  int64     `json:"received"`           // bytes
	Artifact  string    `json:"artifact,omitempty"` // id, once it was fetched
	Error     string    `json:"error,omitempty"`    // why it is not there
	Timestamp time.Time `json:"timestamp"`          // when it began
}

// Sound refuses an upload that neither gives files nor clears, one that does both,
// because files replace the previous ones, and one that is too large.
func (a *Upload) Sound() error {
	total := 0
	for _, f := range a.Files {
		total += len(f.Bytes)
	}
	switch n := a.Count(); {
	case n == 0 && !a.Clear:
		return invalid("files", "is missing: no file was given").Hinted("give files, an artifact or a path; clear empties the input")
	case n > 0 && a.Clear:
		return invalid("clear", "does not go with files").Hinted("leave clear out: new files take the place of old ones")
	case total > MostUpload:
		return invalid("files", fmt.Sprintf("must have at most %d bytes together", MostUpload)).Hinted("upload less at a time")
	}
	return a.Locator.Sound()
}

// Required refuses a call that names no element.
func (a *Upload) Required() error { return requireElement("ref", a.Locator) }

// Aim is the element.
func (a *Upload) Aim() (Locator, Timing) { return a.Locator, a.Timing }
