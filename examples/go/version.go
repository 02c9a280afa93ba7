// Package release reads versions such as v1.4.0 and finds the newest of them.
package release

import "errors"

// Version is a released version.
type Version struct {
	Major, Minor, Patch int
}

// ErrVersion is what Parse gives for what is no version.
var ErrVersion = errors.New("not a version")

// Parse reads v1.4.0, with or without the v. Numbers have no leading zeros.
func Parse(text string) (Version, error) {
	panic("not implemented")
}

// Compare gives -1, 0 or 1: whether a comes before b, is the same, or comes after it.
func Compare(a, b Version) int {
	panic("not implemented")
}
