package engine_test

import (
	"fmt"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// wantBusy waits until a browser is busy, or is not any more.
func (tr *trial) wantBusy(want bool, why string) {
	tr.t.Helper()
	testwait.For(tr.t, fmt.Sprintf("%s: busy to be %t", why, want), func() bool { return tr.Busy() == want })
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
