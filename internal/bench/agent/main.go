// Command agent is the scripted agent as a program, for the measurements of
// package bench.
package main

import (
	"os"

	"github.com/acpctl/acpctl/controller/acptest"
)

func main() { os.Exit(acptest.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
