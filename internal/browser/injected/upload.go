package injected

import "context"

// FileInput describes a file input.
type FileInput struct {
	Is        bool   `json:"is"` // it is a file input
	Multiple  bool   `json:"multiple"`
	Directory bool   `json:"directory"` // it takes a whole folder
	Disabled  bool   `json:"disabled"`
	Accept    string `json:"accept"` // the attribute
}

// describeInput runs in the isolated world, whose prototypes are not the
// page's.
const describeInput = `function () {
	const is = this instanceof HTMLInputElement && this.type === "file"
	return JSON.stringify(is ? {
		is, multiple: this.multiple, directory: this.webkitdirectory, disabled: this.matches(":disabled"),
		accept: this.accept.slice(0, 500),
	} : { is })
}`

// FileInput describes a node of the DOM domain.
func (f Frame) FileInput(ctx context.Context, backendNode int64) (FileInput, error) {
	object, err := f.remote().resolve(ctx, backendNode)
	if err != nil {
		return FileInput{}, err
	}
	defer f.remote().release(object)
	var in FileInput
	err = f.remote().on(ctx, object, describeInput, nil, &in)
	return in, err
}

const clearInput = `function () {
	this.value = ""
	for (const type of ["input", "change"]) this.dispatchEvent(new Event(type, { bubbles: true, composed: type === "input" }))
	return "null"
}`

// ClearFiles removes all files from an input. The protocol cannot do it:
// DOM.setFileInputFiles ignores an empty list (Chromium 156).
func (f Frame) ClearFiles(ctx context.Context, backendNode int64) error {
	object, err := f.remote().resolve(ctx, backendNode)
	if err != nil {
		return err
	}
	defer f.remote().release(object)
	return f.remote().on(ctx, object, clearInput, nil, nil)
}
