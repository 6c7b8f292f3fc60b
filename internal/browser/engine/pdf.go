package engine

import (
	"cmp"
	"context"
	"encoding/base64"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// paper is a size in inches, upright: ISO 216 and ANSI/ASME Y14.1.
type paper struct{ width, height float64 }

var papers = map[string]paper{"": {8.27, 11.69}, "a4": {8.27, 11.69}, "letter": {8.5, 11}, "legal": {8.5, 14}}

type printing struct {
	Landscape  bool    `json:"landscape"`
	Background bool    `json:"printBackground"`
	Scale      float64 `json:"scale"`
	Width      float64 `json:"paperWidth"`
	Height     float64 `json:"paperHeight"`
	Transfer   string  `json:"transferMode"`
}

const mostPDF = 64 << 20 // bytes of a PDF

// pdf prints the page. Chromium prints with a display too. A page that has known
// secrets anywhere is not printed: what a style sheet for print shows is not known
// before. Faults: invalid_request, limit_reached, denied_by_policy.
func (ca *camera) pdf(ctx context.Context, t *tab, a *action.PrintPDF, _ action.Pin) (any, error) {
	if _, err := ca.reader.readable(ctx, t); err != nil {
		return nil, err
	}
	size, scale := papers[a.Format], cmp.Or(a.Scale, 1)
	if err := ca.secrets.refuseSecrets(ctx, t); err != nil {
		return nil, err
	}
	var printed struct {
		Stream string `json:"stream"`
	}
	p := printing{Landscape: a.Landscape, Background: a.PrintBackground, Scale: scale, Width: size.width, Height: size.height, Transfer: "ReturnAsStream"}
	if err := t.main.session.Call(ctx, "Page.printToPDF", p, &printed); err != nil {
		return nil, err
	}
	content, err := drain(ctx, t, printed.Stream)
	if err != nil {
		return nil, err
	}
	if err := ca.secrets.refuseSecrets(ctx, t); err != nil {
		return nil, err
	}
	return &action.PDF{Bytes: content}, nil
}

// drain reads a stream of the browser to its end, and closes it.
func drain(ctx context.Context, t *tab, handle string) ([]byte, error) {
	defer t.main.session.Send("IO.close", map[string]string{"handle": handle})
	var content []byte
	for {
		var piece struct {
			Base64 bool   `json:"base64Encoded"`
			Data   string `json:"data"`
			EOF    bool   `json:"eof"`
		}
		if err := t.main.session.Call(ctx, "IO.read", map[string]any{"handle": handle, "size": 1 << 20}, &piece); err != nil {
			return nil, err
		}
		data, err := unpacked(piece.Data, piece.Base64)
		if err != nil {
			return nil, err
		}
		if content = append(content, data...); len(content) > mostPDF {
			return nil, fault.New(fault.LimitReached, "the PDF is larger than 64 MiB").Hinted("print a smaller page, or read it as markdown")
		}
		if piece.EOF {
			return content, nil
		}
	}
}

func unpacked(data string, base64Encoded bool) ([]byte, error) {
	if !base64Encoded {
		return []byte(data), nil
	}
	return base64.StdEncoding.DecodeString(data)
}
