package outgoing

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"mime/multipart"
	"mime/quotedprintable"
	"net/textproto"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// multipart reads the parts of a form, or the requests of a batch. The browser's protocol
// leaves out the bytes of files.
func (r *bodyReader) multipart(path string, body []byte, boundary string, level int) {
	if boundary == "" { // no browser writes that, and servers may find one
		r.Unknown, r.Cut = true, true
		return
	}
	reader := multipart.NewReader(bytes.NewReader(body), boundary)
	for i := 0; ; i++ {
		part, err := reader.NextRawPart()
		if err != nil {
			r.Unread = r.Unread || !errors.Is(err, io.EOF)
			return
		}
		name := partName(part)
		if name == "" {
			name = strconv.Itoa(i)
		}
		r.part(joinPath(path, name), part, level)
	}
}

// partName is the name of a part, also where its header says it in a way that no browser does: the
// last one of several.
func partName(part *multipart.Part) string {
	name := part.FormName()
	all := dispositionName.FindAllStringSubmatch(part.Header.Get("Content-Disposition"), -1)
	if name == "" && len(all) > 0 {
		name = all[len(all)-1][1]
	}
	return name
}

var dispositionName = regexp.MustCompile(`(?i)(?:^|[;\s])name\*?=(?:utf-8'')?"?([^";]*)`)

func (r *bodyReader) part(path string, part *multipart.Part, level int) {
	kind := part.Header.Get("Content-Type")
	var content io.Reader = part
	switch strings.ToLower(part.Header.Get("Content-Transfer-Encoding")) {
	case "base64":
		content = base64.NewDecoder(base64.StdEncoding, part)
	case "quoted-printable":
		content = quotedprintable.NewReader(part)
	}
	value, err := io.ReadAll(io.LimitReader(content, maxBody+1))
	r.Unread = r.Unread || err != nil
	file := part.FileName()
	if file != "" {
		r.add(path, "file "+file)
	}
	switch {
	case file != "" && len(value) == 0:
		// A blob without a name is made by a script, and may be anything.
		r.Unknown = r.Unknown || isData(kind) || file == "blob" && !IsMedia(kind)
	case strings.HasPrefix(strings.ToLower(kind), "application/http"):
		r.request(path, value, level+1)
	case isData(kind):
		r.body(kind, path, value, level+1)
	case file == "", orderName.MatchString(path) && len(value) <= maxValue && utf8.Valid(value): // some servers take a file for a value
		r.value(path, string(value), level)
	}
}

// request reads a request of a batch: its method and address are fields like those of a batch
// in JSON.
func (r *bodyReader) request(path string, text []byte, level int) {
	reader := textproto.NewReader(bufio.NewReader(bytes.NewReader(text)))
	line, err := reader.ReadLine()
	method, rest, found := strings.Cut(line, " ")
	if err != nil || !found {
		r.Unknown = true
		return
	}
	address, _, _ := strings.Cut(rest, " ")
	r.add(joinPath(path, "method"), method)
	r.add(joinPath(path, "url"), address)
	header, err := reader.ReadMIMEHeader()
	if err != nil && !errors.Is(err, io.EOF) {
		r.Unknown = true
		return
	}
	content, err := io.ReadAll(reader.R)
	r.Unknown = r.Unknown || err != nil
	if len(bytes.TrimSpace(content)) > 0 {
		r.body(header.Get("Content-Type"), path, content, level)
	}
}
