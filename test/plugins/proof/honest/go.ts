import type { Session } from "../sessions.ts"
import { edited } from "./edited.ts"

const cache = `package cache

import (
	"sync"
)

// Cache keeps values by key.
type Cache struct {
	mu     sync.Mutex
	values map[string]string
}

// New makes an empty cache.
func New() *Cache {
	return &Cache{values: map[string]string{}}
}

// Get returns the value of a key.
func (c *Cache) Get(key string) (string, bool) {
	c.mu.Lock()
	value, ok := c.values[key]
	return value, ok
}
`

const server = `package server

import "net/http"

func routes(mux *http.ServeMux, h *Handler) {
	mux.HandleFunc("/get", h.get)
}
`

/** A struct field, methods, an interface, constants, a one-line fix, tests of the standard library and testify. */
export const go: Session = {
  name: "Go: entries of the cache expire",
  before: {
    "cache/cache.go": cache,
    "server/routes.go": server,
    "go.mod": "module example.org/cached\n\ngo 1.22\n",
    Dockerfile: `FROM golang:1.21-alpine AS build\nWORKDIR /src\nCOPY . .\nRUN go build -o /cached .\n`
  },
  after: {
    "cache/cache.go": edited(
      cache,
      [`\t"sync"\n`, `\t"sync"\n\t"time"\n`],
      [
        "// Cache keeps",
        "// DefaultTTL is how long entries live.\nconst DefaultTTL = 5 * time.Minute\n\n// Clock tells the time.\ntype Clock interface {\n\tNow() time.Time\n}\n\ntype entry struct {\n\tvalue   string\n\texpires time.Time\n}\n\n// Cache keeps"
      ],
      ["\tvalues map[string]string\n", "\tvalues map[string]entry\n\tclock  Clock\n"],
      [
        "func New() *Cache {\n\treturn &Cache{values: map[string]string{}}\n",
        "func New(clock Clock) *Cache {\n\treturn &Cache{values: map[string]entry{}, clock: clock}\n"
      ],
      [
        "\tc.mu.Lock()\n\tvalue, ok := c.values[key]\n\treturn value, ok\n}\n",
        `	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.values[key]
	if !ok || c.clock.Now().After(found.expires) {
		return "", false
	}
	return found.value, true
}

// Set keeps a value for a while.
func (c *Cache) Set(key, value string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.values[key] = entry{value: value, expires: c.clock.Now().Add(DefaultTTL)}
}

// Sweep drops what has expired and says how much that was.
func (c *Cache) Sweep() (dropped int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.clock.Now()
	for key, found := range c.values {
		if now.After(found.expires) {
			delete(c.values, key)
			dropped++
		}
	}
	return dropped
}
`
      ]
    ),
    "server/routes.go": edited(server, [
      `\tmux.HandleFunc("/get", h.get)\n`,
      `\tmux.HandleFunc("/get", h.get)\n\tmux.HandleFunc("/set", h.set)\n`
    ]),
    "cache/cache_test.go": `package cache

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type fake struct{ now time.Time }

func (f *fake) Now() time.Time { return f.now }

func TestGet(t *testing.T) {
	clock := &fake{}
	c := New(clock)
	c.Set("a", "1")
	if got, ok := c.Get("a"); !ok || got != "1" {
		t.Fatalf("Get(a) = %q, %v", got, ok)
	}
}

func TestExpiry(t *testing.T) {
	for _, tc := range []struct {
		name  string
		after time.Duration
		there bool
	}{
		{"before", DefaultTTL - 1, true},
		{"after", DefaultTTL + 1, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			clock := &fake{}
			c := New(clock)
			c.Set("a", "1")
			clock.now = clock.now.Add(tc.after)
			_, ok := c.Get("a")
			require.Equal(t, tc.there, ok)
		})
	}
}

func TestSweep(t *testing.T) {
	clock := &fake{}
	c := New(clock)
	c.Set("a", "1")
	clock.now = clock.now.Add(2 * DefaultTTL)
	if got := c.Sweep(); got != 1 {
		t.Errorf("Sweep() = %d", got)
	}
}

func BenchmarkGet(b *testing.B) {
	c := New(&fake{})
	for i := 0; i < b.N; i++ {
		c.Get("a")
	}
}
`,
    "go.mod": "module example.org/cached\n\ngo 1.22\n\nrequire github.com/stretchr/testify v1.9.0\n",
    Dockerfile: `FROM golang:1.22-alpine AS build\nWORKDIR /src\nCOPY . .\nRUN go build -o /cached .\n`
  },
  items: [
    ["Get does not hold the lock for ever", { path: "cache/cache.go", from: "defer c.mu.Unlock()" }],
    ["Get knows what has expired", { path: "cache/cache.go", from: "c.clock.Now().After(found.expires)", to: "}" }],
    ["Set", { path: "cache/cache.go", from: "func (c *Cache) Set", to: "}" }],
    ["Sweep", { path: "cache/cache.go", from: "func (c *Cache) Sweep", to: "return dropped" }],
    ["Entries live five minutes", { path: "cache/cache.go", from: "DefaultTTL = 5" }],
    ["An interface for the clock", { path: "cache/cache.go", from: "type Clock", to: "}" }],
    ["An entry knows when it expires", { path: "cache/cache.go", from: "type entry", to: "}" }],
    ["New takes a clock", { path: "cache/cache.go", from: "func New" }],
    ["Route /set in server/routes.go", { path: "server/routes.go", from: "/set" }],
    ["Test Get and Set", { path: "cache/cache_test.go", from: "func TestGet", to: "Fatalf" }],
    ["Test that entries expire", { path: "cache/cache_test.go", from: "func TestExpiry" }],
    ["Test Sweep", { path: "cache/cache_test.go", from: "func TestSweep", to: "Errorf" }],
    ["A benchmark", { path: "cache/cache_test.go", from: "func BenchmarkGet" }],
    ["Depend on testify", { path: "go.mod", from: "testify" }],
    ["Build with Go 1.22 in the Dockerfile", { path: "Dockerfile", from: "golang:1.22" }]
  ]
}
