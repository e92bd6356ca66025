// Package offline offers models that need neither key nor network: one echoes the
// prompt, others play a script.
//
// They are deterministic: the same script and prompts give the same answers. The
// form of the script is described in docs/scripted-model.md. A script is played
// from its start for each session and in each process; nothing about it is
// stored.
package offline
