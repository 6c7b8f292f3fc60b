package extract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/net/html/charset"
)

// ErrNoText is the error for a file that has no text.
var ErrNoText = errors.New("the file holds no text that can be read")

const (
	pdfStart  = time.Hour // until an instance of the reader is free; it is the only one of its pool
	pdfMemory = 2048      // pages of WebAssembly memory, 64 KiB each: 128 MiB
	pdfPages  = 2000      // pages that are read
	pdfHead   = 1024      // bytes in which the mark of a PDF document must be (ISO 32000-1, annex H, note 13)
)

// Document returns the text of a file, at most most bytes of it; cut reports
// that the file has more. For a PDF document, pages is the number of pages, and
// the text of each page follows a line with the page's number. Reading one ends
// with ctx, which is how callers bound its time. Errors: ErrNoText, and those of
// reading a PDF document.
func Document(ctx context.Context, content []byte, most int) (text string, pages int, cut bool, err error) {
	if bytes.Contains(content[:min(len(content), pdfHead)], []byte("%PDF-")) {
		text, pages, cut, err = pdf(ctx, content, most)
		return text, pages, cut, err
	}
	kind := http.DetectContentType(content)
	if !strings.HasPrefix(kind, "text/") {
		return "", 0, false, ErrNoText
	}
	if !utf8.Valid(content) {
		encoding, _, _ := charset.DetermineEncoding(content, "")
		if content, err = encoding.NewDecoder().Bytes(content); err != nil {
			return "", 0, false, ErrNoText
		}
	}
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	if cut = len(content) > most; cut {
		content = content[:most]
	}
	return strings.ToValidUTF8(strings.ReplaceAll(string(content), "\r\n", "\n"), ""), 0, cut, nil
}

// reading holds a token while a PDF document is read, so that only one is read at a
// time: each takes up to 200 MB.
var reading = make(chan struct{}, 1)

// pdf reads a PDF document with PDFium, Chromium's PDF reader, as WebAssembly.
// A document that exploits the reader reaches only the memory of the module.
// The module is interpreted, because compiling it takes seconds and more
// memory.
func pdf(ctx context.Context, content []byte, most int) (text string, pages int, cut bool, err error) {
	select {
	case reading <- struct{}{}:
		defer func() { <-reading }()
	case <-ctx.Done():
		return "", 0, false, context.Cause(ctx)
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the reader failed: %v", r)
		}
	}()
	features := api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling
	runtime := wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(features).WithCloseOnContextDone(true).WithMemoryLimitPages(pdfMemory)
	pool, err := webassembly.Init(webassembly.Config{Context: ctx, MaxTotal: 1, RuntimeConfig: runtime})
	if err != nil {
		return "", 0, false, fmt.Errorf("cannot start the reader: %w", err)
	}
	defer func() { _ = pool.Close() }()
	reader, err := pool.GetInstance(pdfStart)
	if err != nil {
		return "", 0, false, fmt.Errorf("cannot start the reader: %w", err)
	}
	return pdfText(reader, content, most)
}

func pdfText(reader pdfium.Pdfium, content []byte, most int) (text string, pages int, cut bool, err error) {
	doc, err := reader.OpenDocument(&requests.OpenDocument{File: &content})
	if err != nil {
		return "", 0, false, fmt.Errorf("cannot open the document: %w", err)
	}
	count, err := reader.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: doc.Document})
	if err != nil {
		return "", 0, false, fmt.Errorf("cannot count the pages: %w", err)
	}
	var all strings.Builder
	for i := range min(count.PageCount, pdfPages) {
		page, err := reader.GetPageText(&requests.GetPageText{Page: requests.Page{ByIndex: &requests.PageByIndex{Document: doc.Document, Index: i}}})
		if err != nil {
			return "", 0, false, fmt.Errorf("cannot read page %d: %w", i+1, err)
		}
		fmt.Fprintf(&all, "--- page %d of %d ---\n%s\n", i+1, count.PageCount, strings.TrimSpace(strings.ReplaceAll(page.Text, "\r\n", "\n")))
		if all.Len() > most {
			return strings.ToValidUTF8(all.String()[:most], ""), count.PageCount, true, nil
		}
	}
	return strings.ToValidUTF8(all.String(), ""), count.PageCount, count.PageCount > pdfPages, nil
}
