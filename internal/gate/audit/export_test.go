package audit

// InspectOpen is Inspect of an open file. Opening it takes longer than verifying a small trail,
// which tests do thousands of times.
var InspectOpen = inspect
