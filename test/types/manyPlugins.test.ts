import { execFile } from "node:child_process"
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"

const root = fileURLToPath(new URL("../../", import.meta.url))
const compile = promisify(execFile)
const count = 40

/** Each comes after the two before it, and uses what they declare: events, commands and slices. */
const source = (n: number): string => {
  const below = [n - 1, n - 2].filter((other) => other >= 0)
  const after = ["Run", "Tasks", ...below.map((other) => `P${other}`)].join(", ")
  const events = Array.from({ length: 8 }, (_, i) => i)
  const commands = Array.from({ length: 4 }, (_, i) => i)
  return `
import { definePlugin, plugin, Run, Tasks, TaskStarted } from "@proofline/kernel"
import { Schema } from "effect"
${below.map((other) => `import { Did${other}x0, Do${other}x0, P${other} } from "./p${other}.ts"`).join("\n")}

export const P${n} = plugin("p${n}", { state: { seen: 0 }, after: [${after}] })
const schema = Schema.Struct({ task_id: Schema.String, at: Schema.Int })
${events
  .map(
    (i) => `export const Did${n}x${i} = P${n}.event("DID_${n}_${i}", {
  schema,
  visibility: "full",
  evolve: (own, { at }) => ({ seen: own.seen + at }),
  sentence: ({ task_id }) => task_id
})`
  )
  .join("\n")}
${commands
  .map(
    (i) => `export const Do${n}x${i} = P${n}.command("p${n}.Do${i}", {
  schema,
  decide: (args, state) => (state.p${n}.seen + state.tasks.open_count > 0 ? [Did${n}x${i}(args)] : []),
  recall: { from: [Did${n}x${i}], args: (batch) => batch.first(Did${n}x${i}) }
})`
  )
  .join("\n")}
export const p${n} = definePlugin(P${n}, {
  version: "1",
  events: [${events.map((i) => `Did${n}x${i}`).join(", ")}],
  commands: [${commands.map((i) => `Do${n}x${i}`).join(", ")}],
  parts: [
    P${n}.react([TaskStarted], ({ task_id }) => [Do${n}x0({ task_id, at: 1 })]),
${below
  .map(
    (other) => `    P${n}.follow(Did${other}x0, (own, { at }) => ({ seen: own.seen + at })),
    P${n}.react([Did${other}x0], (content, state) => (state.p${other}.seen > 9 ? [Do${other}x0(content)] : []))`
  )
  .join(",\n")}
  ]
})
`
}

const all = (): string => {
  const numbers = Array.from({ length: count }, (_, n) => n)
  return `
import { composePlugins } from "@proofline/kernel"
${numbers.map((n) => `import { p${n} } from "./p${n}.ts"`).join("\n")}
export const composition = composePlugins([${numbers.map((n) => `p${n}`).join(", ")}])
`
}

/** The lines of the compiler, from inside of the folder. */
const compiled = async (folder: string): Promise<ReadonlyArray<string>> => {
  try {
    // one checker: several would check what they share once each
    const tsc = join(root, "node_modules/.bin/tsc")
    await compile(tsc, ["-p", ".", "--pretty", "false", "--checkers", "1"], { cwd: folder, timeout: 55_000 })
    return []
  } catch (error) {
    const { killed, stdout } = error as { readonly killed?: boolean; readonly stdout?: string }
    if (killed === true) return ["It did not end."]
    // what belongs to a line is set in below it
    return (stdout || String(error)).split("\n").filter((line) => /^\S/.test(line))
  }
}

describe("a chain of many plugins", () => {
  let folder = ""
  /** The last of them again, which reads what it may not. */
  const wrong = "wrong.ts"
  /** What the compiler says of all: to compile them takes seconds, so it is done once. */
  let found: ReadonlyArray<string> = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "proofline-many-"))
    await symlink(join(root, "node_modules"), join(folder, "node_modules"))
    const config = {
      extends: join(root, "tsconfig.base.json"),
      compilerOptions: { noEmit: true },
      files: ["all.ts", wrong]
    }
    await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }))
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config))
    await writeFile(join(folder, "all.ts"), all())
    for (let n = 0; n < count; n++) await writeFile(join(folder, `p${n}.ts`), source(n))
    await writeFile(join(folder, wrong), source(count - 1).replaceAll(`state.p${count - 3}.seen`, "state.p0.seen"))
    found = await compiled(folder)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it("compiles: the types of a plugin grow with those it comes after, not with all below them", () => {
    assert.deepStrictEqual(
      found.filter((line) => !line.startsWith(wrong)),
      []
    )
  })

  it("is looked at: a read that no plugin of the chain lists is found", () => {
    assert.include(found.filter((line) => line.startsWith(wrong)).join("\n"), "p0")
  })
})
