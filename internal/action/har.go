package action

// ExportHAR asks for the network log as a file.
type ExportHAR struct {
	Headers bool `json:"headers,omitempty" query:"headers" doc:"With headers, credentials masked; for operators, and the file is then not kept"`
}

// Raw reports whether the call asks for more than an agent may read.
func (e ExportHAR) Raw() bool { return e.Headers }

// Raw reports whether the call asks for more than an agent may read.
func (r ReadNetwork) Raw() bool { return r.Headers }

// HAR is a network log in the HTTP Archive format 1.2, without bodies.
type HAR struct {
	Bytes   []byte `json:"bytes"`
	Entries int    `json:"entries"`
	Headers bool   `json:"headers,omitempty"` // it has headers
}

// Headers are those of a request and of its answer, as the page's process
// knows them. What looks like a credential is masked.
type Headers struct {
	Request  map[string]string `json:"request,omitempty"`
	Response map[string]string `json:"response,omitempty"`
}
