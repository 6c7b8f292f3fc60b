// Package images holds the files boxes are built from, so that the binary can
// build its own image. They are the same files a plain "docker build" reads.
package images

import "embed"

// Browser is the build context of the box, without the glovebox binary: its
// Dockerfile and Chromium's managed policy, at the root.
//
//go:embed browser/Dockerfile browser/policy.json
var Browser embed.FS

// AllInOne is the Dockerfile of the image that holds the gateway too. It is
// built from the image of the box.
//
//go:embed all-in-one/Dockerfile
var AllInOne []byte
