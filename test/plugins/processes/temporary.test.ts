import { spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ended } from "../programs.ts"

const module = new URL("../../../packages/plugins/src/processes/temporary.ts", import.meta.url).href

/** A process that has made a directory there, until it is killed, and the directory. */
const maker = (place: string) =>
  Effect.gen(function* () {
    const program = `import { makeTemporary } from ${JSON.stringify(module)}
console.log(makeTemporary(${JSON.stringify(place)}))
setInterval(() => {}, 60_000)`
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
    const directory = yield* Effect.callback<string>((resume) => {
      createInterface({ input: child.stdout }).once("line", (line) => resume(Effect.succeed(line)))
    })
    return { child, directory }
  })

describe("given directories for what is temporary", () => {
  it.live("the one of a killed process goes with the next that is made there, and what is of others stays", () =>
    Effect.gen(function* () {
      const place = mkdtempSync(join(tmpdir(), "proofline-test-temporary-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(place, { recursive: true })))
      const [killed, living] = [yield* maker(place), yield* maker(place)]
      writeFileSync(join(killed.directory, "file"), "x")
      assert.strictEqual(statSync(killed.directory).mode & 0o777, 0o700)
      killed.child.kill("SIGKILL")
      yield* ended(killed.child)
      const lookalike = join(place, "proofline-temporary-00000000-1-1-000000000000")
      mkdirSync(lookalike)
      const { directory } = yield* maker(place)
      assert.isFalse(existsSync(killed.directory))
      assert.sameMembers(
        readdirSync(place).map((name) => join(place, name)),
        [living.directory, lookalike, directory]
      )
    }).pipe(Effect.scoped)
  )
})
