package tool

import "fmt"

// Builtin returns the tools of the bundled agent in the order in which the model
// sees them.
func Builtin() []Tool { return nil }

func errorf(format string, args ...any) Result {
	return Result{Text: fmt.Sprintf(format, args...), IsError: true}
}
