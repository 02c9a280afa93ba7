import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Locks, Presence } from "@proofline/kernel"
import { locksContract, presenceContract } from "@proofline/kernel/testing"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as postgresLog } from "@proofline/plugins/adapters/postgres-log"
import { layer as sqliteLog } from "@proofline/plugins/adapters/sqlite-log"
import { Effect, Layer } from "effect"
import { holdsOf, newHolds } from "../kernel/support/holds.ts"
import { useDatabase } from "../plugins/postgres-log/support.ts"
import { describePostgres } from "../postgres.ts"

const root = mkdtempSync(join(tmpdir(), "proofline-contract-"))
afterAll(() => rmSync(root, { recursive: true }))
let files = 0

/** The locks and presences of one process. */
type Process = Layer.Layer<Locks | Presence, unknown>

/** Every implementation that exists. What `open` gives makes two processes of a project of their own. */
const implementations: ReadonlyArray<{
  readonly name: string
  readonly suite: typeof describePostgres
  readonly open: () => () => readonly [Process, Process]
}> = [
  {
    name: "memory",
    suite: describe,
    open: () => () => {
      const holds = newHolds()
      return [holdsOf(holds, "here"), holdsOf(holds, "there")]
    }
  },
  {
    name: "sqlite",
    suite: describe,
    open: () => () => {
      const file = join(root, `${++files}`, "log.sqlite")
      const process = () => Layer.fresh(sqliteLog({ file })).pipe(Layer.provide(nodeDigest))
      return [process(), process()]
    }
  },
  {
    name: "postgres",
    suite: describePostgres,
    open: () => {
      const { newLog } = useDatabase()
      return () => {
        const { url } = newLog()
        const process = () => Layer.fresh(postgresLog({ url })).pipe(Layer.provide(nodeDigest))
        return [process(), process()]
      }
    }
  }
]

it("runs every case over every implementation", () => {
  assert.isAbove(implementations.length, 1)
  assert.isAbove(locksContract.length, 6)
  assert.isAbove(presenceContract.length, 4)
})

for (const { name, open, suite } of implementations) {
  suite(name, () => {
    const fresh = open()
    /** Both of them until the scope closes. */
    const two = Effect.suspend(() => {
      const [one, other] = fresh()
      return Effect.all({ here: Layer.build(one), there: Layer.build(other) })
    })
    const services = Effect.all({ locks: Locks, presence: Presence })
    const processes = Effect.flatMap(two, ({ here, there }) =>
      Effect.all({ here: Effect.provide(services, here), there: Effect.provide(services, there) })
    )

    describe("locks", () => {
      for (const { name, run } of locksContract) {
        it.live(name, () =>
          Effect.scoped(Effect.flatMap(processes, ({ here, there }) => run({ here: here.locks, there: there.locks })))
        )
      }
    })

    describe("presence", () => {
      for (const { name, run } of presenceContract) {
        it.live(name, () =>
          Effect.scoped(
            Effect.flatMap(processes, ({ here, there }) => run({ here: here.presence, there: there.presence }))
          )
        )
      }
    })
  })
}
