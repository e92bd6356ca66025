// Package expr compiles and evaluates the expressions of recipes and filters,
// and finds them in text.
//
// The language is jq as gojq implements it, closed off: no environment, files,
// modules or further inputs, and every evaluation ends after [Limit]. It is not
// for anything that knows recipes; what a name stands for is the caller's.
//
// [Compile] checks the names of variables at once, so that a misspelled one is
// an error with its place instead of a null at run time; [Code.Refs] tells which
// members of the variables an expression reads. A [Code] never changes and is
// safe for concurrent use.
//
// [Split] finds the ${{ }} in a text.
package expr
