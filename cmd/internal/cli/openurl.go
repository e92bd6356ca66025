package cli

import (
	"context"
	"os/exec"
)

// opener opens addresses with a program, never with a shell. Without one they are
// only shown.
func opener(argv []string) func(context.Context, string) error {
	if len(argv) == 0 {
		return nil
	}
	return func(ctx context.Context, address string) error {
		args := append(append([]string{}, argv[1:]...), address)
		return exec.CommandContext(ctx, argv[0], args...).Run() //nolint:gosec // the recipe names the program
	}
}
