package tool

import (
	"runtime"
	"slices"
	"strings"
)

// providers are the prefixes of the variables that hold keys and addresses of
// model providers.
func providers() []string {
	return []string{"OPENAI", "ANTHROPIC", "DEEPSEEK", "OPENROUTER", "GEMINI"}
}

// serverNames are what a program needs to run at all, and nothing that a user
// would call a setting: executables, home, names, locale, time zone, temporary
// files, and what Windows programs cannot start without.
func serverNames() []string {
	return []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR", "TMP", "TEMP", "XDG_RUNTIME_DIR",
		"SystemRoot", "SystemDrive", "WINDIR", "ComSpec", "PATHEXT", "USERPROFILE", "USERNAME", "HOMEDRIVE", "HOMEPATH",
		"APPDATA", "LOCALAPPDATA", "ProgramData", "ProgramFiles", "ProgramFiles(x86)", "PROCESSOR_ARCHITECTURE", "NUMBER_OF_PROCESSORS",
	}
}

// ShellEnviron returns environ, lines of NAME=VALUE, without the keys and
// addresses of model providers and without the variables named in secrets. Names
// compare without regard to case, since a key that slips through is worse than a
// variable that is missing.
func ShellEnviron(environ []string, secrets ...string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(line string) bool {
		name, _, _ := strings.Cut(line, "=")
		return isProviderVariable(name) || slices.ContainsFunc(secrets, func(s string) bool { return strings.EqualFold(s, name) })
	})
}

// ServerEnviron returns the part of environ that every MCP server gets; what is
// declared for a server comes behind it.
func ServerEnviron(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(line string) bool {
		name, _, _ := strings.Cut(line, "=")
		return !strings.HasPrefix(name, "LC_") && !slices.ContainsFunc(serverNames(), func(n string) bool { return sameName(n, name) })
	})
}

func isProviderVariable(name string) bool {
	return slices.ContainsFunc(providers(), func(p string) bool {
		return strings.EqualFold(name, p+"_API_KEY") || strings.EqualFold(name, p+"_BASE_URL")
	})
}

// sameName compares names of variables as the system does.
func sameName(a, b string) bool {
	if runtime.GOOS == "windows" {
		return strings.EqualFold(a, b)
	}
	return a == b
}
