//go:build unix

package tool

import "syscall"

// openNonblock keeps a FIFO that took the place of a file from blocking the open.
const openNonblock = syscall.O_NONBLOCK
