package cdp

import (
	"bufio"
	"errors"
	"fmt"
)

// Pieces is a Transport that returns messages in pieces, so that large ones need
// not be in memory completely.
type Pieces interface {
	Transport
	// ReadPiece returns the next piece of a message, valid until the next call;
	// last marks the last piece. It is used instead of Read.
	ReadPiece() (piece []byte, last bool, err error)
}

// whole makes a Pieces from a transport with complete messages.
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
