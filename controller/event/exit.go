package event

// Exit codes of the program, also in result.exitCode. 124 is never used: it is
// what timeout(1) reports.
const (
	ExitOK         = 0
	ExitFailure    = 1
	ExitUsage      = 2
	ExitTimeout    = 3
	ExitSession    = 4
	ExitPermission = 5
	ExitQuestion   = 6
	ExitSchema     = 7
	ExitAssert     = 8
	ExitLimit      = 9
	ExitStart      = 10
	ExitAuth       = 11
	ExitMCP        = 12
	ExitReplay     = 13
	ExitInterrupt  = 130
	ExitReaderGone = 141
	ExitTerminate  = 143
)

// Reasons of ClassSignal.
const (
	ReasonInterrupted = "interrupted"
	ReasonTerminated  = "terminated"
	ReasonReaderGone  = "reader_gone"
)

// ExitCode maps a failure to the exit code of a run that it decides; nil is 0.
func (f *Failure) ExitCode() int {
	if f == nil {
		return ExitOK
	}
	if f.Class == ClassSignal {
		return signalCode(f.Reason)
	}
	return f.Class.ExitCode()
}

// ExitCode maps a class to its exit code; signals are told apart by their reason,
// see [Failure.ExitCode]. An unknown class is 1.
func (c Class) ExitCode() int {
	switch c {
	case ClassUsage:
		return ExitUsage
	case ClassTimeout:
		return ExitTimeout
	case ClassSession:
		return ExitSession
	case ClassPermission:
		return ExitPermission
	case ClassQuestion:
		return ExitQuestion
	case ClassSchema:
		return ExitSchema
	case ClassAssert:
		return ExitAssert
	case ClassLimit:
		return ExitLimit
	case ClassStart:
		return ExitStart
	case ClassAuth:
		return ExitAuth
	case ClassMCP:
		return ExitMCP
	case ClassReplay:
		return ExitReplay
	case ClassSignal:
		return ExitInterrupt
	default:
		return ExitFailure
	}
}

func signalCode(reason string) int {
	switch reason {
	case ReasonTerminated:
		return ExitTerminate
	case ReasonReaderGone:
		return ExitReaderGone
	default:
		return ExitInterrupt
	}
}
