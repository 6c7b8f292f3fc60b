package annotate_test

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/annotate"
)

const most = 1 << 20 // pixels

func white(t testing.TB, width, height int) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(m, m.Bounds(), image.White, image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func drawn(t testing.TB, data []byte, labels []annotate.Label, o annotate.Options) image.Image {
	t.Helper()
	o.Most = most
	out, err := annotate.Draw(data, labels, o)
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := image.Decode(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func isWhite(m image.Image, x, y int) bool {
	return color.RGBAModel.Convert(m.At(x, y)) == color.RGBA{R: 255, G: 255, B: 255, A: 255}
}

func TestDrawOutlinesBoxesAndWritesTextAboveThem(t *testing.T) {
	for _, scale := range []int{1, 2} {
		box := image.Rect(40, 60, 140, 120)
		m := drawn(t, white(t, 200, 200), []annotate.Label{{Text: "e7", Box: box}}, annotate.Options{Scale: scale})
		if isWhite(m, 40, 60) || isWhite(m, 139, 119) || !isWhite(m, 90, 90) || !isWhite(m, 38, 100) {
			t.Errorf("scale %d: the box is not outlined", scale)
		}
		ink, paper := 0, 0
		for y := 60 - 13*scale; y < 60; y++ {
			for x := 40; x < 40+16*scale; x++ {
				if isWhite(m, x, y) {
					paper++ // letters are white on the ink
				} else {
					ink++
				}
			}
		}
		if ink+paper != 16*13*scale*scale || paper < 20*scale*scale || ink < 3*paper/2 {
			t.Errorf("scale %d: %d dots of ink and %d of letters above the box", scale, ink, paper)
		}
	}
}

func TestTagsStayInThePictureAndDoNotOverlap(t *testing.T) {
	var labels []annotate.Label
	for range 5 {
		labels = append(labels, annotate.Label{Text: "e1000", Box: image.Rect(0, 0, 60, 20)})
	}
	crowded := drawn(t, white(t, 120, 60), labels, annotate.Options{})
	alone := drawn(t, white(t, 120, 60), labels[:1], annotate.Options{})
	if count(crowded) <= count(alone)+100 {
		t.Error("five tags lie over one another")
	}
	edge := drawn(t, white(t, 50, 20), []annotate.Label{{Text: "e12", Box: image.Rect(30, -9, 90, 90)}, {Text: "far", Box: image.Rect(500, 500, 510, 510)}}, annotate.Options{})
	if isWhite(edge, 30, 10) || count(edge) < 100 {
		t.Error("a box that is half outside is not drawn")
	}
}

func count(m image.Image) (inked int) {
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			if !isWhite(m, x, y) {
				inked++
			}
		}
	}
	return inked
}

func TestDrawRefusesBytesThatAreNoPictureOrTooLarge(t *testing.T) {
	for name, data := range map[string][]byte{"nothing": nil, "text": []byte("text"), "cut": white(t, 9, 9)[:40], "large": white(t, 2000, 1000)} {
		if out, err := annotate.Draw(data, nil, annotate.Options{Most: most}); err == nil {
			t.Errorf("%s: %d bytes", name, len(out))
		}
	}
}

func TestDrawWritesJPEGOfTheQuality(t *testing.T) {
	data, labels := white(t, 300, 300), []annotate.Label{{Text: "e1", Box: image.Rect(10, 30, 200, 200)}}
	var sizes []int
	for _, quality := range []int{5, 95} {
		out, err := annotate.Draw(data, labels, annotate.Options{Quality: quality, Most: most})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := jpeg.Decode(bytes.NewReader(out)); err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, len(out))
	}
	if sizes[0] >= sizes[1] {
		t.Errorf("bytes at quality 5 and 95: %v", sizes)
	}
}
