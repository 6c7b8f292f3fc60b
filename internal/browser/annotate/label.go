// Package annotate draws labels and covers onto a screenshot after it was taken, so that
// the page cannot change them. Its functions have no state: bytes in, bytes out.
package annotate

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
)

// Label is a text and the box that it labels, in pixels of the picture.
type Label struct {
	Text string
	Box  image.Rectangle
}

// Options say how labels are drawn, and in which format the picture is returned.
type Options struct {
	Scale   int // of lines and letters; at 1 letters are 13 pixels high
	Most    int // pixels of a picture; a larger one is refused before it is decoded
	Quality int // of JPEG, 1 to 100; PNG when 0

	Covers []image.Rectangle // parts of the picture to hide; labels are drawn over them
}

var errTooLarge = errors.New("the picture is larger than what was asked for")

// Draw returns a PNG picture with labels, as PNG or JPEG.
func Draw(data []byte, labels []Label, o Options) ([]byte, error) {
	size, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("cannot read the picture: %w", err)
	}
	if size.Width > o.Most/max(size.Height, 1) {
		return nil, errTooLarge
	}
	decoded, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("cannot read the picture: %w", err)
	}
	c := canvasOf(decoded, max(o.Scale, 1))
	for _, r := range o.Covers {
		c.fill(r, coverColor)
	}
	for i, l := range labels {
		c.outline(l.Box, labelColors[i%len(labelColors)])
	}
	for i, l := range labels { // above all lines
		c.tag(l, labelColors[i%len(labelColors)])
	}
	return encode(c.Image, o.Quality)
}

func encode(m image.Image, quality int) ([]byte, error) {
	var out bytes.Buffer
	if quality > 0 {
		err := jpeg.Encode(&out, m, &jpeg.Options{Quality: quality})
		return out.Bytes(), err
	}
	fast := png.Encoder{CompressionLevel: png.BestSpeed}
	err := fast.Encode(&out, m)
	return out.Bytes(), err
}

// labelColors are dark enough for white letters (WCAG 2.2, contrast 4.5 and more), and
// differ from their neighbours.
var labelColors = []color.RGBA{
	{R: 0xb7, G: 0x1c, B: 0x1c, A: 0xff}, {R: 0x0d, G: 0x47, B: 0xa1, A: 0xff}, {R: 0x1b, G: 0x5e, B: 0x20, A: 0xff},
	{R: 0x6a, G: 0x1b, B: 0x9a, A: 0xff}, {R: 0x9c, G: 0x41, B: 0x00, A: 0xff}, {R: 0x00, G: 0x5b, B: 0x63, A: 0xff},
}

// coverColor is a colour that pages are unlikely to use.
var coverColor = color.RGBA{R: 0x5f, G: 0x63, B: 0x68, A: 0xff}

// canvas is the picture that is drawn on, and where labels were drawn.
type canvas struct {
	draw.Image
	scale int
	taken []image.Rectangle
}

// canvasOf makes a canvas of the picture itself where its type can be drawn on, as that of
// browsers' screenshots can, and else of a copy.
func canvasOf(m image.Image, scale int) *canvas {
	if own, ok := m.(draw.Image); ok {
		return &canvas{Image: own, scale: scale}
	}
	own := image.NewRGBA(m.Bounds())
	draw.Draw(own, own.Bounds(), m, m.Bounds().Min, draw.Src)
	return &canvas{Image: own, scale: scale}
}

func (c *canvas) fill(r image.Rectangle, ink color.Color) {
	draw.Draw(c, r.Intersect(c.Bounds()), image.NewUniform(ink), image.Point{}, draw.Src)
}

// outline draws the edges of a box, inside of it.
func (c *canvas) outline(r image.Rectangle, ink color.Color) {
	w := 2 * c.scale
	c.fill(image.Rect(r.Min.X, r.Min.Y, r.Max.X, min(r.Min.Y+w, r.Max.Y)), ink)
	c.fill(image.Rect(r.Min.X, max(r.Max.Y-w, r.Min.Y), r.Max.X, r.Max.Y), ink)
	c.fill(image.Rect(r.Min.X, r.Min.Y, min(r.Min.X+w, r.Max.X), r.Max.Y), ink)
	c.fill(image.Rect(max(r.Max.X-w, r.Min.X), r.Min.Y, r.Max.X, r.Max.Y), ink)
}

// tag writes the text of a label beside its box.
func (c *canvas) tag(l Label, ink color.Color) {
	letters := c.letters(l.Text)
	size := letters.Bounds().Size().Mul(c.scale).Add(image.Pt(2*c.scale, 0))
	at := c.freePlace(l.Box, size)
	c.taken = append(c.taken, at)
	c.fill(at, ink)
	for y := range letters.Bounds().Dy() {
		for x := range letters.Bounds().Dx() {
			if letters.AlphaAt(x, y).A > 0 {
				dot := at.Min.Add(image.Pt(x+1, y).Mul(c.scale))
				c.fill(image.Rectangle{dot, dot.Add(image.Pt(c.scale, c.scale))}, color.White)
			}
		}
	}
}

func (c *canvas) letters(text string) *image.Alpha {
	face := basicfont.Face7x13
	m := image.NewAlpha(image.Rect(0, 0, len(text)*face.Advance, face.Height))
	d := font.Drawer{Dst: m, Src: image.Opaque, Face: face, Dot: fixed.P(0, face.Ascent)}
	d.DrawString(text)
	return m
}

// freePlace returns where a tag fits beside a box without covering another tag: the first
// of some places that is free, or else the first of them.
func (c *canvas) freePlace(box image.Rectangle, size image.Point) image.Rectangle {
	left, right, above := box.Min.X, box.Max.X-size.X, box.Min.Y-size.Y
	var first image.Rectangle
	for i, p := range []image.Point{
		{left, above}, {right, above}, {left, box.Max.Y}, {right, box.Max.Y}, {box.Max.X, box.Min.Y}, {left - size.X, box.Min.Y},
		box.Min, {right, box.Min.Y}, {left, box.Max.Y - size.Y},
	} {
		at := c.moveInside(image.Rectangle{p, p.Add(size)})
		if i == 0 {
			first = at
		}
		if at.Min == p && !c.overlaps(at) {
			return at
		}
	}
	return first
}

// moveInside moves a tag into the picture.
func (c *canvas) moveInside(r image.Rectangle) image.Rectangle {
	b := c.Bounds()
	x := max(b.Min.X, min(r.Min.X, b.Max.X-r.Dx()))
	y := max(b.Min.Y, min(r.Min.Y, b.Max.Y-r.Dy()))
	return r.Add(image.Pt(x, y).Sub(r.Min))
}

func (c *canvas) overlaps(r image.Rectangle) bool {
	for _, t := range c.taken {
		if t.Overlaps(r) {
			return true
		}
	}
	return false
}
