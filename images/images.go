// Package images embeds the files from which the images are built, so that the binary
// can build them. A plain "docker build" uses the same files.
package images

import "embed"

// Browser is the build context of the box's image without the glovebox binary: its
// Dockerfile, Chromium's managed policy and the program that captures the display.
//
//go:embed browser/Dockerfile browser/policy.json browser/screen.c
var Browser embed.FS

// AllInOne is the Dockerfile of the image that also contains the gateway. It is built
// from the box's image.
//
//go:embed all-in-one/Dockerfile
var AllInOne []byte
