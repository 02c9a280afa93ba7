import { expect, it } from "@effect/vitest"
import { LogUnavailable, type WorkerOverview, Workers } from "@proofline/kernel"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { projectPaths } from "../../packages/cli/src/base/paths.ts"
import { missingWorkers } from "../../packages/cli/src/reading/missingWorkers.ts"

const worker: WorkerOverview = {
  name: "box:1",
  host: "box",
  pid: 1,
  slots: 1,
  holding: 0,
  labels: ["gpu"],
  version: "1.0.0",
  seen_at: "2026-01-01T00:00:00.000Z",
  deadline: "2026-01-01T00:00:03.000Z",
  lost: false,
  silent_ms: 0,
  leases: []
}

const away = new LogUnavailable({ code: "log_failed", message: "It cannot be used.", hint: "Look." })

/** What is said over two minutes where looks are answered so, the last answer from then on. */
const said = (answers: ReadonlyArray<ReadonlyArray<WorkerOverview> | LogUnavailable>) =>
  Effect.gen(function* () {
    let looks = 0
    const list = Effect.suspend(() => {
      const answer = answers[Math.min(looks++, answers.length - 1)] ?? []
      return answer instanceof LogUnavailable ? Effect.fail(answer) : Effect.succeed(answer)
    })
    const texts: Array<string> = []
    const telling = yield* missingWorkers(["gpu"], projectPaths("/project")).pipe(
      Stream.runForEach((text) => Effect.sync(() => texts.push(/ (so far|any more)\./.exec(text)?.[1] ?? text))),
      Effect.provideService(Workers, { list, haveWorkOf: () => Effect.succeed(true) }),
      Effect.forkChild({ startImmediately: true })
    )
    yield* TestClock.adjust("2 minutes")
    yield* Fiber.interrupt(telling)
    return texts
  })

it.effect.each([
  ["nobody", [[]], ["so far", "so far", "so far"]],
  ["somebody who leaves", [[worker], []], ["any more", "any more"]],
  ["somebody who offers something else", [[{ ...worker, labels: [] }]], ["so far", "so far", "so far"]],
  ["somebody who gives no sign for a moment", [[{ ...worker, lost: true, silent_ms: 4_000 }], [worker]], []],
  [
    "somebody who gives no sign any more",
    [[worker], [{ ...worker, lost: true, silent_ms: 14_000 }]],
    ["any more", "any more"]
  ],
  ["a look that fails, and nobody then", [[worker], away, []], ["any more", "any more"]],
  ["looks that fail first", [away, away, [worker]], []]
] as const)("given %s, who watches is told so at once and each minute", ([, answers, texts]) =>
  Effect.map(said(answers), (all) => expect(all).toEqual(texts))
)
