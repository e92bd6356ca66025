// Command acpctl drives ACP agents from scripts and pipelines.
package main

import (
	"os"

	"github.com/acpctl/acpctl/cmd/internal/cli"
)

func main() {
	os.Exit(cli.Main(cli.OSEnv()))
}
