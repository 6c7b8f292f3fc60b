package action

// Resize gives the pages of a session another viewport, until it ends.
type Resize struct {
	Width  int `json:"width" minimum:"100" maximum:"3840" doc:"CSS pixels" example:"800"`
	Height int `json:"height" minimum:"100" maximum:"2160" doc:"CSS pixels" example:"600"`
}

// Resized says how large the viewport is now, in CSS pixels.
type Resized struct {
	OK     bool `json:"ok"`
	Width  int  `json:"width"`
	Height int  `json:"height"`
}
