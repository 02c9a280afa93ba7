import { assert } from "@effect/vitest"
import { EventLog } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as postgresLog } from "@proofline/plugins/adapters/postgres-log"
import { Effect, Layer } from "effect"
import { live } from "../../effects.ts"
import { describePostgres } from "../../postgres.ts"
import { execute, useDatabase } from "./support.ts"
import { events, item } from "./words.ts"

describePostgres("given a worker that is dead with work of its own, and one that has just begun", () => {
  const { newLog, url } = useDatabase()

  /** A log with one item of work, where time stands, and what one worker after the other asks of it. */
  const cluster = Effect.fnUntraced(function* () {
    const log = newLog()
    yield* Effect.flatMap(EventLog, (one) => one.append("run_a", 0, events("a"), { dispatch: [item("x")] })).pipe(
      Effect.provide(Layer.fresh(postgresLog({ url: log.url })).pipe(Layer.provide(nodeDigest))),
      Effect.scoped
    )
    let asked = 0
    const at = (seconds: number, call: string) =>
      Effect.promise(async () => {
        await execute(
          url(),
          `create or replace function ${log.schema}_queue.job_now() returns timestamptz language sql stable as
            $$ select timestamptz '2100-01-02 12:00Z' + interval '${seconds} seconds' $$`
        )
        const [row] = await execute(url(), `select ${log.schema}.${call} as answer`)
        return row?.["answer"]
      })
    const worker = (name: string) =>
      `{"name": "${name}", "host": "h", "pid": 1, "slots": 1, "labels": [], "version": ""}`
    return {
      keeps: (name: string, lease: number, seconds: number) =>
        Effect.map(
          at(seconds, `keep('${name}', '{x}', '{${lease}}')`),
          (kept) => (kept as ReadonlyArray<number>).length > 0
        ),
      /** What pg-boss does with a job of which nobody has said for long that it is worked on. */
      putBack: Effect.promise(() =>
        execute(
          url(),
          `update ${log.schema}_queue.job set state = 'retry', start_after = start_after where state = 'active'`
        )
      ),
      heard: (name: string, seconds: number) => at(seconds, `beat('[${worker(name)}]', '{}')`),
      claims: (name: string, seconds: number) =>
        Effect.map(
          at(
            seconds,
            `claim('${worker(name)}', '${name}', ${++asked}, false, 1, '{}', '{"position": 0, "streams": []}')`
          ),
          (answer) =>
            (answer as { readonly claims: ReadonlyArray<{ readonly lease: number }> }).claims.map(({ lease }) => lease)
        )
    }
  })

  live("the new one is given the work at once, where somebody was heard all the time", function* () {
    const { claims, heard } = yield* cluster()
    assert.deepStrictEqual(yield* claims("dead", 0), [1])
    for (const second of [0, 1, 2, 3]) yield* heard("other", second)
    assert.deepStrictEqual(yield* claims("new", 2.9), [])
    assert.deepStrictEqual(yield* claims("newer", 3.1), [2])
  })

  live("the new one waits, where nobody was heard: the other may only have been cut off", function* () {
    const { claims, heard } = yield* cluster()
    assert.deepStrictEqual(yield* claims("dead", 0), [1])
    assert.deepStrictEqual(yield* claims("new", 5), [])
    for (const second of [6, 7]) yield* heard("new", second)
    assert.deepStrictEqual(yield* claims("new", 7.9), [])
    assert.deepStrictEqual(yield* claims("new", 8), [2])
  })

  live("where nobody was heard for long, whoever has it may keep it, by another name too", function* () {
    const { claims, heard, keeps, putBack } = yield* cluster()
    assert.deepStrictEqual(yield* claims("one", 0), [1])
    for (const second of [60, 61, 62]) assert.deepStrictEqual(yield* claims("new", second), [])
    assert.isTrue(yield* keeps("one again", 1, 62.5))
    for (const second of [63, 64, 65]) {
      yield* heard("one again", second)
      assert.deepStrictEqual(yield* claims("new", second), [], `${second}`)
    }
    yield* putBack
    assert.deepStrictEqual(yield* claims("new", 65.1), [])
    assert.isTrue(yield* keeps("one again", 1, 65.2))
    // it lives, and does not keep it any more
    for (const second of [67, 69, 71, 73]) yield* heard("one again", second)
    assert.deepStrictEqual(yield* claims("new", 75.3), [2])
    assert.isFalse(yield* keeps("one again", 1, 75.4))
  })
})
