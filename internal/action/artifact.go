package action

import (
	"net/http"
	"time"
)

// The verbs of this file.
var (
	VerbArtifactList = Define[None, ArtifactListing](Verb{Name: "artifact.list", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/sessions/{session}/artifacts", Command: "artifacts", Summary: "List the files a session left"})
	VerbArtifactPut  = Define[NewFile, Artifact](Verb{Name: "artifact.put", Class: Write, Risk: Low, Method: http.MethodPost, Path: "/sessions/{session}/artifacts", Status: http.StatusCreated, Body: filesBody, Summary: "Keep a file with an open session, to upload later"})
	VerbArtifactGet  = Define[ByID, File](Verb{Name: "artifact.get", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/artifacts/{id}", Summary: "Fetch a file a session left"})
)

// Artifact names a file that a session left.
type Artifact struct {
	ID        string    `json:"id"`
	Session   string    `json:"session"`
	Name      string    `json:"name"`
	MediaType string    `json:"mediaType"`
	Size      int64     `json:"size"` // bytes
	SHA256    string    `json:"sha256"`
	Created   time.Time `json:"created"`
}

// ArtifactListing is a list of artifacts, newest first.
type ArtifactListing struct {
	Artifacts []Artifact `json:"artifacts"`
}

// File is an artifact with its content.
type File struct {
	Artifact
	Bytes []byte `json:"bytes"`
}

// NewFile is a file sent with a call.
type NewFile struct {
	Name      string `json:"name" minLength:"1" maxLength:"255" doc:"What the page is told it is called" example:"report.pdf"`
	MediaType string `json:"mediaType,omitempty" maxLength:"255" doc:"Its media type; what the content is when empty" example:"application/pdf"`
	Bytes     []byte `json:"bytes" doc:"Content, in base64"`
}
