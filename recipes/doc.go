// Package recipes is the recipe language: it reads YAML strictly, checks all that
// can be known before a start, and runs the steps.
//
// [Parse] reads a file into a [Recipe] and reports every problem at once, each
// with its place. [Recipe.Resolve] binds inputs, environment, files and flags and
// gives a [Plan]; [OneStep] gives the plan of a single prompt. [Plan.Run] takes
// the steps in order over a [Driver], which opens sessions of an agent, and a
// [Commander], which runs commands: the package itself knows neither agents nor
// processes, and it reads files and variables only through [LoadOptions].
//
// Values are put into parsed YAML nodes, once, never into text before it is
// parsed and never into shell source.
//
// A Recipe and a Plan do not change and may be used by several goroutines.
//
// The keys of the language are one table, in keys.go: the parser, the JSON Schema
// ([Schema]) and the reference in docs/recipe.md are made from it.
package recipes
