package page

import "sync"

// queue runs what events ask for, in order, away from the goroutine that reads
// them: a write to the browser may block while the browser waits for us to
// read.
type queue struct {
	mu   sync.Mutex
	jobs []func()
	wake chan struct{}
}

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1)} }

func (q *queue) add(job func()) {
	q.mu.Lock()
	q.jobs = append(q.jobs, job)
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *queue) take() []func() {
	q.mu.Lock()
	defer q.mu.Unlock()
	jobs := q.jobs
	q.jobs = nil
	return jobs
}

// run runs jobs until done is closed.
func (q *queue) run(done <-chan struct{}) {
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
