package action

import (
	"net/http"
	"time"
)

// The verbs of this file.
var (
	VerbPageConsole = Define[ReadConsole, ConsoleListing](Verb{Name: "page.console", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/browser/console", Tool: "browser_console_messages", Command: "console", Summary: "Read what pages, frames and workers wrote to the console, and their uncaught errors"})
	VerbPageNetwork = Define[ReadNetwork, NetworkListing](Verb{Name: "page.network", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/browser/network", Tool: "browser_network_requests", Command: "network", Summary: "List the requests of pages, frames and workers"})
	VerbPageHAR     = Define[ExportHAR, HAR](Verb{Name: "page.har", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/browser/har", Command: "har", Summary: "Export the requests as an HTTP archive (HAR 1.2), without bodies"})
)

// ReadConsole reads the console messages.
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

// ExportHAR asks for the network log as a file.
type ExportHAR struct {
	Headers bool `json:"headers,omitempty" query:"headers" doc:"With headers, credentials masked; for operators, and the file is then not kept"`
}

// Raw reports whether the call asks for more than agents may read.
func (e ExportHAR) Raw() bool { return e.Headers }

// HAR is a network log in the HTTP Archive format 1.2, without bodies.
type HAR struct {
	Bytes   []byte `json:"bytes"`
	Entries int    `json:"entries"`
	Headers bool   `json:"headers,omitempty"` // it has headers
}

// Headers are the headers of a request and of its answer, as the page's process
// knows them. Values that look like credentials are masked.
type Headers struct {
	Request  map[string]string `json:"request,omitempty"`
	Response map[string]string `json:"response,omitempty"`
}
