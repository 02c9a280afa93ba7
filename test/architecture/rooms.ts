/** The kernel's own rules. */
const modules = ["kernel/modules/run", "kernel/modules/tasks", "kernel/modules/chunking"]

/**
 * The architecture: a room is a folder (or a file), a missing arrow is a forbidden one. `*` stands for one folder of
 * its own room each: `plugins/adapters/a` and `plugins/adapters/b` do not know each other.
 *
 * Beside rooms an arrow may name a package: `effect`, or everything below it: `effect/*`, `node:*`; and of a policy its
 * `contract`: the one file of it that others may import.
 */
export const rooms: Readonly<Record<string, Room>> = {
  // what is written down: ids, blobs, recorded events, ordered work, who drives
  "kernel/base": { path: "packages/kernel/src/base", may: ["effect"] },
  "kernel/port": { path: "packages/kernel/src/port", may: ["kernel/base", "effect"] },
  "kernel/log": {
    path: "packages/kernel/src/log",
    // the memory log is also the queue
    may: ["kernel/base", "kernel/port", "effect"]
  },
  // the contract of plugins and what carries it out; it knows no run and no task
  "kernel/core": { path: "packages/kernel/src/core", may: ["kernel/base", "kernel/log", "kernel/port", "effect"] },
  // the kernel's own rules are plugins: each sees those that it names in `after`
  "kernel/modules/run": {
    path: "packages/kernel/src/modules/run",
    may: ["kernel/base", "kernel/core", "kernel/port", "effect"]
  },
  "kernel/modules/tasks": {
    path: "packages/kernel/src/modules/tasks",
    may: ["kernel/base", "kernel/core", "kernel/port", "kernel/modules/run", "effect"]
  },
  "kernel/modules/chunking": {
    path: "packages/kernel/src/modules/chunking",
    may: ["kernel/base", "kernel/core", "kernel/modules/run", "kernel/modules/tasks", "effect"]
  },
  "kernel/composition": {
    path: "packages/kernel/src/composition.ts",
    may: ["kernel/core", ...modules]
  },
  "kernel/view": {
    path: "packages/kernel/src/view",
    may: ["kernel/base", "kernel/core", "kernel/port", "kernel/composition", ...modules, "effect"]
  },
  "kernel/testing": {
    path: "packages/kernel/src/testing",
    may: ["kernel/base", "kernel/core", "kernel/log", "kernel/port", "kernel/composition", ...modules, "effect"]
  },
  kernel: {
    path: "packages/kernel/src/index.ts",
    may: [
      "kernel/base",
      "kernel/core",
      "kernel/log",
      "kernel/port",
      "kernel/composition",
      ...modules,
      "kernel/view",
      "kernel/plugin"
    ]
  },
  // how a run stands, without the rest of the kernel: `status` does not wait for that
  "kernel/standing": { path: "packages/kernel/src/standing.ts", may: ["kernel/view"] },
  // what authors of plugins may rely on: a part of the kernel
  "kernel/plugin": {
    path: "packages/kernel/src/plugin.ts",
    may: ["kernel/base", "kernel/core", ...modules]
  },
  // what policies need of the world
  "plugins/ports": { path: "packages/plugins/src/port", may: ["kernel", "effect"] },
  // how programs are started, what is seen of processes, and how their pipes are emptied
  "plugins/processes": { path: "packages/plugins/src/processes", may: ["node:*"] },
  // what every adapter that asks git has in common
  "plugins/git": { path: "packages/plugins/src/git", may: ["plugins/processes", "effect", "node:*"] },
  // what every log that is shared by processes has in common
  "plugins/log": {
    path: "packages/plugins/src/log",
    may: ["kernel", "effect", "node:fs", "node:path"]
  },
  // what can be told of a text by itself: comments, strings, words of a shell; data by language
  "plugins/text": { path: "packages/plugins/src/text", may: ["mdast-util-from-markdown"] },
  // what can be said of how to run, each option once, and how sentences speak of values
  "plugins/options": { path: "packages/plugins/src/options", may: ["kernel", "effect"] },
  // what agents have in common, however they are reached: what an answer, a failure, a wait and a usage are
  "plugins/agents": { path: "packages/plugins/src/agents", may: ["kernel", "effect", "node:*"] },
  // policies know each other only through what `contract.ts` of the other gives away
  "plugins/policies/*": {
    path: "packages/plugins/src/policies/*",
    may: [
      "kernel",
      "plugins/ports",
      // agents name a run as people do
      "plugins/options",
      "plugins/text",
      "plugins/operations",
      "plugins/told",
      "plugins/policies/*/contract",
      "effect",
      "diff",
      "picomatch",
      "saxes"
    ]
  },
  // what agents and people may ask for: what all operations have in common, their list, and who asks
  "plugins/operations": {
    path: "packages/plugins/src/operations",
    may: ["kernel", "plugins/policies/*/contract", "effect"]
  },
  // what agents are told, each sentence once: hooks do not wait for the operations
  "plugins/told": { path: "packages/plugins/src/told", may: [] },
  "plugins/adapters/*": {
    path: "packages/plugins/src/adapters/*",
    may: [
      "kernel",
      "plugins/ports",
      "plugins/options",
      "plugins/agents",
      "plugins/policies/*/contract",
      "plugins/text",
      "plugins/git",
      "plugins/log",
      "plugins/processes",
      "effect",
      "effect/*",
      "node:*",
      "@agentclientprotocol/sdk",
      "kysely",
      "kysely/*",
      "yaml",
      "jsonc-parser",
      "diff",
      "web-tree-sitter",
      "pg",
      "pg-boss"
    ]
  },
  // what every front-end over HTTP has in common
  "plugins/http": {
    path: "packages/plugins/src/http",
    may: ["kernel", "plugins/operations", "plugins/policies/*/contract", "effect", "effect/*", "node:*"]
  },
  "plugins/frontends/*": {
    path: "packages/plugins/src/frontends/*",
    may: [
      "kernel",
      "plugins/ports",
      "plugins/options",
      "plugins/operations",
      "plugins/told",
      "plugins/policies/*/contract",
      "plugins/http",
      "effect",
      "effect/*"
    ]
  },
  // what runs in a browser: the rules of the kernel, and what the server and it say to each other
  ui: {
    path: "packages/ui/src",
    may: [
      "kernel",
      "kernel/standing",
      "plugins/options",
      "plugins/policies/*",
      "plugins/frontends/*",
      "effect",
      "react",
      "react-dom/client",
      "wouter",
      "@tanstack/react-virtual",
      "diff",
      "lowlight"
    ]
  },
  cli: {
    path: "packages/cli/src",
    may: [
      "kernel",
      "kernel/standing",
      "plugins/ports",
      "plugins/options",
      "plugins/operations",
      "plugins/told",
      // how directories are made
      "plugins/log",
      "plugins/policies/*",
      "plugins/adapters/*",
      "plugins/frontends/*",
      "effect",
      "effect/*",
      "@effect/platform-node/*",
      "node:*",
      // the files of agents' clients, and what is shown of a change to them
      "diff",
      "jsonc-parser",
      "smol-toml",
      // task lists of others
      "plugins/text/*",
      // a plugin from outside is known by name only when it is loaded
      "anything"
    ]
  },
  "cli build": { path: "packages/cli/build.ts", may: ["cli", "effect", "node:*", "rolldown"] },
  // the docs: the reference that is made of the code, and the site that is made of all pages; neither runs later
  "cli docs": {
    path: "packages/cli/docs",
    may: [
      "cli",
      "kernel",
      "plugins/operations",
      "plugins/policies/*",
      "plugins/frontends/*",
      "effect",
      "node:*",
      "marked",
      "rolldown/parseAst"
    ]
  }
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
