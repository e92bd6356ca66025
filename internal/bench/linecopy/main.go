// Command linecopy copies its input to its output line by line: the least that a
// program does which reads what an agent writes.
package main

import (
	"bufio"
	"os"
)

func main() {
	in, out := bufio.NewReaderSize(os.Stdin, 64<<10), bufio.NewWriterSize(os.Stdout, 64<<10)
	for {
		line, err := in.ReadSlice('\n')
		_, _ = out.Write(line)
		if err != nil && err != bufio.ErrBufferFull { //nolint:errorlint // the reader's own value
			break
		}
	}
	if out.Flush() != nil {
		os.Exit(1)
	}
}
