package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lock takes the lock of a log until it is closed; false when somebody has it.
// The byte that is locked lies behind every log, since Windows does not let others
// read what is locked.
func lock(f *os.File) (bool, error) {
	at := &windows.Overlapped{OffsetHigh: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}
