package cdp

import "sync"

// Queue runs the jobs that events cause, in order, on another goroutine than the
// reading one: a write to the browser may block while the browser waits for us to
// read.
type Queue struct {
	mu   sync.Mutex
	jobs []func()
	wake chan struct{}
}

// NewQueue makes an empty queue.
func NewQueue() *Queue { return &Queue{wake: make(chan struct{}, 1)} }

// Add appends a job.
func (q *Queue) Add(job func()) {
	q.mu.Lock()
	q.jobs = append(q.jobs, job)
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *Queue) take() []func() {
	q.mu.Lock()
	defer q.mu.Unlock()
	jobs := q.jobs
	q.jobs = nil
	return jobs
}

// Run runs jobs until done is closed.
func (q *Queue) Run(done <-chan struct{}) {
	for {
		for _, job := range q.take() {
			job()
		}
		select {
		case <-q.wake:
		case <-done:
			return
		}
	}
}
