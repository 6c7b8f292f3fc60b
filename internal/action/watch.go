package action

import "time"

// OpenTab opens a tab.
type OpenTab struct {
	URL string `json:"url,omitempty" maxLength:"8192" doc:"Go there; an empty tab when absent" example:"https://example.com/"`
}

// ReadConsole reads the console.
type ReadConsole struct {
	Level string `json:"level,omitempty" query:"level" enum:"log,warn,error,info,debug" doc:"Only messages of this level"`
	Limit int    `json:"limit,omitempty" query:"limit" minimum:"0" maximum:"1000" default:"100" doc:"The newest so many; 100 when 0"`
	Clear bool   `json:"clear,omitempty" query:"clear" doc:"Forget every message after reading"`
}

// ReadNetwork lists requests.
type ReadNetwork struct {
	Limit   int    `json:"limit,omitempty" query:"limit" minimum:"0" maximum:"1000" default:"100" doc:"The newest so many; 100 when 0"`
	Pattern string `json:"urlPattern,omitempty" query:"urlPattern" maxLength:"512" doc:"Regular expression (RE2) searched in the URL as it is shown" example:"/api/"`
	Headers bool   `json:"headers,omitempty" query:"headers" doc:"With headers, credentials masked; for operators"`
	Clear   bool   `json:"clear,omitempty" query:"clear" doc:"Forget every request that is over afterwards"`
}

// Tab is one page of a browser.
type Tab struct {
	ID     string `json:"id"` // stays the same for the life of the tab
	URL    string `json:"url"`
	Title  string `json:"title"`
	Active bool   `json:"active"` // verbs act on it
}

// TabListing is a list of tabs, in the order they were opened.
type TabListing struct {
	Tabs []Tab `json:"tabs"`
}

// Closed says that something is closed.
type Closed struct {
	OK bool `json:"ok"`
}

// ConsoleMessage is one line of the console, or an error that no script caught.
type ConsoleMessage struct {
	Level     string    `json:"level"` // log, warn, error, info, debug
	Text      string    `json:"text"`
	URL       string    `json:"url,omitempty"`  // of the script, token-like parameters masked
	Line      int       `json:"line,omitempty"` // from 1
	Timestamp time.Time `json:"timestamp"`
}

// ConsoleListing is a list of console messages, oldest first.
type ConsoleListing struct {
	Messages []ConsoleMessage `json:"messages"`
}

// NetworkRequest is one request of the browser; each hop of a redirect is one.
type NetworkRequest struct {
	URL          string    `json:"url"` // token-like parameters masked
	Method       string    `json:"method"`
	Status       int       `json:"status"` // 0 when there was no answer
	MimeType     string    `json:"mimeType"`
	ResponseSize int64     `json:"responseSize"`      // bytes that were transferred, headers included; 0 from a cache
	Duration     float64   `json:"duration"`          // milliseconds until it ended; 0 while it runs
	Timestamp    time.Time `json:"timestamp"`         // when it was sent
	Error        string    `json:"error,omitempty"`   // why it failed
	Pending      bool      `json:"pending,omitempty"` // it still runs
	Headers      *Headers  `json:"headers,omitempty"` // where they were asked for
}

// NetworkListing is a list of requests, oldest first.
type NetworkListing struct {
	Requests []NetworkRequest `json:"requests"`
}
