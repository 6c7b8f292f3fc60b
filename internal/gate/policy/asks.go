package policy

// Asks reports whether there are people to be asked.
func (p *Policy) Asks() bool { return p != nil && p.made && p.enabled }
