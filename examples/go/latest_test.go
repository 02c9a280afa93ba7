package release

import "testing"

func TestLatest(t *testing.T) {
	if got, ok := Latest([]string{"v1.9.0", "nightly", "v1.10.0", "v1.2.30"}); got != "v1.10.0" || !ok {
		t.Errorf("got %q, %v", got, ok)
	}
	if got, ok := Latest([]string{"nightly"}); got != "" || ok {
		t.Errorf("got %q, %v", got, ok)
	}
}
