package engine_test

import (
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// wantBusy waits until a browser is busy, or is not any more.
func (tr *trial) wantBusy(want bool, why string) {
	tr.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for tr.Busy() != want {
		select {
		case <-tick.C:
		case <-tr.ctx.Done():
			tr.t.Fatalf("%s: it is busy: %t", why, !want)
		}
	}
}

func TestABrowserIsBusyWhileSomethingGoesOn(t *testing.T) {
	tr, _ := withFiles(t)
	at := offers(t, []byte("small"))
	tr.must("page.goto", &action.Goto{URL: at})
	tr.wantBusy(false, "a page has loaded")
	tr.must("page.click", &action.Click{Locator: selector("#endless")})
	tr.wantBusy(true, "a download is under way")
	list := tr.must("download.list", &action.DownloadList{}).Data.(*action.DownloadListing).Downloads
	tr.must("download.cancel", &action.ByID{ID: list[0].ID})
	tr.wantBusy(false, "the download was cancelled")
	done := make(chan error, 1)
	go func() {
		_, err := tr.do("page.execute", &action.Execute{AwaitPromise: true, Expression: "new Promise(go => setTimeout(() => { go(1) }, 500))"})
		done <- err
	}()
	tr.wantBusy(true, "a script has not answered")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	tr.wantBusy(false, "the script has answered")
}
