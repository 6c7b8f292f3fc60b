package engine_test

import (
	"bytes"
	"context"
	"image/color"
	"image/jpeg"
	"net/http"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// wantColour reads pictures until the middle of one has a colour.
func wantColour(t *testing.T, cast *engine.Screencast, red bool) engine.CastFrame {
	t.Helper()
	defer context.AfterFunc(testwait.Context(t), cast.Close)()
	for {
		f, err := cast.Next()
		if err != nil {
			t.Fatalf("no picture of that colour: %v", err)
		}
		picture, err := jpeg.Decode(bytes.NewReader(f.JPEG))
		if err != nil {
			t.Fatal(err)
		}
		if b := picture.Bounds(); b.Dx() != f.Width || b.Dy() != f.Height || f.Width < 200 {
			t.Fatalf("the picture has %v, and says %dx%d", b, f.Width, f.Height)
		}
		c := color.NRGBAModel.Convert(picture.At(f.Width/2, f.Height/2)).(color.NRGBA)
		if red && c.R > 200 && c.B < 60 || !red && c.B > 200 && c.R < 60 {
			return f
		}
	}
}

func TestAScreencastFollowsTheActiveTab(t *testing.T) {
	tr := start(t)
	site := listen(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<body style="background:rgb(255,0,0)">`))
	}))
	tr.must("page.goto", &action.Goto{URL: site.URL})
	cast := tr.Screencast(10)
	defer cast.Close()
	first := wantColour(t, cast, true)
	cast.Again()
	if again := wantColour(t, cast, true); again.At <= first.At {
		t.Errorf("the repeated picture is of %s, the first one of %s", again.At, first.At)
	}
	tr.eval(`document.body.style.background = 'rgb(0,0,255)'; 0`)
	wantColour(t, cast, false)
	tr.must("tab.open", &action.OpenTab{URL: site.URL})
	wantColour(t, cast, true)
	cast.Close()
	cast.Close()
	if _, err := cast.Next(); err == nil {
		t.Error("a closed screencast goes on")
	}
	again := tr.Screencast(10)
	defer again.Close()
	wantColour(t, again, true)
}
