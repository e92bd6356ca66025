package agentcore

import (
	"encoding/json"
	"errors"

	"github.com/acpctl/acpctl/internal/jsonrpc"
)

// codeNoSession is the error code for a session id that is unknown or not active.
// ACP: resource not found.
const codeNoSession = -32002

// fail makes the error of a response. Facts are pairs of a name and a value that go
// into data beside the reason.
func fail(code int, reason, message string, facts ...any) *jsonrpc.Error {
	data := map[string]any{"reason": reason}
	for i := 0; i+1 < len(facts); i += 2 {
		data[facts[i].(string)] = facts[i+1] //nolint:forcetypeassert // names are literals
	}
	raw, err := json.Marshal(data)
	if err != nil {
		raw = nil
	}
	return &jsonrpc.Error{Code: code, Message: message, Data: raw}
}

func invalid(reason, message string, facts ...any) *jsonrpc.Error {
	return fail(jsonrpc.CodeInvalidParams, reason, message, facts...)
}

func noSession(reason, id string) *jsonrpc.Error {
	messages := map[string]string{
		"unknown_session": "there is no session with this id",
		"not_active":      "the session is not active; resume or load it first",
		"session_closing": "the session is being closed",
	}
	return fail(codeNoSession, reason, messages[reason], "sessionId", id)
}

func storageError(err error) *jsonrpc.Error {
	return fail(jsonrpc.CodeInternal, "storage_error", "storing the session: "+err.Error())
}

func cancelledError() *jsonrpc.Error {
	return fail(jsonrpc.CodeCancelled, "cancelled", "the request was cancelled")
}

// responseError is the error that is sent for err.
func responseError(err error) *jsonrpc.Error {
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return e
	}
	return fail(jsonrpc.CodeInternal, "internal_error", err.Error())
}
