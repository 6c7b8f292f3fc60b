package engine

import "github.com/gloveboxhq/glovebox/internal/browser/cdp"

// queue runs what events ask for, away from the goroutine that reads them.
type queue struct{ jobs *cdp.Queue }

func newQueue() *queue { return &queue{jobs: cdp.NewQueue()} }

func (q *queue) add(job func()) { q.jobs.Add(job) }

func (q *queue) run(done <-chan struct{}) { q.jobs.Run(done) }
