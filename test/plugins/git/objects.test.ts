import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { afterAll, assert } from "vitest"
import { openObjects } from "../../../packages/plugins/src/git/objects.ts"
import { begin, git, isAlive, until } from "../repositories.ts"

const root = mkdtempSync(Path.join(tmpdir(), "proofline-objects-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** A partial clone whose remote never answers; who asks it notes its process. */
const partial = (name: string) => {
  const dir = Path.join(root, name)
  begin(dir, { "a.txt": "a\n" })
  const pid = Path.join(dir, "pid")
  for (const [key, value] of Object.entries({
    "extensions.partialClone": "origin",
    "remote.origin.promisor": "true",
    "remote.origin.url": `ext::sh -c echo% $$% >% ${pid};exec% sleep% 600`,
    "protocol.ext.allow": "always"
  }))
    git(dir, "config", key, value)
  const pidOf = () => Number(readFileSync(pid, { encoding: "utf8", flag: "a+" }))
  return { dir, id: git(dir, "rev-parse", "HEAD:a.txt").trim(), pidOf }
}

describe("given an object that only a remote has, which never answers", () => {
  it.effect("then it is not waited for for ever, nothing of it goes on, and others are read", () =>
    Effect.gen(function* () {
      const { dir, id, pidOf } = partial("silent")
      const read = yield* openObjects(dir, { mayFetch: true })
      const missing = yield* Effect.forkChild(Effect.flip(read("0123456789".repeat(4), 1_000)))
      yield* until(() => pidOf() > 0)
      yield* TestClock.adjust("10 minutes")
      const { message, reason } = yield* Fiber.join(missing)
      assert.deepStrictEqual([reason, message], ["slow", "`git cat-file --batch` was still at work after 10 minutes."])
      yield* until(() => !isAlive(pidOf()))
      assert.deepStrictEqual(yield* read(id, 1_000), new Uint8Array(Buffer.from("a\n")))
    }).pipe(Effect.scoped)
  )

  it.effect("when nobody waits for it any more then others are read, each with its own bytes", () =>
    Effect.gen(function* () {
      const { dir, id, pidOf } = partial("left")
      const read = yield* openObjects(dir, { mayFetch: true })
      const missing = yield* Effect.forkChild(read("0123456789".repeat(4), 1_000))
      yield* until(() => pidOf() > 0)
      yield* Fiber.interrupt(missing)
      assert.deepStrictEqual(yield* read(id, 1_000), new Uint8Array(Buffer.from("a\n")))
    }).pipe(Effect.scoped)
  )
})
