import type { Session } from "../sessions.ts"
import { edited } from "./edited.ts"

const limiter = `import type { Clock } from "./clock.ts"
import type { Store } from "./store.ts"

export interface Limit {
  readonly requests: number
  readonly windowMs: number
}

export const defaults: Limit = { requests: 100, windowMs: 60_000 }

export class RateLimiter {
  private readonly store: Store
  private readonly clock: Clock

  constructor(store: Store, clock: Clock) {
    this.store = store
    this.clock = clock
  }

  async allow(key: string, limit: Limit = defaults): Promise<boolean> {
    const now = this.clock.now()
    const hits = await this.store.hits(key)
    const recent = hits.filter((at) => at > now - limit.windowMs)
    if (recent.length > limit.requests) return false
    await this.store.record(key, now)
    return true
  }
}
`

const routes = `import { health } from "./handlers/health.ts"
import { login } from "./handlers/login.ts"

export const routes = {
  "GET /health": health,
  "POST /login": login
} as const

export type Route = keyof typeof routes
`

const tests = `import { describe, expect, it } from "vitest"
import { RateLimiter } from "../src/limiter.ts"
import { fixedClock, memoryStore } from "./support.ts"

describe("RateLimiter", () => {
  it("lets the first request through", async () => {
    const limiter = new RateLimiter(memoryStore(), fixedClock(0))
    expect(await limiter.allow("a")).toBe(true)
  })
})
`

const readme = `# gateway

A small HTTP gateway.

## Limits

Every client may send 100 requests a minute.
`

/** A feature over several files: types, a method, a one-line fix, wiring, tests, docs. */
export const typescript: Session = {
  name: "TypeScript: tell clients when they may try again",
  before: {
    "src/limiter.ts": limiter,
    "src/routes.ts": routes,
    "src/errors.ts": `export type ErrorCode = "unauthorized" | "not_found"\n\nexport enum Level {\n  Info = "info",\n  Error = "error"\n}\n`,
    "test/limiter.test.ts": tests,
    "README.md": readme
  },
  after: {
    "src/limiter.ts": edited(
      limiter,
      [
        "export const defaults",
        `export interface Decision {
  readonly allowed: boolean
  /** Whole seconds; 0 when it is allowed. */
  readonly retryAfter: number
}

export const defaults`
      ],
      ["requests: 100", "requests: 60"],
      ["recent.length > limit.requests", "recent.length >= limit.requests"],
      [
        "    return true\n  }\n",
        `    return true
  }

  /** The same with the time to wait. */
  async decide(key: string, limit: Limit = defaults): Promise<Decision> {
    if (await this.allow(key, limit)) return { allowed: true, retryAfter: 0 }
    const [oldest = this.clock.now()] = await this.store.hits(key)
    const waitMs = Math.max(0, oldest + limit.windowMs - this.clock.now())
    return { allowed: false, retryAfter: Math.ceil(waitMs / 1_000) }
  }

  reset = async (key: string): Promise<void> => this.store.clear(key)
`
      ]
    ),
    "src/routes.ts": edited(
      routes,
      [
        `import { login } from "./handlers/login.ts"\n`,
        `import { limits } from "./handlers/limits.ts"\nimport { login } from "./handlers/login.ts"\n`
      ],
      [`  "POST /login": login\n`, `  "GET /limits/:key": limits,\n  "POST /login": login\n`]
    ),
    "src/handlers/limits.ts": `import type { RateLimiter } from "../limiter.ts"

interface Params {
  readonly key: string
}

export const limits = async ({ key }: Params, limiter: RateLimiter) => {
  const { allowed, retryAfter } = await limiter.decide(key)
  return new Response(null, {
    status: allowed ? 204 : 429,
    headers: { "retry-after": String(retryAfter) }
  })
}
`,
    "src/errors.ts": `export type ErrorCode = "unauthorized" | "not_found" | "too_many_requests"\n\nexport enum Level {\n  Info = "info",\n  Warning = "warning",\n  Error = "error"\n}\n`,
    "src/index.ts": `export { RateLimiter } from "./limiter.ts"\nexport type { Decision, Limit } from "./limiter.ts"\nexport * from "./errors.ts"\n`,
    "test/limiter.test.ts": edited(tests, [
      "  })\n})\n",
      `  })

  it("does not throw for a key nobody has used", async () => {
    const limiter = new RateLimiter(memoryStore(), fixedClock(0))
    await expect(limiter.reset("nobody")).resolves.not.toThrow()
  })

  it.each([
    [1, 60],
    [30_000, 30]
  ])("says how long to wait (%i ms later)", async (later, seconds) => {
    const store = memoryStore()
    const limiter = new RateLimiter(store, fixedClock(later))
    await store.record("a", 0)
    expect(await limiter.decide("a", { requests: 1, windowMs: 60_000 })).toEqual({ allowed: false, retryAfter: seconds })
  })
})
`
    ]),
    "README.md": edited(readme, [
      "may send 100 requests a minute.\n",
      "may send 60 requests a minute; beyond that\nthe answer is 429, with `Retry-After` in seconds.\n"
    ])
  },
  items: [
    ["Declare what a decision is", { path: "src/limiter.ts", from: "interface Decision", to: "}" }],
    ["RateLimiter.decide says how long to wait", { path: "src/limiter.ts", from: "async decide", to: "  }" }],
    [
      "The hundredth-and-first request is not let through any more (off by one)",
      { path: "src/limiter.ts", from: "recent.length >=" }
    ],
    ["Lower the default to 60 requests", { path: "src/limiter.ts", from: "requests: 60" }],
    ["A key can be reset", { path: "src/limiter.ts", from: "reset =" }],
    [
      "Add the handler in src/handlers/limits.ts",
      { path: "src/handlers/limits.ts", from: "export const limits", to: "}" }
    ],
    ["Add the route to src/routes.ts", { path: "src/routes.ts", from: "GET /limits" }],
    ["A warning is a level", { path: "src/errors.ts", from: "Warning" }],
    ["too_many_requests is an error code", { path: "src/errors.ts", from: "ErrorCode" }],
    [
      "Everything public is exported from src/index.ts",
      { path: "src/index.ts", from: "export { RateLimiter", to: "errors" }
    ],
    [
      "Test that resetting an unknown key is fine",
      { path: "test/limiter.test.ts", from: "does not throw", to: "  })" }
    ],
    ["Test the time to wait", { path: "test/limiter.test.ts", from: "it.each", to: "  })" }],
    ["Say in the README what happens beyond the limit", { path: "README.md", from: "60 requests", to: "Retry-After" }]
  ]
}
