//go:build !unix

package tool

const openNonblock = 0
