package xdisplay

import (
	"bytes"
	"context"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"
	"math"

	scaling "golang.org/x/image/draw"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox/x11"
)

// Formats of pictures.
const (
	FormatPNG  = "png"
	FormatJPEG = "jpeg"
)

const (
	defaultQuality = 85
	minScale       = 0.1
	maxPixels      = 16 << 20 // of one picture: 64 MiB while it is made

	zPixmap     = 2 // format of GetImage: whole pixels
	allPlanes   = math.MaxUint32
	pixelBytes  = 4
	trueColor   = 24  // bits of a pixel
	maxCursor   = 256 // pixels of a cursor's side
	opaque      = 255
	replyHeader = 32 // bytes
)

// Screenshot says what picture to take. Its zero value is the whole screen as PNG.
type Screenshot struct {
	Region  image.Rectangle // of the screen, in pixels; empty: all of it
	Format  string          // png, jpeg; empty: png
	Quality int             // 1 to 100, of jpeg; 0: 85
	Scale   float64         // 0.1 to 1; 0: 1
	Cursor  bool            // draw the pointer too
}

// Picture is an encoded picture.
type Picture struct {
	Data          []byte
	Format        string
	Width, Height int // in pixels, after scaling
}

// Screenshot takes a picture of the screen. Faults: invalid_request, limit_reached
// for more than 16 million pixels.
func (d *Display) Screenshot(ctx context.Context, s Screenshot) (Picture, error) {
	width, height := d.resolution()
	if err := s.complete(width, height); err != nil {
		return Picture{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, replyLimit)
	defer cancel()
	shot, err := d.capture(ctx, s.Region)
	if err != nil {
		return Picture{}, d.toFault(err)
	}
	if s.Cursor {
		cursor, err := d.Cursor(ctx)
		if err != nil {
			return Picture{}, err
		}
		corner := image.Pt(cursor.X-cursor.HotX, cursor.Y-cursor.HotY)
		draw.Draw(shot, cursor.Image.Bounds().Add(corner), cursor.Image, image.Point{}, draw.Over)
	}
	return encode(s.scaled(shot), s)
}

// complete fills in what is not set, and checks it.
func (s *Screenshot) complete(width, height int) error {
	if s.Format == "" {
		s.Format = FormatPNG
	}
	if s.Quality == 0 {
		s.Quality = defaultQuality
	}
	if s.Scale == 0 {
		s.Scale = 1
	}
	screen := image.Rect(0, 0, width, height)
	if s.Region == (image.Rectangle{}) {
		s.Region = screen
	}
	switch {
	case s.Format != FormatPNG && s.Format != FormatJPEG:
		return fault.New(fault.InvalidRequest, "the format of a picture is %s or %s", FormatPNG, FormatJPEG)
	case s.Quality < 1 || s.Quality > 100:
		return fault.New(fault.InvalidRequest, "the quality of a picture is 1 to 100")
	case !(s.Scale >= minScale && s.Scale <= 1): // NaN is neither
		return fault.New(fault.InvalidRequest, "the scale of a picture is 0.1 to 1")
	case s.Region.Empty() || !s.Region.In(screen):
		return fault.New(fault.InvalidRequest, "the region is not on the screen, which has %d × %d pixels", width, height).
			Hinted("give a region that is on it, or leave the region out")
	case s.Region.Dx()*s.Region.Dy() > maxPixels:
		return fault.New(fault.LimitReached, "the picture would have more than %d pixels", maxPixels).Hinted("take a picture of a region")
	}
	return nil
}

// capture reads the pixels of a region.
func (s *server) capture(ctx context.Context, region image.Rectangle) (*image.RGBA, error) {
	if s.setup.BitsPerPixel != pixelBytes*8 || s.setup.Depth < trueColor || s.setup.MSBFirst {
		return nil, fault.New(fault.ProviderNotSupported, "the display's pixels are not of 24 bits")
	}
	reply, err := s.conn.Call(ctx, x11.NewRequest(opGetImage, zPixmap).U32(s.setup.Root).
		I16(region.Min.X, region.Min.Y).U16(uint16(region.Dx()), uint16(region.Dy())).U32(allPlanes))
	if err != nil {
		return nil, err
	}
	pixels := reply[replyHeader:]
	shot := image.NewRGBA(region)
	if len(pixels) < len(shot.Pix) {
		return nil, x11.ErrReply
	}
	for i := 0; i < len(shot.Pix); i += pixelBytes { // blue, green, red, unused
		shot.Pix[i], shot.Pix[i+1], shot.Pix[i+2], shot.Pix[i+3] = pixels[i+2], pixels[i+1], pixels[i], opaque
	}
	return shot, nil
}

// scaled returns a picture in the size that is asked for.
func (s *Screenshot) scaled(shot *image.RGBA) *image.RGBA {
	if s.Scale == 1 {
		return shot
	}
	size := func(n int) int { return max(1, int(math.Round(float64(n)*s.Scale))) }
	small := image.NewRGBA(image.Rect(0, 0, size(s.Region.Dx()), size(s.Region.Dy())))
	scaling.BiLinear.Scale(small, small.Bounds(), shot, shot.Bounds(), scaling.Src, nil)
	return small
}

func encode(shot *image.RGBA, s Screenshot) (Picture, error) {
	var b bytes.Buffer
	var err error
	if s.Format == FormatJPEG {
		err = jpeg.Encode(&b, shot, &jpeg.Options{Quality: s.Quality})
	} else {
		err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, shot)
	}
	if err != nil {
		return Picture{}, fault.New(fault.Internal, "cannot encode the picture").Because(err)
	}
	size := shot.Bounds().Size()
	return Picture{Data: b.Bytes(), Format: s.Format, Width: size.X, Height: size.Y}, nil
}

// Cursor is the picture of the pointer, and where it is.
type Cursor struct {
	Serial     uint32      // the same for the same picture
	X, Y       int         // on the screen
	HotX, HotY int         // of the picture, at X and Y
	Image      *image.RGBA // with transparency
}

// CursorChanged returns a channel that is closed when the pointer next gets another
// picture. Ask for it before reading, so that no change is missed.
func (d *Display) CursorChanged() <-chan struct{} { return d.cursorChanged.wait() }

// Cursor returns the picture of the pointer. Faults: limit_reached for one larger
// than 256 × 256 pixels.
func (d *Display) Cursor(ctx context.Context) (Cursor, error) {
	ctx, cancel := context.WithTimeout(ctx, replyLimit)
	defer cancel()
	reply, err := d.conn.Call(ctx, x11.NewRequest(d.xfixes.Opcode, fixesCursorImage))
	if err != nil {
		return Cursor{}, d.toFault(err)
	}
	r := x11.NewReader(reply, 8)
	c := Cursor{X: r.I16(), Y: r.I16()}
	width, height := int(r.U16()), int(r.U16())
	c.HotX, c.HotY = int(r.U16()), int(r.U16())
	c.Serial = r.U32()
	if width > maxCursor || height > maxCursor {
		return Cursor{}, fault.New(fault.LimitReached, "the pointer's picture has %d × %d pixels", width, height)
	}
	c.Image = image.NewRGBA(image.Rect(0, 0, width, height))
	r = x11.NewReader(reply, replyHeader)
	for i := 0; i < len(c.Image.Pix); i += pixelBytes { // multiplied by the transparency, as RGBA
		pixel := r.U32()
		alpha := byte(pixel >> 24)
		c.Image.Pix[i], c.Image.Pix[i+1], c.Image.Pix[i+2] = min(byte(pixel>>16), alpha), min(byte(pixel>>8), alpha), min(byte(pixel), alpha)
		c.Image.Pix[i+3] = alpha
	}
	if r.Bad() {
		return Cursor{}, d.toFault(x11.ErrReply)
	}
	return c, nil
}
