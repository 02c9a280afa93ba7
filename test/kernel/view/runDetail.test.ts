import { assert, describe, it } from "@effect/vitest"
import {
  type AnyCommand,
  AttemptView,
  attemptsOf,
  type Base,
  type Composition,
  composePlugins,
  emptySnapshot,
  failuresOf,
  foldEvent,
  foldHistory,
  isClosed,
  type KernelState,
  makeManifest,
  noHistory,
  type ProjectTree,
  proofOf,
  type Recorded,
  type RunHistory,
  rootsOf,
  shownAs,
  TaskRow,
  TaskView,
  taskRowsOf,
  tasksOf,
  taskViewOf,
  treesAround
} from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { Schema } from "effect"
import { verdicts } from "../../../packages/kernel/src/modules/run/verdicts.ts"
import { often } from "../../often.ts"
import { eventsOf, randomHistory } from "../support/histories.ts"
import { judge } from "../support/judge.ts"
import { logOf } from "../support/logOf.ts"
import { forSeeds } from "../support/random.ts"
import { recordedOf } from "../support/recorded.ts"
import { done, end, endReporting, evidence, revisited, start, stateOf, verified, waived } from "../support/words.ts"

const folded = (composition: Composition, log: ReadonlyArray<Recorded>) => {
  const manifest = makeManifest(composition)
  let [snapshot, history] = [emptySnapshot(composition), noHistory]
  for (const recorded of log) {
    const event = manifest.decode(recorded, () => snapshot)
    snapshot = foldEvent(composition, snapshot, event)
    history = foldHistory(history, recorded, event)
  }
  return { state: stateOf(snapshot), history }
}

/** What the log has of these commands, a second apart, and the run that comes of it. */
const logged = (commands: ReadonlyArray<AnyCommand>) => {
  const log = logOf(...commands).map((event) => ({
    ...event,
    timestamp: `2026-01-02T03:04:${String(event.version).padStart(2, "0")}.000Z`
  }))
  return { log, ...folded(composePlugins([judge]), log) }
}

/** A task of two items: nothing holds of the first report, everything of the second. */
const refusedThenProven = () => {
  const two = aTask("a", { title: "Two things", checklist: [{ item: "one" }, { item: "two" }] })
  return logged([
    aRun([two]),
    start("a"),
    endReporting("a", 1, [done("one"), { item: "two", status: "done" }]),
    evidence("a", 1, 0),
    start("a", 2),
    endReporting("a", 2, [done("one"), waived("two")]),
    evidence("a", 2, 0),
    verified("a", 2),
    revisited()
  ])
}

describe("the trees around attempts in one directory", () => {
  const tree = (commit: string) => ({ commit: commit.repeat(40) })
  const base = { commit: "0".repeat(40), snapshot: { sha256: "0".repeat(64), bytes: 2 } }
  const both = { ...aRun([aTask("a"), aTask("b")]), base }
  const around = (commands: ReadonlyArray<AnyCommand>) => {
    const { history, state } = logged([both, start("a"), start("b"), ...commands])
    return attemptsOf(history).map((of) => ({ files: of.files_modified, ...treesAround(state, history, of) }))
  }
  const leaving = (files: ReadonlyArray<string>, commit?: string) => ({
    files_modified: files,
    ...(commit === undefined ? {} : { trees: { after: tree(commit) } })
  })
  const found = (files: ReadonlyArray<string>, after: Base | ProjectTree) => ({ files, before: base, after })

  it("given one whose changes the other has left a tree with, then it ended with that tree", () => {
    assert.sameDeepMembers(
      around([end("a", 1, "COMPLETE", leaving(["a.ts"], "1")), end("b", 1, "COMPLETE", leaving(["b.ts"]))]),
      [found(["a.ts"], tree("1")), found(["b.ts"], tree("1"))]
    )
  })

  it("given one that has changed nothing while the other worked, then it ended as it began", () => {
    assert.sameDeepMembers(
      around([end("a", 1, "COMPLETE", leaving(["a.ts"], "1")), end("b", 1, "COMPLETE", leaving([]))]),
      [found(["a.ts"], tree("1")), found([], base)]
    )
  })

  it("given the other ended later, then its tree is not where the first ended", () => {
    assert.sameDeepMembers(
      around([end("b", 1, "COMPLETE", leaving(["b.ts"])), end("a", 1, "COMPLETE", leaving(["a.ts"], "1"))]),
      [found(["a.ts"], tree("1")), found(["b.ts"], base)]
    )
  })
})

describe("a task with everything that is known of it", () => {
  it("given a refused and an accepted attempt, holds what each claimed and what became of it", () => {
    const { history, log, state } = refusedThenProven()
    const view = taskViewOf(state, history, "a")
    assert.isNotNull(view)
    assert.deepStrictEqual(
      view.history.map(({ accepted, attempt, claims, outcome, refusals }) => ({
        attempt,
        outcome,
        accepted,
        claimed: claims?.map(({ item, status }) => `${item}: ${status}`),
        refused: refusals.map(({ index, key }) => `${index}: ${key}`)
      })),
      [
        {
          attempt: 1,
          outcome: "COMPLETE",
          accepted: [0],
          claimed: ["one: done", "two: done"],
          refused: ["1: checklist_evidence_required"]
        },
        { attempt: 2, outcome: "COMPLETE", accepted: [0, 1], claimed: ["one: done", "two: skipped"], refused: [] }
      ]
    )
    assert.deepStrictEqual(
      view.checklist.map(({ item, reason, verdict }) => ({ item, verdict, reason })),
      [
        { item: "one", verdict: "proven", reason: null },
        { item: "two", verdict: "waived", reason: "not needed in this case" }
      ]
    )
    assert.strictEqual(view.refusals, 1)
    assert.strictEqual(view.retries.length, 1)
    assert.strictEqual(
      view.history[0]?.from_version,
      log.find(({ event_type }) => event_type === "ATTEMPT_STARTED")?.version
    )
    assert.isNull(taskViewOf(state, history, "b"))
  })

  it("given the run is over, knows when everything began and ended", () => {
    const { history, log } = refusedThenProven()
    const at = (type: string) => log.findLast(({ event_type }) => event_type === type)?.timestamp
    assert.strictEqual(history.started_at, at("RUN_STARTED"))
    assert.strictEqual(history.ended_at, at("RUN_COMPLETED"))
    assert.deepStrictEqual(history.head, {
      version: log.length,
      position: log.at(-1)?.position,
      hash: log.at(-1)?.hash
    })
  })
})

describe("the views of a run", () => {
  const checkViews = (state: KernelState, history: RunHistory): void => {
    const rows = taskRowsOf(state, history)
    // the tree adds up to what the run has shown, parts and their items among it
    const outermost = rows.filter(({ depth }) => depth === 0)
    const shown = proofOf(state).counts
    for (const verdict of verdicts) {
      const sum = outermost.reduce((sum, row) => sum + row.counts[verdict], 0)
      assert.strictEqual(sum, shown[verdict], verdict)
    }
    assert.strictEqual(
      outermost.reduce((sum, row) => sum + row.items_closed, 0),
      rootsOf(state)
        .flatMap(({ items, yielded }) => items.filter((_, index) => !yielded.includes(index)))
        .filter(({ verdict }) => isClosed(verdict)).length
    )
    // every task once, and none before the one it is a part of
    assert.sameMembers(
      rows.map(({ task_id }) => task_id),
      tasksOf(state).map(({ spec }) => spec.id)
    )
    const place = new Map(rows.map(({ task_id }, i) => [task_id, i]))
    for (const [i, row] of rows.entries()) {
      assert.isTrue(row.parent_task_id === null || (place.get(row.parent_task_id) ?? i) < i, row.task_id)
      Schema.decodeUnknownSync(TaskRow)(row)
      const view = taskViewOf(state, history, row.task_id)
      assert.isNotNull(view)
      Schema.decodeUnknownSync(TaskView)(view)
      assert.deepInclude(view, row)
      // putting parts together counts as an attempt, and is one only where something was to be judged
      const numbers = view.history.map(({ attempt }) => attempt)
      assert.deepStrictEqual(
        numbers,
        [...new Set(numbers)].toSorted((a, b) => a - b)
      )
      assert.isAtMost(numbers.at(-1) ?? 0, row.attempts)
      if (row.subtasks_total === 0) assert.strictEqual(view.history.length, row.attempts)
      assert.strictEqual(view.history.at(-1)?.ended_at === null, row.status === "in_progress" && isAtWork(state, row))
    }
    for (const attempt of attemptsOf(history)) Schema.decodeUnknownSync(AttemptView)(attempt)
  }

  const isAtWork = (state: KernelState, { task_id }: TaskRow): boolean => {
    const current = tasksOf(state).find(({ spec }) => spec.id === task_id)?.current
    return current !== null && current !== undefined && current.outcome === null && !current.cancelled
  }

  it("given any history, show every task once, with as many attempts as its state counts, and fit their schemas", () => {
    for (const chunks of [false, true]) {
      forSeeds(often(40), (random) => {
        const played = randomHistory(random, { wild: true, chunks, commands: 80 })
        const log = recordedOf(played.composition, [eventsOf(played)])
        const { history, state } = folded(played.composition, log)
        checkViews(state, history)
      })
    }
  })

  it("given events of types nobody knows, count them and change nothing else", () => {
    const { history, log } = refusedThenProven()
    const next = { ...(log.at(-1) as Recorded), event_type: "SOMETHING_ELSE", version: log.length + 1 }
    const after = foldHistory(history, next, null)
    assert.strictEqual(after.tasks, history.tasks)
    assert.strictEqual(after.head?.version, log.length + 1)
  })
})

describe("what a run or a task is shown as", () => {
  const known = { status: "completed", verdict: "proven", waits: false, reviewers: [], weak: [] } as const
  const cases = [
    [known, "proven", "proven"],
    [{ ...known, waits: true }, "waiting", "waiting for you"],
    [{ ...known, status: "running", verdict: "unproven", waits: true }, "waiting", "waiting for you"],
    [{ ...known, verdict: "reviewed", reviewers: ["gemini"] }, "reviewed", "reviewed by gemini"],
    [{ ...known, verdict: "weak", weak: ["untouched"] }, "weak", "weak, by your word (untouched)"],
    [{ ...known, verdict: "waived" }, "waived", "waived"],
    [{ ...known, verdict: "unproven" }, "unproven", "completed, unproven"],
    [{ ...known, verdict: null }, "completed", "completed"],
    [{ ...known, status: "failed", verdict: "refuted" }, "failed", "failed, refuted"],
    // what was shown of a task that failed does not make it proven
    [{ ...known, status: "failed" }, "failed", "failed, unproven"],
    [{ ...known, status: "in_progress", verdict: "unproven" }, "in_progress", "in progress"]
  ] as const

  for (const [given, word, text] of cases) {
    it(`given ${JSON.stringify(given)}, then it is ${text}`, () =>
      assert.deepStrictEqual(shownAs(given), { word, text }))
  }
})

describe("why a run failed", () => {
  /** Of a: its agent broke, or its claim was refused; b waits for a, c for b, and d for nothing. */
  const played = (...commands: ReadonlyArray<AnyCommand>) => {
    const item = [{ item: "one" }]
    const tasks = [
      aTask("a", { title: "First", checklist: item }),
      aTask("b", { depends_on: ["a"], checklist: item }),
      aTask("c", { depends_on: ["b"], checklist: item }),
      aTask("d", { checklist: item })
    ]
    const log = logOf(aRun(tasks, { max_retries: 0 }), ...commands)
    const { history, state } = folded(composePlugins([judge]), log)
    return failuresOf(state, history)
  }
  const printed = "begun\n\nTypeError: no map\n    at a.js:1\n"
  const output = { output_tail: printed, stdout: null, stderr: null }

  it("given an agent that broke, then its exit code, last lines and all that waits for it, and no task that failed by it", () => {
    const [failure, ...more] = played(start("a"), end("a", 1, "ERROR", { exit_code: 3, output }))
    assert.deepStrictEqual(more, [])
    assert.deepInclude(failure, {
      task_id: "a",
      title: "First",
      attempt: 1,
      exit_code: 3,
      printed: ["begun", "TypeError: no map", "    at a.js:1"],
      refusals: [],
      blocks: ["b", "c"]
    })
  })

  it("given an agent that took too long, then that, and no end of its own", () => {
    const [failure] = played(start("a"), end("a", 1, "TIMEOUT", { exit_code: null, signal: "SIGKILL", output }))
    assert.deepInclude(failure, { task_id: "a", exit_code: null, signal: "SIGKILL", timed_out: true })
  })

  it("given a claim that was refused, then the claim with why", () => {
    const claim = { item: "one", status: "done" } as const
    const [failure] = played(start("a"), endReporting("a", 1, [claim]), evidence("a", 1))
    assert.deepInclude(failure, { task_id: "a", exit_code: 0, blocks: ["b", "c"] })
    assert.deepStrictEqual(
      failure?.refusals.map(({ item, key }) => [item, key]),
      [["one", "checklist_evidence_required"]]
    )
  })

  it("given nothing has failed, then nothing", () => assert.deepStrictEqual(played(start("a")), []))
})
