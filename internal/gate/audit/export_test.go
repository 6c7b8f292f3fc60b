package audit

// InspectOpen is Inspect of a file that is open already: opening it takes
// longer than verifying a small trail, which tests do thousands of times.
var InspectOpen = inspect
