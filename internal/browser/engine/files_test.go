package engine_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// folders are files on this machine, where the browser of the tests runs.
type folders struct{ up, down string }

func (f folders) Stage(_ context.Context, a *action.Upload) ([]action.SentFile, error) {
	var sent []action.SentFile
	for i, file := range a.Files {
		at := filepath.Join(f.up, fmt.Sprint(i), untrusted.FileName(file.Name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(at, file.Bytes, 0o644); err != nil {
			return nil, err
		}
		sent = append(sent, action.SentFile{Name: filepath.Base(at), Size: int64(len(file.Bytes)), SHA256: sum(file.Bytes), Path: at})
	}
	return sent, nil
}

func (f folders) Keep(_ context.Context, d action.Download) (action.File, error) {
	content, err := os.ReadFile(filepath.Join(f.down, d.ID))
	return action.File{Artifact: action.Artifact{ID: "kept-" + d.ID, Name: d.Name, SHA256: sum(content)}, Bytes: content}, err
}

func (f folders) Drop(_ context.Context, id string) error {
	return os.Remove(filepath.Join(f.down, id))
}

func sum(content []byte) string {
	s := sha256.Sum256(content)
	return hex.EncodeToString(s[:])
}

// withFiles opens a browser that may exchange files.
func withFiles(t *testing.T, change ...func(*engine.Options)) (*trial, folders) {
	t.Helper()
	dir, err := os.MkdirTemp("", "glovebox-files-")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	f := folders{up: filepath.Join(dir, "up"), down: filepath.Join(dir, "down")}
	must(t, os.Chmod(dir, 0o755))
	must(t, os.Mkdir(f.up, 0o755))
	must(t, os.Mkdir(f.down, 0o700))
	if os.Getuid() == 0 {
		must(t, os.Chown(f.down, 10001, 10001)) // whom the browser runs as
	}
	all := append([]func(*engine.Options){func(o *engine.Options) { o.Downloads, o.Files = f.down, f }}, change...)
	return start(t, all...), f
}

// arrived reads a form that was posted: its files' names and hashes.
func arrived(w http.ResponseWriter, r *http.Request) {
	reader, err := r.MultipartReader()
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var got []string
	for {
		part, err := reader.NextPart()
		if err != nil {
			break
		}
		content, _ := io.ReadAll(part)
		_, params, _ := strings.Cut(part.Header.Get("Content-Disposition"), `filename="`)
		got = append(got, strings.TrimSuffix(params, `"`)+" "+sum(content))
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = fmt.Fprintf(w, "<title>%s</title>", strings.Join(got, ", "))
}

const form = `<title>form</title><form action="/take" method=post enctype="multipart/form-data">%s<button>Send</button></form>`

func takes(t *testing.T, inputs string) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprintf(w, form, inputs)
	})
	mux.HandleFunc("/take", arrived)
	return listen(t, mux).URL
}

func one(name, content string) []action.NewFile {
	return []action.NewFile{{Name: name, Bytes: []byte(content)}}
}

func TestUploadsReachTheServerWhole(t *testing.T) {
	random := make([]byte, 10<<20)
	_, _ = rand.Read(random)
	for _, c := range []struct {
		name, inputs string
		to           action.Locator
		files        []action.NewFile
	}{
		{"plain", `<input type=file name=f>`, selector("input"), one("a.txt", "hello")},
		{"empty", `<input type=file name=f>`, selector("input"), one("empty", "")},
		{"large", `<input type=file name=f>`, selector("input"), one("large.bin", string(random))},
		{"unicode names", `<input type=file name=f multiple>`, selector("input"), append(one("Übersicht 漢字 😀.txt", "1"), one("e\u0301tat.txt", "2")...)},
		{"hidden behind a label", `<input id=f type=file name=f style="display:none"><label for=f>Choose</label>`, selector("input"), one("a.txt", "1")},
		{"hidden, by its name", `<input id=f type=file name=f style="display:none"><label for=f>Upload photo</label>`, named("button", "Upload photo"), one("a.txt", "6")},
		{"the label", `<input id=f type=file name=f style="display:none"><label for=f>Choose</label>`, selector("label"), one("a.txt", "2")},
		{"a button that clicks", `<input id=f type=file name=f hidden><button type=button onclick="document.getElementById('f').click()">Choose</button>`, action.Locator{Role: "button", Name: "Choose"}, one("a.txt", "3")},
		{"an input that is made late", `<button type=button onclick="setTimeout(() => { const i = document.createElement('input'); i.type = 'file'; i.name = 'f'; i.hidden = true; this.form.append(i); i.click() }, 50)">Late</button>`, action.Locator{Role: "button", Name: "Late"}, one("a.txt", "4")},
		{"in a shadow root", `<div id=host></div><input type=hidden><script>
			const i = document.createElement('input'); i.type = 'file'
			i.onchange = () => { const f = document.createElement('input'); f.type = 'file'; f.name = 'f'; f.files = i.files; document.forms[0].append(f) }
			host.attachShadow({mode: 'open'}).append(i)</script>`, selector("input[type=file]"), one("a.txt", "5")},
	} {
		if !testenv.Tried(c.name, 2) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			tr, _ := withFiles(t)
			tr.must("page.goto", &action.Goto{URL: takes(t, c.inputs)})
			r := tr.must("page.upload", &action.Upload{Locator: c.to, Files: c.files})
			got := r.Data.(*action.Uploaded)
			var want []string
			for i, f := range c.files {
				want = append(want, f.Name+" "+sum(f.Bytes))
				if got.Files[i].SHA256 != sum(f.Bytes) || got.Files[i].Size != int64(len(f.Bytes)) {
					t.Errorf("it says %+v", got.Files[i])
				}
			}
			if !got.OK || got.Element == nil || len(r.Notes) != 0 {
				t.Errorf("%+v, notes %q", got, r.Notes)
			}
			tr.must("page.click", &action.Click{Locator: action.Locator{Role: "button", Name: "Send"}})
			tr.wantTitle(strings.Join(want, ", "))
		})
	}
}

func TestUploadsThatDoNotFitChangeNothing(t *testing.T) {
	tr, f := withFiles(t)
	tr.visit(`<title>0</title><input id=one type=file><input id=off type=file disabled><input id=dir type=file webkitdirectory>
		<input id=text><button type=button aria-expanded=false>Nothing</button><script>onchange = () => document.title++</script>`)
	two := append(one("a", "1"), one("b", "2")...)
	for _, c := range []struct {
		code fault.Code
		args action.Upload
	}{
		{fault.InvalidRequest, action.Upload{Locator: selector("#one")}},
		{fault.InvalidRequest, action.Upload{Locator: selector("#one"), Files: two}},
		{fault.InvalidRequest, action.Upload{Locator: selector("#one"), Files: two[:1], Clear: true}},
		{fault.InvalidRequest, action.Upload{Locator: selector("#one"), Files: one("a", strings.Repeat("x", action.MostUpload+1))}},
		{fault.NotActionable, action.Upload{Locator: selector("#off"), Files: two[:1]}},
		{fault.InvalidRequest, action.Upload{Locator: selector("#dir"), Files: two[:1]}},
		{fault.InvalidRequest, action.Upload{Locator: selector("#text"), Clear: true}},
		{fault.NotActionable, action.Upload{Locator: selector("button"), Files: two[:1]}},
	} {
		tr.refuse(c.code, "page.upload", &c.args)
	}
	if staged, _ := os.ReadDir(f.up); len(staged) != 0 {
		t.Errorf("%v was put into the box for nothing", staged)
	}
	tr.wantTitle("0")
}

func TestAnUploadIsReplacedAndCleared(t *testing.T) {
	tr, _ := withFiles(t)
	tr.visit(`<input type=file accept="image/*,.pdf" onchange="document.title = [...this.files].map(f => f.name)">`)
	if r := tr.must("page.upload", &action.Upload{Locator: selector("input"), Files: one("a.PDF", "x")}); len(r.Notes) != 0 {
		t.Errorf("notes %q", r.Notes)
	}
	tr.wantTitle("a.PDF")
	if r := tr.must("page.upload", &action.Upload{Locator: selector("input"), Files: one("b.txt", "x")}); !strings.Contains(strings.Join(r.Notes, ""), "image/*") {
		t.Errorf("notes %q", r.Notes)
	}
	tr.wantTitle("b.txt")
	tr.must("page.upload", &action.Upload{Locator: selector("input"), Clear: true})
	tr.wantTitle("")
}

func TestAFileChooserOfThePageIsToldOfAndHoldsNothingUp(t *testing.T) {
	tr, _ := withFiles(t)
	tr.visit(`<title>0</title><input id=f type=file hidden><button onclick="document.getElementById('f').click(); document.title++">Choose</button>`)
	for _, want := range []string{"1", "2"} {
		r := tr.must("page.click", &action.Click{Locator: selector("button")})
		if !strings.Contains(strings.Join(r.Notes, "\n"), "page.upload") {
			t.Errorf("notes %q", r.Notes)
		}
		tr.wantTitle(want)
	}
}

func TestUploadIntoAFrameOfAnotherSite(t *testing.T) {
	tr, _ := withFiles(t)
	inner := serve(t, `<input type=file onchange="this.files[0].text().then(text => { document.body.append(text) })">`)
	tr.visit(`<iframe src="` + elsewhere(inner) + `"></iframe>`)
	tr.must("page.upload", &action.Upload{Locator: selector("input[type=file]"), Files: one("a.txt", "from the outside")})
	if r := tr.must("page.wait_for", &action.WaitFor{Locator: action.Locator{Text: "from the outside"}}); !r.Data.(*action.Waited).Found {
		t.Error("the frame did not read it")
	}
}

// offers serves downloads of every kind.
func offers(t *testing.T, file []byte) string {
	t.Helper()
	mux, over := http.NewServeMux(), make(chan struct{})
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, `<title>offers</title><a id=link download href="/plain">link</a> <a id=sent href="/file?token=hunter2hunter2hunter2">sent</a>
			<a id=blob download="blob.txt">blob</a> <button id=pop onclick="window.open('/file')">pop</button> <a id=bad download="../../etc/pass&#x202e;wd" href="/plain">bad</a>
			<a id=endless href="/endless">endless</a> <a id=two onclick="for (const n of [1, 2]) { const a = document.createElement('a'); a.href = '/plain?' + n; a.download = n + '.txt'; a.click() }">two</a>
			<script>document.getElementById('blob').href = URL.createObjectURL(new Blob(['from a blob']))</script>`)
	})
	attached := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename*=UTF-8''%E6%BC%A2.bin`)
		_, _ = w.Write(file)
	}
	mux.HandleFunc("/file", attached)
	mux.HandleFunc("/plain", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(file) })
	mux.HandleFunc("/bomb", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=bomb.txt")
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		for range 64 {
			_, _ = z.Write(make([]byte, 1<<20))
		}
		_ = z.Close()
	})
	mux.HandleFunc("/endless", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=endless.bin")
		_, _ = w.Write(make([]byte, 1<<10))
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
		case <-over:
		}
	})
	at := listen(t, mux).URL
	t.Cleanup(func() { close(over) })
	return at
}

// downloaded waits until so many downloads are there and none runs.
func (tr *trial) downloaded(want int) []action.Download {
	tr.t.Helper()
	for tr.ctx.Err() == nil {
		list := tr.must("download.list", &action.DownloadList{Wait: 5000}).Data.(*action.DownloadListing).Downloads
		if len(list) >= want && list[len(list)-1].State != "running" {
			return list
		}
	}
	tr.t.Fatal("the downloads do not come")
	return nil
}

func TestDownloadsAreKeptApartAndFetched(t *testing.T) {
	withWindows(t)
	file := bytes.Repeat([]byte("glovebox"), 1<<17)
	for _, c := range []struct {
		by, name string
		content  []byte
	}{
		{"#link", "plain.txt", file},
		{"#sent", "漢.bin", file},
		{"#blob", "blob.txt", []byte("from a blob")},
		{"#pop", "漢.bin", file},
		{"#bad", "", file},
	} {
		t.Run(c.by, func(t *testing.T) {
			tr, f := withFiles(t)
			at := offers(t, file)
			tr.must("page.goto", &action.Goto{URL: at})
			tr.must("page.click", &action.Click{Locator: selector(c.by)})
			d := tr.downloaded(1)[0]
			if d.State != "done" || d.Size != int64(len(c.content)) || c.name != "" && d.Name != c.name || strings.ContainsAny(d.Name, "/\\\u202e") || strings.HasPrefix(d.Name, ".") {
				t.Fatalf("it is %+v", d)
			}
			if strings.Contains(d.URL, "hunter2") {
				t.Errorf("its address is shown: %s", d.URL)
			}
			got := tr.must("download.get", &action.ByID{ID: d.ID}).Data.(*action.File)
			if !bytes.Equal(got.Bytes, c.content) || got.Name != d.Name {
				t.Errorf("fetched %d bytes of %s", len(got.Bytes), got.Name)
			}
			if again := tr.downloaded(1)[0]; again.Artifact != got.ID {
				t.Errorf("afterwards %+v", again)
			}
			tr.wantTitle("offers")
			tr.must("download.cancel", &action.ByID{ID: d.ID})
			_ = f
		})
	}
}

func TestADownloadInPlaceOfAPageIsNoFailure(t *testing.T) {
	tr, _ := withFiles(t)
	at := offers(t, []byte("x"))
	tr.must("page.goto", &action.Goto{URL: at})
	r := tr.must("page.goto", &action.Goto{URL: at + "/file"})
	went := r.Data.(*action.Navigated)
	d := tr.downloaded(1)[0]
	if went.Download != d.ID || went.URL != at+"/" || went.Title != "offers" || d.State != "done" {
		t.Errorf("went %+v, downloaded %+v", went, d)
	}
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "a download began") || !strings.Contains(notes, d.ID) {
		t.Errorf("notes %q", r.Notes)
	}
}

func TestTwoDownloadsAtOnce(t *testing.T) {
	tr, f := withFiles(t)
	tr.must("page.goto", &action.Goto{URL: offers(t, []byte("x"))})
	tr.must("page.click", &action.Click{Locator: selector("#two")})
	list := tr.downloaded(2)
	if len(list) != 2 || list[0].ID == list[1].ID || list[0].State != "done" || list[1].State != "done" {
		t.Fatalf("%+v", list)
	}
	tr.must("download.cancel", &action.ByID{ID: list[0].ID})
	left, _ := os.ReadDir(f.down)
	if len(left) != 1 || left[0].Name() != list[1].ID {
		t.Errorf("%v is left", left)
	}
	tr.refuse(fault.NotFound, "download.get", &action.ByID{ID: list[0].ID})
	tr.refuse(fault.NotFound, "download.get", &action.ByID{ID: "nothing"})
	tr.refuse(fault.NotFound, "download.cancel", &action.ByID{ID: "nothing"})
}

func TestDownloadsThatAreTooMuchAreRefused(t *testing.T) {
	tr, f := withFiles(t, func(o *engine.Options) { o.MostDownload = 1 << 20 })
	at := offers(t, make([]byte, 2<<20))
	for i, what := range []string{"/file", "/bomb"} {
		tr.must("page.goto", &action.Goto{URL: at + what})
		if d := tr.downloaded(i + 1)[i]; d.State != "refused" || d.Error == "" {
			t.Errorf("%s: %+v", what, d)
		}
	}
	tr.emptied(f.down)
}

func TestARunningDownloadIsCancelled(t *testing.T) {
	tr, f := withFiles(t)
	tr.must("page.goto", &action.Goto{URL: offers(t, nil)})
	r := tr.must("page.click", &action.Click{Locator: selector("#endless")})
	list := tr.must("download.list", &action.DownloadList{}).Data.(*action.DownloadListing).Downloads
	if len(list) != 1 || list[0].State != "running" || !strings.Contains(strings.Join(r.Notes, "\n"), list[0].ID) {
		t.Fatalf("%+v, notes %q", list, r.Notes)
	}
	tr.refuse(fault.NotActionable, "download.get", &action.ByID{ID: list[0].ID})
	tr.must("download.cancel", &action.ByID{ID: list[0].ID})
	if d := tr.downloaded(1)[0]; d.State != "cancelled" {
		t.Errorf("%+v", d)
	}
	tr.emptied(f.down)
}

// emptied waits for the browser to have removed what there was of a download:
// it tells of the end before that.
func (tr *trial) emptied(folder string) {
	tr.t.Helper()
	for {
		left, err := os.ReadDir(folder)
		must(tr.t, err)
		if len(left) == 0 {
			return
		}
		if tr.ctx.Err() != nil {
			tr.t.Fatalf("%v is left", left)
		}
		tr.must("page.wait_for", &action.WaitFor{})
	}
}
