package release

import (
	"errors"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Version{"v1.4.0": {1, 4, 0}, "0.0.12": {0, 0, 12}} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("Parse(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "v1", "1.2", "1.2.3.4", "1.02.3", "1.2.x", "1.2.-3", "vv1.2.3"} {
		if _, err := Parse(text); !errors.Is(err, ErrVersion) {
			t.Errorf("Parse(%q) gives %v; want ErrVersion", text, err)
		}
	}
}

func TestCompare(t *testing.T) {
	ordered := []Version{{0, 9, 9}, {1, 0, 0}, {1, 0, 1}, {1, 10, 0}, {2, 0, 0}}
	for i, a := range ordered {
		for j, b := range ordered {
			want := 0
			if i < j {
				want = -1
			} else if i > j {
				want = 1
			}
			if got := Compare(a, b); got != want {
				t.Errorf("Compare(%v, %v) = %d; want %d", a, b, got, want)
			}
		}
	}
}
