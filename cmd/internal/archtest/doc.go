// Package archtest holds the house rules that the compiler cannot see as Go
// tests: which package may import which, and where each library has its owner.
package archtest
