// Command agent is the scripted agent as a program, for the measurements of
// package bench; with -requests N it asks N things of its own.
package main

import (
	"os"
	"strconv"

	"github.com/acpctl/acpctl/controller/acptest"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "-requests" {
		n, err := strconv.Atoi(os.Args[2])
		if err != nil {
			os.Exit(2)
		}
		os.Exit(requests(n, os.Stdin, os.Stdout))
	}
	os.Exit(acptest.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
