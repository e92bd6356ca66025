package disk

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/acpctl/acpctl/agentcore/store"
)

// log is what a file holds up to its last good line.
type log struct {
	header  *store.Header
	records int
	bytes   int64
	good    int64 // where the last good line ends
}

// readLog reads a whole log. It ends at the first line that is not complete: what
// stands behind one was never promised to anybody.
func readLog(f *os.File) (*log, error) {
	l := &log{}
	err := eachLine(f, func(parsed *line, size int) bool {
		l.good += int64(size)
		if parsed.Header != nil {
			l.header = parsed.Header
		}
		if parsed.Record != nil {
			l.records++
			l.bytes += int64(len(parsed.Record))
		}
		return true
	})
	return l, err
}

// eachLine calls visit with every good line from the start, until it says no.
func eachLine(f io.ReaderAt, visit func(l *line, size int) bool) error {
	in := bufio.NewReaderSize(io.NewSectionReader(f, 0, 1<<62), 64<<10)
	for {
		raw, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil // also of a line that was torn
		}
		if err != nil {
			return err
		}
		var l line
		good := json.Unmarshal(raw, &l) == nil && (l.Header != nil || l.Record != nil)
		if !good || !visit(&l, len(raw)) {
			return nil
		}
	}
}
