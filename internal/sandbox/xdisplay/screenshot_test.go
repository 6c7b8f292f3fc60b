package xdisplay_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox/xdisplay"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

var blocks = []color.RGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {18, 52, 86, 255}}

// startBlocks shows four blocks of 100 × 100 pixels, and returns where their corner is
// on the screen.
func startBlocks(t *testing.T, style string) (*xdisplay.Display, *chromium, image.Point) {
	t.Helper()
	s := startServer(t)
	d := s.open(t)
	page := "<style>body { margin: 0; background: white } div { position: absolute; top: 0; width: 100px; height: 100px } " + style + "</style>"
	for i, b := range blocks {
		page += fmt.Sprintf("<div style='left: %dpx; background: rgb(%d %d %d)'></div>", 100*i, b.R, b.G, b.B)
	}
	c := startChromium(t, s, page)
	corner := value[[2]int](c, "[screenX + (outerWidth - innerWidth), screenY + (outerHeight - innerHeight)]")
	at := image.Pt(corner[0], corner[1])
	testwait.For(t, "the blocks", func() bool {
		return near(take(t, d, xdisplay.Screenshot{}).At(at.X+350, at.Y+50), blocks[3], 0)
	})
	return d, c, at
}

// take takes a picture and decodes it.
func take(t *testing.T, d *xdisplay.Display, s xdisplay.Screenshot) image.Image {
	t.Helper()
	picture, err := d.Screenshot(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	decoded, format, err := image.Decode(bytes.NewReader(picture.Data))
	if err != nil || format != picture.Format || decoded.Bounds() != image.Rect(0, 0, picture.Width, picture.Height) {
		t.Fatalf("%s of %v, said to be %+v: %v", format, decoded.Bounds(), picture.Format, err)
	}
	return decoded
}

// near compares colors, each part with a tolerance.
func near(got color.Color, want color.RGBA, tolerance float64) bool {
	g := color.RGBAModel.Convert(got).(color.RGBA)
	for _, pair := range [][2]byte{{g.R, want.R}, {g.G, want.G}, {g.B, want.B}, {g.A, want.A}} {
		if math.Abs(float64(pair[0])-float64(pair[1])) > tolerance {
			return false
		}
	}
	return true
}

func TestScreenshotsHaveTheColorsOfThePage(t *testing.T) {
	t.Parallel()
	d, _, at := startBlocks(t, "")
	for name, test := range map[string]struct {
		shot      xdisplay.Screenshot
		size      image.Point
		tolerance float64
	}{
		"whole":   {xdisplay.Screenshot{}, image.Pt(screenWidth, screenHeight), 0},
		"jpeg":    {xdisplay.Screenshot{Format: "jpeg"}, image.Pt(screenWidth, screenHeight), 8},
		"poor":    {xdisplay.Screenshot{Format: "jpeg", Quality: 1}, image.Pt(screenWidth, screenHeight), 90},
		"half":    {xdisplay.Screenshot{Scale: 0.5}, image.Pt(screenWidth/2, screenHeight/2), 1},
		"a tenth": {xdisplay.Screenshot{Scale: 0.1}, image.Pt(screenWidth/10, screenHeight/10), 1},
	} {
		picture := take(t, d, test.shot)
		if picture.Bounds().Size() != test.size {
			t.Errorf("%s: size %v, want %v", name, picture.Bounds().Size(), test.size)
			continue
		}
		scale := float64(test.size.X) / screenWidth
		for i, want := range blocks {
			x, y := int(float64(at.X+100*i+50)*scale), int(float64(at.Y+50)*scale)
			if got := picture.At(x, y); !near(got, want, test.tolerance) {
				t.Errorf("%s: block %d is %v, want %v", name, i, got, want)
			}
		}
	}
	region := take(t, d, xdisplay.Screenshot{Region: image.Rect(100, 0, 300, 100).Add(at)})
	if region.Bounds() != image.Rect(0, 0, 200, 100) || !near(region.At(0, 0), blocks[1], 0) ||
		!near(region.At(99, 99), blocks[1], 0) || !near(region.At(100, 0), blocks[2], 0) {
		t.Errorf("the region %v begins with %v, and has %v and %v at its middle", region.Bounds(), region.At(0, 0), region.At(99, 99), region.At(100, 0))
	}
}

func TestScreenshotRefusesBadInput(t *testing.T) {
	t.Parallel()
	d := startServer(t).open(t)
	for name, s := range map[string]xdisplay.Screenshot{
		"format":           {Format: "gif"},
		"quality 101":      {Quality: 101},
		"quality -1":       {Quality: -1},
		"scale 0.05":       {Scale: 0.05},
		"scale 2":          {Scale: 2},
		"not a number":     {Scale: math.NaN()},
		"beside":           {Region: image.Rect(700, 0, 801, 10)},
		"above":            {Region: image.Rect(0, -1, 10, 10)},
		"without a width":  {Region: image.Rect(5, 5, 5, 10)},
		"much too large":   {Region: image.Rect(0, 0, math.MaxInt, math.MaxInt)},
		"the wrong way up": {Region: image.Rectangle{Min: image.Pt(10, 10), Max: image.Pt(5, 5)}},
	} {
		if _, err := d.Screenshot(t.Context(), s); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAHugeScreenshotIsRefused(t *testing.T) {
	t.Parallel()
	d := startServer(t, "-screen", "0", "5000x5000x24").open(t)
	if _, err := d.Screenshot(t.Context(), xdisplay.Screenshot{}); fault.CodeOf(err) != fault.LimitReached {
		t.Error(err)
	}
	if _, err := d.Screenshot(t.Context(), xdisplay.Screenshot{Region: image.Rect(4000, 4000, 5000, 5000)}); err != nil {
		t.Error(err)
	}
}

// TestCursorIsThatOfThePage shows a pointer of one color.
func TestCursorIsThatOfThePage(t *testing.T) {
	t.Parallel()
	pink := color.RGBA{255, 0, 255, 255}
	square := image.NewRGBA(image.Rect(0, 0, 20, 20))
	for i := range 20 * 20 {
		square.Set(i%20, i/20, pink)
	}
	var encoded bytes.Buffer
	if err := png.Encode(&encoded, square); err != nil {
		t.Fatal(err)
	}
	d, _, at := startBlocks(t, fmt.Sprintf("div { cursor: url(data:image/png;base64,%s) 5 7, auto }", base64.StdEncoding.EncodeToString(encoded.Bytes())))
	input(t, d, at2(at, 500, 300))
	changed := d.CursorChanged()
	input(t, d, at2(at, 150, 50))
	awaitChange(t, changed)
	var cursor xdisplay.Cursor
	testwait.For(t, "the page's picture of the pointer", func() bool {
		var err error
		if cursor, err = d.Cursor(t.Context()); err != nil {
			t.Fatal(err)
		}
		return near(cursor.Image.At(10, 10), pink, 0)
	})
	if cursor.HotX != 5 || cursor.HotY != 7 || cursor.X != at.X+150 || cursor.Y != at.Y+50 {
		t.Errorf("the pointer is at %d, %d, its picture's point at %d, %d", cursor.X, cursor.Y, cursor.HotX, cursor.HotY)
	}
	corner := at.Add(image.Pt(150-5, 50-7))
	shot := take(t, d, xdisplay.Screenshot{Cursor: true})
	if !near(shot.At(corner.X, corner.Y), pink, 0) || !near(shot.At(corner.X-1, corner.Y), blocks[1], 0) ||
		!near(shot.At(corner.X+19, corner.Y+19), pink, 0) || !near(shot.At(corner.X+20, corner.Y), blocks[1], 0) {
		t.Error("the pointer is not where it belongs in the picture")
	}
	if shot := take(t, d, xdisplay.Screenshot{}); !near(shot.At(corner.X+3, corner.Y+3), blocks[1], 0) {
		t.Error("the pointer is in a picture without it")
	}
	region := take(t, d, xdisplay.Screenshot{Cursor: true, Region: image.Rect(0, 0, 4, 4).Add(corner)})
	if !near(region.At(3, 3), pink, 0) {
		t.Error("the pointer is not in the picture of a region")
	}
}

// at2 moves the pointer to a place of the page.
func at2(corner image.Point, x, y int) action.PersonInput {
	return at(action.InputMove, corner.X+x, corner.Y+y, 0)
}
