// Package release reads versions such as v1.4.0 and finds the newest of them.
package release

import (
	"errors"
	"strconv"
	"strings"
)

// Version is a released version.
type Version struct {
	Major, Minor, Patch int
}

// ErrVersion is what Parse gives for what is no version.
var ErrVersion = errors.New("not a version")

// Parse reads v1.4.0, with or without the v. Numbers have no leading zeros.
func Parse(text string) (Version, error) {
	parts := strings.Split(strings.TrimPrefix(text, "v"), ".")
	if len(parts) != 3 {
		return Version{}, ErrVersion
	}
	var numbers [3]int
	for i, part := range parts {
		number, err := strconv.Atoi(part)
		if err != nil || strconv.Itoa(number) != part || number < 0 {
			return Version{}, ErrVersion
		}
		numbers[i] = number
	}
	return Version{numbers[0], numbers[1], numbers[2]}, nil
}

// Compare gives -1, 0 or 1: whether a comes before b, is the same, or comes after it.
func Compare(a, b Version) int {
	panic("not implemented")
}
