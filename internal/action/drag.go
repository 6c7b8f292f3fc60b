package action

// Drag drags one element onto another, with the mouse: as drag and drop (HTML
// standard, 6.11) where the page takes it for that.
type Drag struct {
	From Locator  `json:"from" doc:"What is dragged"`
	To   Locator  `json:"to" doc:"What it is dropped on"`
	X    *float64 `json:"offsetX,omitempty" minimum:"0" maximum:"16384" doc:"Where on the target to drop, from its left; where it receives a press when absent"`
	Y    *float64 `json:"offsetY,omitempty" minimum:"0" maximum:"16384" doc:"The same, from its top"`
	Timing
}

// Offset returns the place on the target, in CSS pixels from its left and top
// edge; of one that is not given it is the very edge.
func (d *Drag) Offset() (x, y float64, given bool) {
	if d.X != nil {
		x = *d.X
	}
	if d.Y != nil {
		y = *d.Y
	}
	return x, y, d.X != nil || d.Y != nil
}

// Spot is an element that was judged beside the one a Pin names: what
// something would be dropped on. The zero Spot is none.
type Spot struct {
	Document string
	Node     string
	Print    string
}
