package x11

import "encoding/binary"

// Request is a request to the server, without its sequence number. Integers are
// little endian, as Dial asks the server for.
type Request struct{ bytes []byte }

// NewRequest begins a request with its opcode and the byte after it: data of a core
// request, the minor opcode of an extension's request.
func NewRequest(opcode, data byte) *Request {
	return &Request{bytes: []byte{opcode, data, 0, 0}} // the length follows in finish
}

// U8 appends bytes.
func (r *Request) U8(values ...byte) *Request {
	r.bytes = append(r.bytes, values...)
	return r
}

// U16 appends 16-bit integers.
func (r *Request) U16(values ...uint16) *Request {
	for _, v := range values {
		r.bytes = binary.LittleEndian.AppendUint16(r.bytes, v)
	}
	return r
}

// I16 appends signed 16-bit integers, cut to their lowest 16 bits.
func (r *Request) I16(values ...int) *Request {
	for _, v := range values {
		r.bytes = binary.LittleEndian.AppendUint16(r.bytes, uint16(v))
	}
	return r
}

// U32 appends 32-bit integers.
func (r *Request) U32(values ...uint32) *Request {
	for _, v := range values {
		r.bytes = binary.LittleEndian.AppendUint32(r.bytes, v)
	}
	return r
}

// Text appends a string and pads it to a multiple of four bytes.
func (r *Request) Text(text string) *Request {
	r.bytes = append(r.bytes, text...)
	for len(r.bytes)%4 != 0 {
		r.bytes = append(r.bytes, 0)
	}
	return r
}

// finish writes the length and returns the bytes to send, nil when the request is
// longer than the protocol allows.
func (r *Request) finish() []byte {
	r.Text("") // pads
	if len(r.bytes) > maxRequest {
		return nil
	}
	binary.LittleEndian.PutUint16(r.bytes[2:], uint16(len(r.bytes)/4))
	return r.bytes
}

// Reader reads the fields of a reply or an event, one after another. Past the end
// it returns zeros, and Bad reports it.
type Reader struct {
	bytes []byte
	bad   bool
}

// NewReader reads from an offset of a message.
func NewReader(message []byte, offset int) *Reader {
	r := &Reader{bytes: message}
	r.Skip(offset)
	return r
}

// Bad reports whether a field was read that the message does not have.
func (r *Reader) Bad() bool { return r.bad }

// Bytes returns the next n bytes, nil if there are fewer.
func (r *Reader) Bytes(n int) []byte {
	if n < 0 || n > len(r.bytes) {
		r.bad, r.bytes = true, nil
		return nil
	}
	field := r.bytes[:n]
	r.bytes = r.bytes[n:]
	return field
}

// Skip passes over n bytes.
func (r *Reader) Skip(n int) { r.Bytes(n) }

// U8 reads a byte.
func (r *Reader) U8() byte {
	if field := r.Bytes(1); field != nil {
		return field[0]
	}
	return 0
}

// U16 reads a 16-bit integer.
func (r *Reader) U16() uint16 {
	if field := r.Bytes(2); field != nil {
		return binary.LittleEndian.Uint16(field)
	}
	return 0
}

// I16 reads a signed 16-bit integer.
func (r *Reader) I16() int { return int(int16(r.U16())) }

// U32 reads a 32-bit integer.
func (r *Reader) U32() uint32 {
	if field := r.Bytes(4); field != nil {
		return binary.LittleEndian.Uint32(field)
	}
	return 0
}

// Rest returns how many bytes have not been read.
func (r *Reader) Rest() int { return len(r.bytes) }
