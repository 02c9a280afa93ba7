import { assert, describe } from "@effect/vitest"
import { composePlugins, Engine, Worker } from "@proofline/kernel"
import { layer as blobs } from "@proofline/plugins/adapters/file-blobs"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as commands } from "@proofline/plugins/adapters/node-process"
import { sessions } from "@proofline/plugins/policies/sessions"
import { Context, Effect, Fiber, Layer, Stream } from "effect"
import { PhaseVerified } from "../../../packages/plugins/src/policies/sessions/contract.ts"
import { live } from "../../effects.ts"
import { judge } from "../../kernel/support/judge.ts"
import { all, countedIds, newLog, readRun, workerOptions } from "../../kernel/support/world.ts"
import { directory } from "../node-process/support.ts"
import { nowhere } from "../nowhere.ts"
import { aContract, aPhase, aSessionRun, opens, submits, to } from "./rules/playing.ts"

/** A contract of nothing but a phase that is verified by these commands, or by those of the project. */
const contract = (checks: ReadonlyArray<string>) =>
  aContract({
    start: [to("CHECK")],
    phases: {
      CHECK: aPhase({
        kind: "verify",
        checks,
        transitions: [to("GOOD", { when: { outcome: "passed" } }), to("BAD", { when: { outcome: "failed" } })]
      }),
      GOOD: aPhase({ kind: "end" }),
      BAD: aPhase({ kind: "end" })
    }
  })

/** What is recorded of the commands of a phase that was handed in, which run as processes. */
const verifiedBy = (checks: ReadonlyArray<string>, verifiers: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const log = yield* newLog
    const root = directory()
    const world = Layer.mergeAll(
      Layer.succeedContext(log),
      countedIds(""),
      commands({ root }),
      nowhere,
      blobs({ directory: `${root}/blobs` }).pipe(Layer.provide(nodeDigest))
    )
    const context = yield* Layer.build(
      Worker.layer.pipe(
        Layer.provideMerge(
          Layer.unwrap(Effect.map(sessions, (plugin) => Engine.layer(composePlugins([plugin, judge]))))
        ),
        Layer.provide(world)
      )
    )
    const engine = Context.get(context, Engine)
    yield* Effect.forkChild(Context.get(context, Worker).run(workerOptions()))
    const ended = yield* Effect.forkChild(
      engine.changes.pipe(
        Stream.filter(({ event }) => event.event_type === PhaseVerified.name),
        Stream.runHead
      ),
      { startImmediately: true }
    )
    for (const command of [aSessionRun({ contract: contract(checks), verifiers }), opens("a"), submits("a", {})]) {
      yield* engine.execute("run_1", command)
    }
    yield* Fiber.join(ended)
    return yield* readRun(log)
  })

const checksOf = (verified: Readonly<Record<string, unknown>> | undefined) =>
  (verified?.["checks"] ?? []) as ReadonlyArray<Readonly<Record<string, unknown>>>

describe("the commands of a phase", () => {
  live("run as processes, one after the other, and are told for what", function* () {
    const asked = 'echo "$PROOFLINE_RUN_ID $PROOFLINE_PHASE"; touch done'
    const events = yield* verifiedBy([asked, "test -f done"], ["false"])
    const [verified] = all(events, "PHASE_VERIFIED")
    assert.deepInclude(verified, { phase: "CHECK", submission: 1, passed: true })
    const [first, second] = checksOf(verified)
    assert.deepInclude(first, { command: asked, exit_code: 0, output_tail: "run_1 CHECK\n", item_index: null })
    assert.deepInclude(second, { command: "test -f done", exit_code: 0, output: null })
    assert.strictEqual(all(events, "PHASE_ENTERED").at(-1)?.["phase"], "GOOD")
  })

  live("are those of the project where the phase has none, and all of them run", function* () {
    const events = yield* verifiedBy([], ["exit 3", "true"])
    const [verified] = all(events, "PHASE_VERIFIED")
    assert.isFalse(verified?.["passed"])
    assert.deepStrictEqual(
      checksOf(verified).map(({ exit_code }) => exit_code),
      [3, 0]
    )
    assert.strictEqual(all(events, "PHASE_ENTERED").at(-1)?.["phase"], "BAD")
  })
})
