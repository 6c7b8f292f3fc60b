// Package enginetest reads measurements from a container engine for tests and
// benchmarks.
package enginetest

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/moby/moby/client"
)

// ProcessorTime returns the processor time that a container has used. container is
// its id or name on the engine that the environment names.
func ProcessorTime(tb testing.TB, container string) time.Duration {
	tb.Helper()
	engine, err := client.New(client.FromEnv)
	if err != nil {
		tb.Fatal(err)
	}
	defer engine.Close()
	answer, err := engine.ContainerStats(tb.Context(), container, client.ContainerStatsOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	defer answer.Body.Close()
	var stats struct {
		CPU struct {
			Usage struct {
				Total int64 `json:"total_usage"`
			} `json:"cpu_usage"`
		} `json:"cpu_stats"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&stats); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(stats.CPU.Usage.Total)
}
