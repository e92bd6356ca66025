package event

// Informational says whether a warning code is for information only: --strict
// makes no failure of it.
func Informational(code string) bool { return code == "stdin_ignored" || code == "unused_variable" }

// WarningClass is the class of the failure that --strict makes of a warning.
// What an agent does against the protocol is class protocol, what cannot be
// enforced of a policy is class permission; a code that is not listed is class
// agent.
func WarningClass(code string) Class {
	switch code {
	case "invalid_update", "invalid_config", "updates_dropped", "cancel_not_confirmed", "stray_output",
		"unknown_session", "late_request":
		return ClassProtocol
	case "ask_not_enforced", "rule_void":
		return ClassPermission
	case "session_replaced":
		return ClassSession
	case "callback_panic":
		return ClassInternal
	default:
		return ClassAgent
	}
}
