package action

// Raw reports whether the call asks for more than agents may read.
func (r ReadNetwork) Raw() bool { return r.Headers }
