package mcp_test

import (
	"io"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// pipes are two ends that are connected, one for the surface, one for a client.
func pipes() (ours, theirs *sdk.IOTransport) {
	toUs, fromThem := io.Pipe()
	toThem, fromUs := io.Pipe()
	return &sdk.IOTransport{Reader: toUs, Writer: fromUs}, &sdk.IOTransport{Reader: toThem, Writer: fromThem}
}
