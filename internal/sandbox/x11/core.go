package x11

import (
	"context"
	"errors"
	"fmt"
)

// Opcodes of requests that this package sends itself.
const (
	opInternAtom     = 16
	opGetProperty    = 20
	opGetInputFocus  = 43
	opQueryExtension = 98
)

// ErrReply is the error of a reply that is too short.
var ErrReply = errors.New("the display's reply is damaged")

// Extension is what the server assigned to an extension.
type Extension struct {
	Opcode     byte
	FirstEvent byte
}

// Extension asks for an extension by its name.
func (c *Conn) Extension(ctx context.Context, name string) (Extension, error) {
	reply, err := c.Call(ctx, NewRequest(opQueryExtension, 0).U16(uint16(len(name)), 0).Text(name))
	if err != nil {
		return Extension{}, err
	}
	if reply[8] == 0 {
		return Extension{}, fmt.Errorf("the display lacks the extension %s", name)
	}
	return Extension{Opcode: reply[9], FirstEvent: reply[10]}, nil
}

// Atom returns the number of a name.
func (c *Conn) Atom(ctx context.Context, name string) (uint32, error) {
	reply, err := c.Call(ctx, NewRequest(opInternAtom, 0).U16(uint16(len(name)), 0).Text(name))
	if err != nil {
		return 0, err
	}
	return NewReader(reply, 8).U32(), nil
}

// Property is the value of a window's property.
type Property struct {
	Type   uint32 // 0: there is none
	Format int    // bits of a unit: 8, 16, 32
	Value  []byte
	Left   int // bytes that the property has beyond Value
}

// Words returns the value of a property of 32-bit units.
func (p Property) Words() []uint32 {
	if p.Format != 32 {
		return nil
	}
	words := make([]uint32, 0, len(p.Value)/4)
	for r := NewReader(p.Value, 0); r.Rest() >= 4; {
		words = append(words, r.U32())
	}
	return words
}

// Property reads at most most bytes of a property of any type. With remove, the
// property is deleted when all of it was read.
func (c *Conn) Property(ctx context.Context, window, name uint32, most int, remove bool) (Property, error) {
	var deletes byte
	if remove {
		deletes = 1
	}
	reply, err := c.Call(ctx, NewRequest(opGetProperty, deletes).U32(window, name, 0, 0, uint32(most+3)/4))
	if err != nil {
		return Property{}, err
	}
	r := NewReader(reply, 8)
	p := Property{Format: int(reply[1]), Type: r.U32(), Left: int(r.U32())}
	units := int(r.U32())
	r.Skip(12)
	if units > r.Rest() { // before it is multiplied
		return Property{}, ErrReply
	}
	p.Value = r.Bytes(units * (p.Format / 8))
	if r.Bad() {
		return Property{}, ErrReply
	}
	return p, nil
}
