//go:build !amd64

package escape

func ofArchitecture() []Attempt { return nil }
