import { assert, describe } from "@effect/vitest"
import {
  type ActivityImpl,
  type AnyCommand,
  type CommandOf,
  chunkOf,
  composePlugins,
  emptySnapshot,
  foldEvent,
  isOver,
  type KernelState,
  loopOf,
  makeManifest,
  nextWork,
  type Plugin,
  type Recorded,
  type RecordJudgment,
  type ReportedItem,
  type Snapshot,
  step,
  subtaskStateOf,
  subtasksOf,
  taskOf,
  tasksOf,
  verifyChain,
  waitingFor
} from "@proofline/kernel"
import { aTask, type Script } from "@proofline/kernel/testing"
import { Deferred, Effect, Fiber, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { effect } from "../../effects.ts"
import { inTurn, often } from "../../often.ts"
import {
  aggregated,
  anAnalysis,
  analysed,
  aPart,
  aSplit,
  chunking,
  measured,
  parts,
  playsSplit,
  unplugged
} from "../support/chunks.ts"
import { letOthersGoOn } from "../support/letOthersGoOn.ts"
import { type Random, randomFrom } from "../support/random.ts"
import { digest, replayOf } from "../support/recorded.ts"
import { done, end, judged, resume, start, stateOf } from "../support/words.ts"
import {
  all,
  aroundAppend,
  type Log,
  newLog,
  newProcess,
  readRun,
  statusesOf,
  workerOptions
} from "../support/world.ts"

/**
 * What can become of parts: at once, after a retry, after the reviewer's modification, after a fault that the built-in
 * criteria find; with items of the parent, with evidence for a criterion, with neither.
 */
const plan = [
  aPart("one", { checklist: [0] }),
  aPart("two"),
  aPart("three", { checklist: [1], dependencies: [1] }),
  aPart("four", { dependencies: [2, 3] })
]
const run = aSplit(
  { reviewer: "critic", retry_delay_ms: 0, ...chunking({ retry: { max_retries: 1, retry_delay_ms: 0 } }) },
  { checks: ["true"], checklist: [{ item: "A" }, { item: "B" }], depends_on: ["first"] },
  [aTask("first"), aTask("after", { depends_on: ["p"] })]
)

const reports: Readonly<Record<string, ReadonlyArray<ReportedItem>>> = {
  "p-sub-1": [done("A")],
  "p-sub-2": [done("two is done")],
  "p-sub-3": [done("B")]
}
const script: Script = (id, attempt) =>
  Effect.as(Effect.yieldNow, {
    outcome: id === "p-sub-2" && attempt === 1 ? "ERROR" : "COMPLETE",
    checklist: { summary: `${id} is there.`, checklist: reports[id] ?? null, problems: [] }
  })

/** Refuses the first attempt of one task. */
const refusingOnce =
  (
    whose: string,
    judge: (task: string, attempt: number, judgment: "PASS" | "REJECT") => CommandOf<typeof RecordJudgment>
  ): ActivityImpl["run"] =>
  ({ attempt, task_id }: { readonly task_id: string; readonly attempt: number }) =>
    Effect.succeed(
      judge(task_id, attempt, task_id === whose && attempt === 1 ? "REJECT" : "PASS") as ReturnType<
        typeof RecordJudgment
      >
    )
const activities = { review: refusingOnce("p-sub-3", judged), criteria: refusingOnce("p-sub-4", measured) }

const plugins = playsSplit(script, () => Effect.succeed(anAnalysis(plan)), activities)
const neverAsked = playsSplit(script, () => Effect.die("It was analysed already."), activities)

/** A process that dies at its append number `n` + 1: what was written before is there, nothing after it is. */
const processThatDies = Effect.fnUntraced(function* (
  log: Log,
  n: number,
  command: AnyCommand,
  players: ReadonlyArray<Plugin> = plugins,
  name = "first"
) {
  const dead = yield* Deferred.make<void>()
  let appends = 0
  const mortal = aroundAppend(log, (append) =>
    appends++ < n ? append : Effect.andThen(Deferred.succeed(dead, undefined), Effect.never)
  )
  const { runner } = yield* newProcess(mortal, players, name)
  return yield* Effect.raceFirst(
    Effect.asSome(runner.drive("run_1", command, workerOptions({ slots: 2 }))),
    Effect.as(Deferred.await(dead), Option.none<KernelState>())
  ).pipe(Effect.scoped)
})

const resumed = Effect.fnUntraced(function* (log: Log, players: ReadonlyArray<Plugin>) {
  const { runner } = yield* newProcess(log, players, "last")
  return yield* runner.drive("run_1", resume(), workerOptions({ slots: 2 }))
})

const composition = composePlugins(plugins)
const manifest = makeManifest(composition)

const folded = (events: ReadonlyArray<Recorded>): Snapshot =>
  events.reduce(
    (now, event) =>
      foldEvent(
        composition,
        now,
        manifest.decode(event, () => now)
      ),
    emptySnapshot(composition)
  )

const codeOf = (snapshot: Snapshot, command: AnyCommand): string => {
  const decided = step(composition, snapshot, command)
  return Result.isFailure(decided) ? decided.failure.code : "allowed"
}

/** What the log makes of a run: what each task must show and wait for, what is wanted of the world, what is refused. */
const rulesInForce = (snapshot: Snapshot) => {
  const state = stateOf(snapshot)
  const tasks = tasksOf(state)
  return {
    config: state.run.config,
    tasks: tasks.map((task) => {
      const { items, priority, spec } = task
      const subtaskState = subtaskStateOf(state, task)
      const chunk = chunkOf(state, task)
      return {
        spec,
        priority,
        items,
        subtaskState: subtaskState && { ...subtaskState, windows: [] },
        chunk: chunk && { ...chunk, outcome: null, boundaries: 0 }
      }
    }),
    done: tasks.map(({ spec, status }) => [spec.id, status === "completed"]),
    used: tasks.map((task) => [task.spec.id, task.retry_count, loopOf(state, task)]),
    wanted: [
      ...tasks.flatMap((task) =>
        nextWork(state, task).flatMap((next) =>
          next._tag === "Start" && "activity" in next ? `${next.activity} of ${task.spec.id}` : []
        )
      ),
      // keys that a resume names anew
      ...(state.run.ending.length > 0 && state.tasks.open_count === 0 ? ["what is done before the end"] : [])
    ],
    // tricks that would pass over a rule: begin early or twice, report what nobody did, plan anew, put together early
    refused: tasks.flatMap((task) => {
      const { attempts, spec } = task
      const chunk = chunkOf(state, task)
      const isWaiting = waitingFor(state, task).length > 0 || task.status === "completed"
      return [
        ...(isWaiting
          ? [
              start(spec.id, attempts + 1),
              end(spec.id, attempts),
              judged(spec.id, attempts),
              measured(spec.id, attempts)
            ]
          : []),
        ...(chunk?.stage === "analysing" ? [] : [analysed(parts(2), { task_id: spec.id })]),
        ...(chunk !== null && chunk.open === 0 ? [] : [aggregated({}, { task_id: spec.id })])
      ].map((command) => [spec.id, command._tag, codeOf(snapshot, command)])
    })
  }
}

/** What must be true of every log, however often its writers died. */
const assertSound = (events: ReadonlyArray<Recorded>, where: string): void => {
  const completed = new Set<unknown>()
  const once = new Set<string>()
  for (const { content, event_type } of events) {
    const about = content as {
      readonly task_id?: string
      readonly subtask_id?: string
      readonly parent_task_id?: string
    }
    const id = about.subtask_id ?? about.task_id ?? about.parent_task_id
    if (event_type === "ATTEMPT_STARTED") assert.isFalse(completed.has(id), `${where}: ${id} was done already`)
    if (!/^(SUBTASK_CREATED|SUBTASK_COMPLETE|TASK_COMPLETED|CHUNKING_ANALYSIS|CHUNKING_COMPLETE)$/.test(event_type))
      continue
    assert.isFalse(once.has(`${event_type} ${id}`), `${where}: ${event_type} of ${id} twice`)
    once.add(`${event_type} ${id}`)
    if (event_type === "SUBTASK_COMPLETE" || event_type === "TASK_COMPLETED") completed.add(id)
  }
  assert.isNull(replayOf(composePlugins(unplugged(plugins)), events).divergence, where)
  assert.isTrue(Result.isSuccess(verifyChain(events, digest.sha256)), where)
}

describe("a process that dies while a task is split, analysed, worked off or put together", () => {
  const expected = Object.fromEntries(
    ["p", "first", "after", ...plan.map((_, i) => `p-sub-${i + 1}`)].map((id) => [id, "completed"])
  )

  effect("leaves, at any append, the rules in force and a run that a resume brings to the same end", function* () {
    const wanted = new Set<string>()
    let losses = 0
    let n = 1
    for (; ; n++) {
      const log = yield* newLog
      const survived = yield* processThatDies(log, n, run)
      const before = yield* readRun(log)
      if (Option.isSome(survived)) {
        assert.deepStrictEqual(statusesOf(survived.value), expected)
        for (const type of ["SUBTASK_RETRY", "TASK_STATUS_CHANGED", "CHECKLIST_REGISTERED"])
          assert.isNotEmpty(all(before, type), type)
        break
      }
      const where = `after ${n} appends`
      const rules = rulesInForce(folded(before))
      for (const what of rules.wanted) wanted.add(what)
      assert.isNotEmpty(rules.wanted, where)
      for (const [id, tag, code] of rules.refused) assert.notStrictEqual(code, "allowed", `${where}: ${tag} of ${id}`)
      const state = yield* resumed(log, all(before, "CHUNKING_ANALYSIS").length > 0 ? neverAsked : plugins)
      assert.strictEqual(state.run.status, "completed", where)
      assert.deepStrictEqual(statusesOf(state), expected, where)
      const events = yield* readRun(log)
      assert.deepStrictEqual(events.slice(0, before.length), before, `${where}: what was written stands`)
      const [back] = events.slice(before.length)
      const after = events.findIndex(({ command_id }, i) => i >= before.length && command_id !== back?.command_id)
      assert.strictEqual(back?.event_type, "RUN_RESUMED", where)
      assert.deepStrictEqual(rulesInForce(folded(events.slice(0, after))), rules, where)
      assertSound(events, where)
      losses += all(events, "ATTEMPT_ENDED").filter(({ outcome }) => outcome === "LOST").length
    }
    assert.isAbove(n, 35)
    assert.isAbove(losses, 10)
    // it died while each of these was wanted
    assert.includeMembers(
      [...wanted],
      [
        "analyzer-heuristic of p",
        "attempt of p-sub-1",
        "evidence of p-sub-1",
        "what is done before the end",
        "criteria of p-sub-4",
        "review of p-sub-3",
        "aggregation of p",
        "evidence of p",
        "checks of p",
        "attempt of after"
      ]
    )
  })

  effect("again and again leaves a run that can still be brought to the same end", function* () {
    for (let first = 1; first <= 37; first += 3) {
      for (const second of inTurn([1, 2, 3, 5, 8, 13], Math.floor(first / 3))) {
        const log = yield* newLog
        if (Option.isSome(yield* processThatDies(log, first, run))) continue
        const again = yield* processThatDies(log, second, resume(), plugins, "second")
        const where = `after ${first} and ${second} appends`
        const state = Option.isSome(again) ? again.value : yield* resumed(log, plugins)
        assert.deepStrictEqual(statusesOf(state), expected, where)
        assertSound(yield* readRun(log), where)
      }
    }
  })

  effect("given a part that is never done, leaves a run in which every part still ends", function* () {
    const never = playsSplit(
      (id, attempt) => (id === "p-sub-3" ? Effect.as(Effect.yieldNow, { outcome: "ERROR" }) : script(id, attempt)),
      () => Effect.succeed(anAnalysis(plan)),
      activities
    )
    const ends = {
      ...expected,
      "p-sub-3": "failed",
      "p-sub-4": "skipped",
      p: "failed",
      after: "skipped"
    }
    let n = 1
    for (; ; n++) {
      const log = yield* newLog
      const survived = yield* processThatDies(log, n, run, never)
      const state = Option.isSome(survived) ? survived.value : yield* resumed(log, never)
      const where = `after ${n} appends`
      assert.deepStrictEqual(statusesOf(state), ends, where)
      assert.strictEqual(state.run.status, "incomplete", where)
      assertSound(yield* readRun(log), where)
      if (Option.isSome(survived)) break
    }
    assert.isAbove(n, 18)
  })
})

const randomPlan = (random: Random) =>
  Array.from({ length: 4 + random.below(8) }, (_, i) =>
    aPart(`part ${i + 1}`, {
      dependencies: Array.from({ length: i }, (_, n) => n + 1).filter(() => random.chance(0.2)),
      checklist: i === 0 ? [0, 1] : []
    })
  )

describe("two processes on one log", () => {
  effect("drive one task that is split together: nothing is done twice, and conflicts are decided again", function* () {
    let conflicts = 0
    const shared = new Map<string, number>()
    for (let seed = 1; seed <= often(25); seed++) {
      const random = randomFrom(seed)
      const subtasks = randomPlan(random)
      const log = yield* newLog
      // every append lets the other go first, as a disk would
      const slow = aroundAppend(log, (append) =>
        Effect.andThen(Effect.yieldNow, append).pipe(
          Effect.tapErrorTag("Conflict", () => Effect.sync(() => conflicts++))
        )
      )
      const begun = new Map<string, number>()
      let analyses = 0
      const players = playsSplit(
        (id, attempt) =>
          Effect.gen(function* () {
            begun.set(`${id}/${attempt}`, (begun.get(`${id}/${attempt}`) ?? 0) + 1)
            yield* Effect.yieldNow
            const checklist = id === "p-sub-1" ? [done("A"), done("B")] : null
            return {
              outcome: attempt === 1 && id.endsWith("3") ? "ERROR" : "COMPLETE",
              checklist: { summary: "", checklist, problems: [] }
            }
          }),
        () =>
          Effect.sync(() => {
            analyses++
            return anAnalysis(subtasks)
          })
      )
      const one = yield* newProcess(slow, players, "a")
      const two = yield* newProcess(slow, players, "b")
      const helping = yield* Effect.forkChild(two.worker.run(workerOptions({ workerId: "two", slots: 2 })))
      const config = { reviewer: "critic", ...chunking({ max_subtasks: 12, retry: { retry_delay_ms: 0 } }) }
      const command = aSplit(config, { checklist: [{ item: "A" }, { item: "B" }] }, [aTask("x")])
      const driving = yield* Effect.forkChild(
        one.runner.drive("run_1", command, workerOptions({ workerId: "one", slots: 2 }))
      )
      // whoever writes the end, the driver learns of it
      while (driving.pollUnsafe() === undefined) {
        yield* letOthersGoOn
        yield* TestClock.adjust(2_000)
      }
      const state = yield* Fiber.join(driving)
      yield* Fiber.interrupt(helping)
      const where = `seed ${seed}`
      assert.strictEqual(state.run.status, "completed", where)
      assert.isTrue(tasksOf(state).every(isOver), where)
      assert.strictEqual(subtasksOf(state, taskOf(state, "p") as never).length, subtasks.length, where)
      assert.strictEqual(analyses, 1, where)
      for (const [what, times] of begun) assert.strictEqual(times, 1, `${where}: ${what}`)
      const events = yield* readRun(log)
      assert.strictEqual(all(events, "ATTEMPT_STARTED").length, begun.size, where)
      assertSound(events, where)
      for (const { worker_id } of all(events, "SUBTASK_START")) {
        const [worker = ""] = `${worker_id}`.split("/")
        shared.set(worker, (shared.get(worker) ?? 0) + 1)
      }
    }
    assert.isAbove(conflicts, often(20))
    for (const worker of ["one", "two"]) assert.isAbove(shared.get(worker) ?? 0, often(20), worker)
  })
})
