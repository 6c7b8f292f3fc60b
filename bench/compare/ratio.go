// Package compare says whether one version of a program is slower than another:
// it chooses the commit to compare with, computes the ratio of what both took,
// with a confidence interval, and prints the result.
package compare

import (
	"math/rand/v2"
	"slices"
)

const (
	resamples  = 2000 // of the bootstrap
	confidence = 0.95 // of the interval
	seed       = 20261123
)

// Ratio is the median of the new times divided by the median of the old ones,
// and the bounds of its 95 % confidence interval.
type Ratio struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Mark says what a ratio means.
type Mark string

// The marks.
const (
	Slower Mark = "slower"
	Faster Mark = "faster"
	Same   Mark = "same"
	TooFew Mark = "too few rounds"
	None   Mark = "no value"
)

// Fewest is how many rounds a row needs for a mark. With 10 rounds, about 1 % of equal
// versions are marked slower or faster; with 3, every sixth.
const Fewest = 10

// RatioOfMedians compares the times of rounds: old[i] and new[i] were measured in the same
// round. Both must have the same length, at least 1. The interval comes from a bootstrap
// with a fixed seed, so the same times give the same interval. The bootstrap draws whole
// rounds: what slows both versions in a round widens the interval less than if the times
// of each version were drawn apart.
func RatioOfMedians(old, new []float64) Ratio {
	draws := rand.New(rand.NewPCG(seed, uint64(len(old))))
	drawnOld, drawnNew := make([]float64, len(old)), make([]float64, len(old))
	ratios := make([]float64, resamples)
	for i := range ratios {
		for j := range old {
			k := draws.IntN(len(old))
			drawnOld[j], drawnNew[j] = old[k], new[k]
		}
		ratios[i] = medianOf(drawnNew) / medianOf(drawnOld)
	}
	slices.Sort(ratios)
	tail := int((1 - confidence) / 2 * resamples)
	return Ratio{Median(new) / Median(old), ratios[tail], ratios[resamples-1-tail]}
}

// Mark returns Slower or Faster if the whole interval is further from 1 than the
// margin (0.03 is 3 %), and Same otherwise.
func (r Ratio) Mark(margin float64) Mark {
	switch {
	case r.Low > 1+margin:
		return Slower
	case r.High < 1-margin:
		return Faster
	}
	return Same
}

// Width is the length of the interval.
func (r Ratio) Width() float64 { return r.High - r.Low }

// Median returns the median of the values, of which there is at least one.
func Median(values []float64) float64 { return medianOf(slices.Clone(values)) }

// medianOf sorts the values.
func medianOf(values []float64) float64 {
	slices.Sort(values)
	middle := len(values) / 2
	if len(values)%2 == 1 {
		return values[middle]
	}
	return (values[middle-1] + values[middle]) / 2
}
