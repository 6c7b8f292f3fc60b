package cdp

import (
	"bufio"
	"errors"
	"fmt"
)

// Pieces is a Transport that hands messages out as they come, so that large
// ones need not be held whole.
type Pieces interface {
	Transport
	// ReadPiece returns the next piece of a message, valid until the next
	// call; last ends the message. It is used instead of Read.
	ReadPiece() (piece []byte, last bool, err error)
}

// whole makes pieces of a transport that has whole messages only.
type whole struct{ Transport }

func (w whole) ReadPiece() ([]byte, bool, error) {
	message, err := w.Read()
	return message, true, err
}

func piecesOf(t Transport) Pieces {
	if p, ok := t.(Pieces); ok {
		return p
	}
	return whole{t}
}

// ReadPiece returns the next piece of a message.
func (p *Pipe) ReadPiece() ([]byte, bool, error) {
	piece, err := p.in.ReadSlice(0)
	switch {
	case err == nil:
		return piece[:len(piece)-1], true, nil
	case errors.Is(err, bufio.ErrBufferFull):
		return piece, false, nil
	}
	return nil, false, fmt.Errorf("cannot read from the browser: %w", err)
}
