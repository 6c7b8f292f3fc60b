package xdisplay

import "time"

// A busy machine may delay the answer of a program for longer than usual, and what
// a program that gives no answer does.
func init() { pingLimit, withoutIt = time.Hour, 3*time.Second }
