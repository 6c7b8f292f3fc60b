package action

// Raw reports whether the call asks for more than an agent may read.
func (r ReadNetwork) Raw() bool { return r.Headers }
