/**
 * The architecture: a room is a folder (or a file), a missing arrow is a forbidden one. `*` stands for one folder of
 * its own room each: `plugins/adapters/a` and `plugins/adapters/b` do not know each other.
 *
 * Beside rooms an arrow may name a package: `effect`, or everything below it: `effect/*`, `node:*`; and of a policy its
 * `contract`: the one file of it that others may import.
 */
export const rooms: Readonly<Record<string, Room>> = {
  "kernel/domain": { path: "packages/kernel/src/domain", may: ["effect"] },
  "kernel/plugin": { path: "packages/kernel/src/plugin", may: ["kernel/domain", "kernel/port", "effect"] },
  "kernel/port": { path: "packages/kernel/src/port", may: ["kernel/domain", "effect"] },
  "kernel/view": { path: "packages/kernel/src/view", may: ["kernel/domain", "effect"] },
  "kernel/log": {
    path: "packages/kernel/src/log",
    // the memory log is also the queue
    may: ["kernel/domain", "kernel/port", "effect"]
  },
  "kernel/engine": {
    path: "packages/kernel/src/engine",
    may: ["kernel/domain", "kernel/log", "kernel/plugin", "kernel/port", "effect"]
  },
  "kernel/testing": {
    path: "packages/kernel/src/testing",
    may: ["kernel/domain", "kernel/log", "kernel/plugin", "kernel/port", "kernel/engine", "effect"]
  },
  kernel: {
    path: "packages/kernel/src/index.ts",
    may: ["kernel/domain", "kernel/log", "kernel/plugin", "kernel/port", "kernel/view", "kernel/engine"]
  },
  // what every adapter that asks git has in common
  "plugins/git": { path: "packages/plugins/src/git", may: ["effect", "node:*"] },
  // policies know each other only through what `contract.ts` of the other gives away
  "plugins/policies/*": {
    path: "packages/plugins/src/policies/*",
    may: ["kernel", "plugins/operations", "plugins/policies/*/contract", "effect"]
  },
  // what agents and people may ask for: what all operations have in common, their list, and who asks
  "plugins/operations": {
    path: "packages/plugins/src/operations",
    may: ["kernel", "plugins/policies/*/contract", "effect"]
  },
  "plugins/adapters/*": {
    path: "packages/plugins/src/adapters/*",
    may: [
      "kernel",
      "plugins/policies/*/contract",
      "plugins/git",
      "effect",
      "effect/*",
      "node:*",
      "kysely",
      "kysely/*",
      "yaml",
      "diff",
      "web-tree-sitter"
    ]
  },
  // what every front-end over HTTP has in common
  "plugins/http": {
    path: "packages/plugins/src/http",
    may: ["kernel", "plugins/operations", "plugins/policies/*/contract", "effect", "effect/*", "node:*"]
  },
  "plugins/frontends/*": {
    path: "packages/plugins/src/frontends/*",
    may: ["kernel", "plugins/operations", "plugins/policies/*/contract", "plugins/http", "effect", "effect/*"]
  },
  // what runs in a browser: the rules of the kernel, and what the server and it say to each other
  ui: {
    path: "packages/ui/src",
    may: [
      "kernel",
      "plugins/policies/*",
      "plugins/frontends/*",
      "effect",
      "react",
      "react-dom/client",
      "wouter",
      "@tanstack/react-virtual",
      "lowlight"
    ]
  },
  cli: {
    path: "packages/cli/src",
    may: [
      "kernel",
      "plugins/operations",
      "plugins/policies/*",
      "plugins/adapters/*",
      "plugins/frontends/*",
      "effect",
      "effect/*",
      "@effect/platform-node/*",
      "node:*",
      // a plugin from outside is known by name only when it is loaded
      "anything"
    ]
  },
  "cli build": { path: "packages/cli/build.ts", may: ["cli", "plugins/adapters/*", "node:*", "rolldown"] }
}

export interface Room {
  /** From the root of the repository. */
  readonly path: string
  readonly may: ReadonlyArray<string>
}

/** Arrows against the table, each with its reason. */
export const exceptions: ReadonlyArray<{ readonly from: string; readonly to: string; readonly because: string }> = [
  {
    from: "plugins/adapters/command-agent",
    to: "plugins/adapters/node-process",
    because: "an agent is a process like any other: it is started, watched and ended, with all it started, by one code"
  }
]
