import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { exceptions, rooms } from "./rooms.ts"
import { allows, importsOf, type Manifest, roomOf, sourcesOf, targetOf, undeclaredIn, violationsIn } from "./sources.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
const sources = sourcesOf(
  root,
  "packages/kernel/src",
  "packages/plugins/src",
  "packages/cli/src",
  "packages/cli/build.ts",
  "packages/cli/docs",
  "packages/ui/src"
)

/** A package of its own within the tests: what it measures beside Proofline is installed there alone. */
const peers = "test/bench/peers/others"
const tests = ["test", peers]

describe("the architecture", () => {
  it("holds: every import goes along an arrow of the table", () => {
    assert.deepStrictEqual(violationsIn(sources), [])
  })

  it("was looked at: every room has sources, and they have imports", () => {
    assert.isAbove(sources.length, 80)
    const seen = new Set(sources.map(({ path }) => roomOf(path)?.replace(/^(plugins\/\w+)\/.*/, "$1/*")))
    assert.sameMembers([...seen], Object.keys(rooms))
    assert.isAbove(sources.flatMap(({ text }) => importsOf(text)).length, 300)
  })

  it("has no exception that nobody needs, and none without a reason", () => {
    for (const { because, from, to } of exceptions) {
      const used = sources.some(
        ({ path, text }) =>
          roomOf(path) === from &&
          importsOf(text).some(({ specifier }) => specifier !== null && targetOf(path, specifier) === to)
      )
      assert.isTrue(used, `${from} → ${to}`)
      assert.isAbove(because.length, 20)
    }
  })

  it("has no arrow that nobody goes along", () => {
    const unused = Object.entries(rooms).flatMap(([name, room]) =>
      room.may
        .filter((arrow) => {
          return !sources.some(({ path, text }) => {
            const here = roomOf(path)
            if (here !== name && !(name.endsWith("*") && here?.startsWith(name.slice(0, -1)))) return false
            return importsOf(text).some(({ specifier }) => {
              if (specifier === null) return arrow === "anything"
              return allows(arrow, targetOf(path, specifier))
            })
          })
        })
        .map((arrow) => `${name} → ${arrow}`)
    )
    // what a policy or a view may use is told by the table even while nobody does
    assert.deepStrictEqual(
      unused.filter((arrow) => !mayBeUnused.has(arrow)),
      []
    )
  })

  for (const folder of ["packages/kernel", "packages/plugins", "packages/cli", "packages/ui", "test", peers]) {
    it(`${folder} names every package it imports`, () => {
      const own = sourcesOf(
        root,
        ...(tests.includes(folder) ? [folder] : [`${folder}/src`, `${folder}/build.ts`, `${folder}/docs`])
      ).filter(({ path }) => folder === peers || !path.startsWith(peers))
      assert.isNotEmpty(own)
      const { devDependencies, ...published } = manifestOf(folder)
      // what is published must be able to load what it imports; the CLI is one bundle, and so is the page
      const isBundled = ["packages/cli", "packages/ui", ...tests].includes(folder)
      assert.deepStrictEqual(undeclaredIn(own, isBundled ? manifestOf(folder) : published), [])
      // what only development needs of them: a copy of each peer, and the packages whose grammar files are published
      const { peerDependencies = {} } = published
      const others = Object.keys(devDependencies ?? {}).filter((name) => !(name in peerDependencies))
      assert.isTrue(isBundled || others.every((name) => folder === "packages/plugins" && name.includes("tree-sitter")))
      // an author's plugin meets the same `Context` and `Schema`: neither is ever brought along as a second copy
      for (const name of ["effect", "@proofline/kernel"])
        assert.isFalse(!isBundled && name in (published.dependencies ?? {}))
    })
  }
})

const mayBeUnused = new Set(["kernel/view → effect", "plugins/adapters/* → effect/*"])

describe("an import", () => {
  it("is found in whatever way it is written", () => {
    const source = `
import a from "static-default"
import { b,
  type c
} from 'static-many-lines'
import * as d from "static-star"
import type { e } from "type-only"
import type f from "type-default"
import type from "a-default-called-type"
import "side-effect"
export * from "re-export-star"
export * as g from "re-export-named-star"
export { h, i as j } from "re-export"
export type { k } from "re-export-type"
const l = await import("dynamic")
const m = () => import(\`dynamic-template\`)
type N = typeof import("dynamic-type")
const o = import(somewhere)
const p = import(\`./\${somewhere}.ts\`)
const q = require("required")
`
    assert.deepStrictEqual(
      importsOf(source).map(({ kind, line, specifier }) => [line, kind, specifier]),
      [
        [2, "static", "static-default"],
        [3, "static", "static-many-lines"],
        [6, "static", "static-star"],
        [7, "type", "type-only"],
        [8, "type", "type-default"],
        [9, "static", "a-default-called-type"],
        [10, "side effect", "side-effect"],
        [11, "re-export", "re-export-star"],
        [12, "re-export", "re-export-named-star"],
        [13, "re-export", "re-export"],
        [14, "type", "re-export-type"],
        [15, "dynamic", "dynamic"],
        [16, "dynamic", "dynamic-template"],
        [17, "dynamic", "dynamic-type"],
        [18, "dynamic", null],
        [19, "dynamic", null],
        [20, "dynamic", "required"]
      ]
    )
  })

  it("is not found where there is none", () => {
    const source = `
// import a from "comment"
/* export * from "comment" */
const text = 'import b from "text"'
const template = \`import c from "template" \${"import d from 'hole'"}\`
const regex = /import e from "regex"/
const slashes = 1 / 2 // import f from "comment"
const half = (1 + 2) / 3 + "/".length
export const from = "exported"
export { text }
const object = { import: "g", export: 1 }
object.import ("h")
export default text
`
    assert.deepStrictEqual(importsOf(source), [])
  })

  it("is still found after a template, a regular expression and a quote within each other", () => {
    const source = [
      // what stands in a hole is code again
      ["const a = `", "{b ? `it's ", '{"`"}` : "}"}`'].join("$"),
      "const c = /[/\"'`]/g.test('\\'')",
      'import "found"'
    ].join("\n")
    assert.deepStrictEqual(
      importsOf(source).map(({ line, specifier }) => [line, specifier]),
      [[3, "found"]]
    )
  })
})

describe("a planted violation", () => {
  const planted = mkdtempSync(join(tmpdir(), "proofline-rooms-"))
  afterAll(() => rmSync(planted, { recursive: true }))
  const plant = (path: string, text: string): ReadonlyArray<string> => {
    mkdirSync(dirname(join(planted, path)), { recursive: true })
    writeFileSync(join(planted, path), text)
    const found = violationsIn(sourcesOf(planted, "packages"))
    rmSync(join(planted, path))
    return found
  }

  const violations: ReadonlyArray<readonly [string, string, string]> = [
    [
      "packages/kernel/src/core/x.ts",
      'import { Tasks } from "../modules/tasks/state.ts"',
      "kernel/core may not import kernel/modules/tasks (static: ../modules/tasks/state.ts)."
    ],
    [
      "packages/kernel/src/modules/run/x.ts",
      'import type { TaskState } from "../tasks/state.ts"',
      "kernel/modules/run may not import kernel/modules/tasks (type: ../tasks/state.ts)."
    ],
    [
      "packages/kernel/src/modules/tasks/x.ts",
      'import { chunkOf } from "../chunking/state.ts"',
      "kernel/modules/tasks may not import kernel/modules/chunking (static: ../chunking/state.ts)."
    ],
    [
      "packages/kernel/src/modules/tasks/deep/x.ts",
      'import "../../../index.ts"',
      "kernel/modules/tasks may not import kernel (side effect: ../../../index.ts)."
    ],
    [
      "packages/kernel/src/modules/tasks/x.ts",
      'export * from "node:fs"',
      "kernel/modules/tasks may not import node:fs (re-export: node:fs)."
    ],
    [
      "packages/kernel/src/core/x.ts",
      'import { Cli } from "effect/cli"',
      "kernel/core may not import effect/cli (static: effect/cli)."
    ],
    [
      "packages/kernel/src/port/x.ts",
      'import type { EventLog } from "../log/EventLog.ts"',
      "kernel/port may not import kernel/log (type: ../log/EventLog.ts)."
    ],
    [
      "packages/kernel/src/view/x.ts",
      'const a = import("../log/EventLog.ts")',
      "kernel/view may not import kernel/log (dynamic: ../log/EventLog.ts)."
    ],
    [
      "packages/kernel/src/log/x.ts",
      'import { definePlugin } from "../core/define.ts"',
      "kernel/log may not import kernel/core (static: ../core/define.ts)."
    ],
    [
      "packages/kernel/src/core/x.ts",
      'import {\n  given\n} from "../testing/given.ts"',
      "kernel/core may not import kernel/testing (static: ../testing/given.ts)."
    ],
    [
      "packages/kernel/src/plugin.ts",
      'export * from "./view/Progress.ts"',
      "kernel/plugin may not import kernel/view (re-export: ./view/Progress.ts)."
    ],
    [
      "packages/kernel/src/index.ts",
      'export * from "./testing/given.ts"',
      "kernel may not import kernel/testing (re-export: ./testing/given.ts)."
    ],
    [
      "packages/plugins/src/policies/a/x.ts",
      'import { readFile } from "node:fs/promises"',
      "plugins/policies/a may not import node:fs/promises (static: node:fs/promises)."
    ],
    [
      "packages/plugins/src/policies/a/x.ts",
      'import { b } from "../b/plugin.ts"',
      "plugins/policies/a may not import plugins/policies/b (static: ../b/plugin.ts)."
    ],
    [
      "packages/plugins/src/policies/a/x.ts",
      'import { b } from "../b/deep/contract.ts"',
      "plugins/policies/a may not import plugins/policies/b (static: ../b/deep/contract.ts)."
    ],
    [
      "packages/plugins/src/operations/x.ts",
      'import { a } from "../policies/a/layer.ts"',
      "plugins/operations may not import plugins/policies/a (static: ../policies/a/layer.ts)."
    ],
    [
      "packages/plugins/src/policies/a/x.ts",
      'import "@proofline/plugins/adapters/b"',
      "plugins/policies/a may not import plugins/adapters/b (side effect: @proofline/plugins/adapters/b)."
    ],
    [
      "packages/plugins/src/policies/a/x.ts",
      'import { Cli } from "effect/cli"',
      "plugins/policies/a may not import effect/cli (static: effect/cli)."
    ],
    [
      "packages/plugins/src/adapters/a/x.ts",
      'import { b } from "../b/layer.ts"',
      "plugins/adapters/a may not import plugins/adapters/b (static: ../b/layer.ts)."
    ],
    [
      "packages/plugins/src/adapters/node-process/x.ts",
      'import { b } from "../command-agent/layer.ts"',
      "plugins/adapters/node-process may not import plugins/adapters/command-agent (static: ../command-agent/layer.ts)."
    ],
    [
      "packages/plugins/src/adapters/a/x.ts",
      'import { given } from "@proofline/kernel/testing"',
      "plugins/adapters/a may not import kernel/testing (static: @proofline/kernel/testing)."
    ],
    [
      "packages/plugins/src/adapters/a/x.ts",
      'import { step } from "../../../../kernel/src/index.ts"',
      "plugins/adapters/a may not reach into another package by a path (../../../../kernel/src/index.ts)."
    ],
    [
      "packages/plugins/src/adapters/a/x.ts",
      "const a = import(name)",
      "plugins/adapters/a imports something that cannot be told before it runs."
    ],
    ["packages/cli/src/x.ts", 'import "rolldown"', "cli may not import rolldown (side effect: rolldown)."],
    [
      "packages/cli/src/commands/x.ts",
      'import { given } from "@proofline/kernel/testing"',
      "cli may not import kernel/testing (static: @proofline/kernel/testing)."
    ]
  ]
  for (const [path, text, sentence] of violations) {
    it(`is told in one sentence: ${sentence}`, () => {
      assert.deepStrictEqual(plant(path, `// a line\n${text}\n`), [`${path}:2: ${sentence}`])
    })
  }

  it("is told when a file stands in no room", () => {
    const path = "packages/plugins/src/leftover.ts"
    assert.deepStrictEqual(plant(path, ""), [`${path}:1: stands in no room; name its folder in rooms.ts.`])
  })

  it("is no violation when the table allows it", () => {
    const allowed: ReadonlyArray<readonly [string, string]> = [
      [
        "packages/kernel/src/modules/tasks/x.ts",
        'import { Result } from "effect"\nimport "./state.ts"\nimport "../run/state.ts"'
      ],
      ["packages/kernel/src/log/x.ts", 'import type { Recorded } from "../base/Recorded.ts"'],
      ["packages/plugins/src/policies/a/deep/x.ts", 'import { b } from "../../b/contract.ts"\nimport "../contract.ts"'],
      ["packages/plugins/src/adapters/command-agent/x.ts", 'import { spawn } from "../node-process/spawn.ts"'],
      ["packages/plugins/src/adapters/a/deep/x.ts", 'import "../layer.ts"\nimport "node:fs"\nimport "effect/sql"'],
      ["packages/cli/src/commands/x.ts", 'import "../paths.ts"\nconst a = import(name)']
    ]
    for (const [path, text] of allowed) assert.deepStrictEqual(plant(path, text), [], path)
  })

  it("is told when a package is not declared", () => {
    const manifest = { name: "a", dependencies: { effect: "1", "@scope/known": "1" } }
    const text =
      'import "effect/cli"\nimport "@scope/known/x"\nimport "node:fs"\nimport "./y.ts"\nimport type { Z } from "@scope/z/deep"\nimport "left-pad"'
    assert.deepStrictEqual(undeclaredIn([{ path: "x.ts", text }], manifest), [
      "x.ts:5: @scope/z is imported but not named in the package.json of a.",
      "x.ts:6: left-pad is imported but not named in the package.json of a."
    ])
  })
})
