// Package acptest is an agent for tests: it plays a scenario, which may be
// anything from a well-behaved turn to a process that writes half a line and dies.
// It is not an ACP library: it writes frames as the scenario spells them, wrong ones
// included, and shares no code with the client that it tests but the transports.
//
// In a test of a package it is connected in memory, see [Connect] and
// [Scenario.Serve]; in a script it is a process of its own, see [Main]. Both play
// the same scenarios.
//
// # Scenarios
//
// A scenario is a text of one instruction a line. Lines that begin with # and
// blank lines are ignored, so prose goes there; a line that begins with a space
// continues the one before it.
//
//	# The agent answers the prompt with one word.
//	open
//	> session/prompt {"prompt":[{"type":"text"}]}
//	update {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hello"}}
//	reply session/prompt {"stopReason":"end_turn"}
//
// What the client sends:
//
//	> METHOD [PARAMS]      the next frame must be this request or notification; its params
//	                       must contain PARAMS: members of objects may be more
//	> response ID [RESULT] the next frame must be the answer to our request ID
//	> error ID [ERROR]     the same, and it must be an error
//	auto METHOD [RESULT]   from now on this method, whenever it comes, is answered with
//	                       RESULT, or ignored without one, and > does not see it; METHOD
//	                       may be response, for the answers to our requests
//
// What the agent sends:
//
//	< FRAME                this frame
//	reply METHOD RESULT    the answer to the last request of METHOD
//	fail METHOD CODE TEXT  the same as an error
//	update UPDATE          a session/update of the session
//	request ID METHOD PARAMS, notify METHOD PARAMS
//	flood N BYTES          N agent_message_chunk updates, each with that much text
//	line TEXT              a line that need not be a frame
//	partial TEXT           the same without its newline
//	stderr TEXT            a line on standard error
//	noise N                N lines on standard error
//
// In frames, ${METHOD} is the id of the last frame of METHOD, and
// ${METHOD:prompt.0.text} a member of its params, as JSON.
//
// What the agent does:
//
//	open                   answers initialize and session/new like the polite agent, and from
//	                       now on session/set_config_option, session/set_mode and session/close
//	polite [plain]         is the polite agent from here on, see [Polite]
//	session ID             names the session of update; open and the start name it sess-1
//	wait DURATION          waits that long, such as 50ms
//	ignore eof             does not end when its input ends
//	ignore term            does not end at SIGTERM
//	spawn FILE COMMAND...  starts a child that outlives the agent and writes its id to FILE
//	exit CODE              ends at once
//	hang                   does nothing any more, and reads nothing
//
// Behind its last instruction the agent answers like the polite one, but refuses
// prompts, and ends with code 0 when its input ends. A frame that is not the one
// expected, or the end of the input instead of it, ends the agent with code 3 and
// a message.
package acptest
