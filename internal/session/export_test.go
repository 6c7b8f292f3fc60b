package session

// BecomeCredentialed does what putting credentials into a session's browser
// begins with.
func (r *Registry) BecomeCredentialed(id string) {
	r.mu.Lock()
	l := r.live[id]
	r.mu.Unlock()
	l.becomeCredentialed()
}
