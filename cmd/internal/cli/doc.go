// Package cli is the command line of acpctl: one file per command, and the only
// place where the other packages are put together.
//
// A command has three pieces: an options struct, a constructor that declares,
// parses and validates, and a run function over the options. Everything from
// outside (arguments, streams, environment, clock, ids, signals) enters through
// [Env], so a test runs a command in its own process.
//
// What the program prints follows three rules. Stdout carries data only, in the
// chosen format; with ndjson and json the last line is always the result. Stderr
// carries what is meant for people: every message begins with "acpctl: ", is one
// line, lower case, without a full stop, and is followed by "acpctl: hint: "
// lines that say what to do. Usage text is printed for usage errors only.
package cli
