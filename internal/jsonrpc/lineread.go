package jsonrpc

import (
	"bytes"
	"io"
)

const (
	blockSize = 64 << 10
	headSize  = 200 // how much is kept of a line that is no frame
)

// lineReader cuts a byte stream into lines of bounded length. Its buffer has one
// block whatever the lines are; long lines are collected block by block.
type lineReader struct {
	in  io.Reader
	max int

	buf            []byte
	start, at, end int      // the line's beginning, what is searched, what is read
	blocks         [][]byte // the beginning of a line that is longer than a block
	size           int      // bytes put away, or dropped because the line is too long
	begun          bool     // the first line was read
	cut            bool     // the last line has no end
	err            error
}

// byteOrderMark is what some programs put in front of UTF-8.
var byteOrderMark = []byte("\ufeff")

func (r *lineReader) lastCut() bool { return r.cut }

// nextLine returns a copy of the next line that is not blank.
func (r *lineReader) nextLine() ([]byte, error) {
	for {
		line, err := r.line()
		if err != nil {
			return nil, err
		}
		if !r.begun {
			r.begun = true
			line = bytes.TrimPrefix(line, byteOrderMark)
		}
		if line = bytes.TrimSuffix(line, []byte("\r")); scanner(line).space(0) < len(line) {
			return line, nil
		}
	}
}

func (r *lineReader) line() ([]byte, error) {
	for {
		if i := bytes.IndexByte(r.buf[r.at:r.end], '\n'); i >= 0 {
			line := r.buf[r.start : r.at+i]
			r.at += i + 1
			r.start = r.at
			return r.finish(line)
		}
		r.at = r.end
		if r.err != nil {
			return r.lastLine()
		}
		r.fill()
	}
}

// lastLine returns what stands behind the last line end, then the end itself.
func (r *lineReader) lastLine() ([]byte, error) {
	line := r.buf[r.start:r.end]
	r.start = r.end
	if r.size+len(line) == 0 {
		return nil, r.err
	}
	r.cut = true
	return r.finish(line)
}

// fill reads more into the buffer, of which it first makes room.
func (r *lineReader) fill() {
	switch {
	case r.buf == nil:
		r.buf = make([]byte, blockSize)
	case r.start == r.end:
		r.start, r.at, r.end = 0, 0, 0
	case r.end == len(r.buf) && r.start > 0:
		r.end = copy(r.buf, r.buf[r.start:])
		r.start, r.at = 0, r.end
	case r.end == len(r.buf):
		r.putAway()
	}
	var n int
	n, r.err = r.in.Read(r.buf[r.end:])
	r.end += n
}

// putAway keeps the full buffer as a part of a long line. Of a line over the
// limit only the first block is kept, for its report.
func (r *lineReader) putAway() {
	r.size += len(r.buf)
	switch {
	case r.size <= r.max || len(r.blocks) == 0:
		r.blocks = append(r.blocks, r.buf)
		r.buf = make([]byte, blockSize)
	default:
		r.blocks = r.blocks[:1:1]
	}
	r.start, r.at, r.end = 0, 0, 0
}

// finish joins the parts of a line. They are given up one by one, so that a long
// line is in memory twice at most.
func (r *lineReader) finish(last []byte) ([]byte, error) {
	blocks, size := r.blocks, r.size+len(last)
	r.blocks, r.size = nil, 0
	if size > r.max {
		head := last
		if len(blocks) > 0 {
			head = blocks[0]
		}
		return nil, &FrameTooLargeError{Limit: r.max, Size: size, head: bytes.Clone(head[:min(len(head), headSize)])}
	}
	line := make([]byte, 0, size)
	for i, b := range blocks {
		line = append(line, b...)
		blocks[i] = nil
	}
	return append(line, last...), nil
}
