// Package realagents runs agents that other people wrote, through recipes,
// against a model server on this machine. It has tests only: make realagents.
package realagents
