package engine_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const pickers = `<button id=open>Open</button><button id=save>Save</button><button id=folder>Folder</button><button id=ask>Choose</button><input type=file id=f hidden><script>
	const told = e => { document.title = e.name };
	document.querySelector('#open').onclick = () => showOpenFilePicker().catch(told);
	save.onclick = () => showSaveFilePicker({suggestedName: 'n.txt'}).catch(told);
	folder.onclick = () => showDirectoryPicker().catch(told);
	ask.onclick = () => f.click();
</script>`

// TestAPickerThatNobodyCanAnswerIsNotAnUpload: the browser gives no files to the pickers of
// files that pages open and save themselves.
func TestAPickerThatNobodyCanAnswerIsNotAnUpload(t *testing.T) {
	tr := start(t)
	for _, id := range []string{"#open", "#save", "#folder"} {
		tr.visit(pickers)
		notes := tr.notesOfClick(id)
		if strings.Contains(notes, "page.upload") || !strings.Contains(notes, "open or save") || !strings.Contains(notes, "download") {
			t.Errorf("%s: notes %q", id, notes)
		}
	}
	if notes := tr.notesOfClick("#ask"); !strings.Contains(notes, "page.upload") {
		t.Errorf("notes %q", notes)
	}
}

// notesOfClick returns the notes after a click, which may come with a later result.
func (tr *trial) notesOfClick(css string) string {
	notes := tr.must("page.click", &action.Click{Locator: selector(css)}).Notes
	for tr.ctx.Err() == nil && len(notes) == 0 {
		notes = tr.must("page.snapshot", &action.TakeSnapshot{}).Notes
	}
	return strings.Join(notes, " ")
}

func TestAFileForAPickerIsRefused(t *testing.T) {
	tr, _ := withFiles(t)
	tr.visit(pickers)
	f := tr.refuse(fault.NotActionable, "page.upload", &action.Upload{Locator: selector("#open"), Files: []action.NewFile{{Name: "a.txt", Bytes: []byte("x")}}})
	if f.Details["reason"] != "file picker" {
		t.Errorf("%v", f)
	}
}
