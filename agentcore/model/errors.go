package model

import "time"

// Reasons of an [Error]; they go out as data.reason of the prompt's error.
const (
	ReasonProvider        = "provider_error"
	ReasonAuth            = "provider_auth"
	ReasonRateLimited     = "provider_rate_limited"
	ReasonOverloaded      = "provider_overloaded"
	ReasonContextOverflow = "context_overflow"
)

// Error is a failed request. Message is for people and never holds a credential.
type Error struct {
	Reason     string // one of the Reason constants
	Message    string
	Retryable  bool
	RetryAfter time.Duration // what the provider asked to wait; 0: nothing said
}

// Error returns the message, or the reason when there is none.
func (e *Error) Error() string {
	if e.Message == "" {
		return e.Reason
	}
	return e.Message
}
