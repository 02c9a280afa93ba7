import { assert, describe, it } from "@effect/vitest"
import {
  type AnyEvent,
  askedIn,
  type Composition,
  emptySnapshot,
  foldEvent,
  heldItems,
  isOver,
  isSetAside,
  type KernelEvent,
  type KernelState,
  makeSummaries,
  type Recorded,
  type RunSummary,
  type Snapshot,
  type TaskState,
  taskOf,
  tasksOf,
  waitingFor,
  waitsForPerson
} from "@proofline/kernel"
import { often } from "../../often.ts"
import { eventsOf, randomHistory, type Taken, type WorkStatus, wantedKeys } from "../support/histories.ts"
import { forSeeds } from "../support/random.ts"
import { stateOf } from "../support/words.ts"

const runs = often(500)

/** What must be true of a task at the moment it is called completed, said again in other words than the rules'. */
const mayBeCompleted = (before: KernelState, task: TaskState): void => {
  const { current, items, spec } = task
  const id = spec.id
  assert.strictEqual(task.status, "in_progress", `${id} is being worked on`)
  assert.strictEqual(current?.outcome, "COMPLETE", `${id} ended well`)
  assert.isFalse(current?.cancelled, `${id} was not cancelled`)
  for (const item of items) assert.include(["proven", "waived"], item.verdict, `${id}: ${item.item}`)
  for (const item of items) assert.strictEqual(item.verdict === "proven", item.receipt !== null)
  const commands = [...spec.checks, ...spec.checklist.flatMap(({ check }) => check ?? [])]
  for (const command of commands) {
    const ran = current?.verification?.checks.filter((check) => check.command === command) ?? []
    assert.isNotEmpty(ran, `${id}: ${command} was run`)
    for (const check of ran) assert.isTrue(check.exit_code === 0 && !check.timed_out, `${id}: ${command} passed`)
  }
  if (spec.validation.length > 0) assert.strictEqual(current?.judgment?.judgment, "PASS", `${id} was reviewed`)
  assert.isAbove(items.length + commands.length + spec.validation.length, 0, `${id} had something to prove`)
  // what it waited for may have been opened again since
  if (before.tasks.revisits.count === 0) assert.deepStrictEqual(waitingFor(before, task), [], `${id} waits for nothing`)
}

const countsOf = (state: KernelState) => {
  const tasks = tasksOf(state)
  const count = (status: string) => tasks.filter((task) => task.status === status).length
  return { total: tasks.length, completed: count("completed"), failed: count("failed"), skipped: count("skipped") }
}

const completedTasks = (state: KernelState): ReadonlyArray<string> =>
  tasksOf(state).flatMap(({ spec, status }) => (status === "completed" ? spec.id : []))

/** Looks at a run after every single event. */
const lawsHold = (before: Snapshot, after: Snapshot, event: AnyEvent): void => {
  const { content, type } = event as KernelEvent
  const was = stateOf(before)
  const is = stateOf(after)
  const [mine, now] =
    "task_id" in content && content.task_id !== null ? [taskOf(was, content.task_id), taskOf(is, content.task_id)] : []
  assert.strictEqual(is.tasks.open_count, tasksOf(is).filter((task) => !isOver(task)).length, "open tasks are counted")
  assert.strictEqual(is.tasks.asking_count, tasksOf(is).filter(waitsForPerson).length, "tasks that wait are counted")
  assert.strictEqual(is.tasks.set_aside_count, tasksOf(is).filter(isSetAside).length, "tasks set aside are counted")
  // only what was judged again before the end of the run opens a task that is completed
  const isStale = was.tasks.revisits.isFresh && mine?.status === "completed"
  if (!isStale)
    assert.includeMembers([...completedTasks(is)], [...completedTasks(was)], "a completed task stays completed")
  if (mine !== undefined && isOver(mine) && !isStale)
    assert.fail(`${type} about ${mine.spec.id}, which is ${mine.status}`)
  switch (type) {
    case "TASK_COMPLETED":
      mayBeCompleted(was, mine as TaskState)
      break
    case "ATTEMPT_STARTED":
      assert.strictEqual(content.attempt, (mine?.attempts ?? 0) + 1, "attempts are counted without a hole")
      // TASK_STARTED comes just before the first
      assert.isTrue(
        mine?.current === null || mine?.status === "pending" || mine?.status === "retrying",
        "one attempt of a task at a time"
      )
      assert.deepStrictEqual(waitingFor(was, mine as TaskState), [], "no attempt before its dependencies are done")
      break
    case "TASK_STATUS_CHANGED":
      if (content.retry_count !== mine?.retry_count) {
        assert.strictEqual(content.retry_count, (mine?.retry_count ?? 0) + 1)
        assert.isAtMost(content.retry_count, was.run.config.max_retries, "no more retries than allowed")
      }
      assert.strictEqual(content.from, mine?.status)
      break
    case "PERSON_ASKED":
      assert.isNotEmpty(content.items, "something is asked")
      assert.strictEqual(mine?.current?.outcome, "COMPLETE")
      break
    case "PERSON_ANSWERED":
      assert.strictEqual(mine?.status, "blocked", "only what waits is answered")
      break
    case "TASK_FAILED":
      assert.strictEqual(now?.status, "failed")
      break
    case "RUN_COMPLETED":
    case "RUN_INCOMPLETE":
    case "RUN_FAILED": {
      const { completed, failed, skipped, total } = content
      assert.deepStrictEqual({ total, completed, failed, skipped }, countsOf(is), "the counts are those of the fold")
      if (type === "RUN_COMPLETED") assert.strictEqual(completed, total)
      if (type === "RUN_COMPLETED") assert.isAbove(total, 0)
      // completed means that it holds now
      if (type === "RUN_COMPLETED") {
        assert.isTrue(was.tasks.revisits.isFresh || heldItems(was).length === 0, "what was accepted was judged again")
        for (const item of tasksOf(was).flatMap(({ items }) => items)) assert.notStrictEqual(item.verdict, "stale")
      }
      if (type === "RUN_INCOMPLETE") {
        const isUnjudged = was.tasks.revisits.problem !== null
        const isOpen = was.tasks.asking_count > 0 || was.tasks.set_aside_count > 0
        const lost = tasksOf(was).filter(({ status }) => status === "failed")
        const isUnproven = lost.length > 0 && lost.every(({ verdict }) => verdict === "unproven")
        assert.isTrue(isOpen || isUnproven || (completed > 0 && (completed < total || isUnjudged)))
      }
      break
    }
  }
}

const replayed = (
  { before, step }: Taken,
  visit: (was: Snapshot, is: Snapshot, event: AnyEvent) => void,
  composition: Composition
): Snapshot =>
  step.events.reduce((was, event) => {
    const is = foldEvent(composition, was, event)
    visit(was, is, event)
    return is
  }, before)

const summaries = makeSummaries([])

describe("whatever is asked in whatever order", () => {
  for (const wild of [false, true]) {
    it(`the laws hold after every event${wild ? ", also when anybody sends anything" : ""}`, () => {
      const seen = new Map<string, number>()
      forSeeds(runs, (random) => {
        const history = randomHistory(random, { wild, commands: 60, cannot: random.chance(0.5) })
        for (const taken of history.taken) replayed(taken, lawsHold, history.composition)
        for (const { type } of eventsOf(history)) seen.set(type, (seen.get(type) ?? 0) + 1)
      })
      // a law about something that never happened would hold too
      for (const type of [
        "TASK_COMPLETED",
        "TASK_FAILED",
        "TASK_SKIPPED",
        "TASK_STATUS_CHANGED",
        "RUN_COMPLETED",
        "RUN_INCOMPLETE",
        "RUN_FAILED",
        "RUN_CANCELLED",
        "RUN_RESUMED",
        "RUN_ENDING",
        "EVIDENCE_REVISITED",
        "PERSON_ASKED",
        "PERSON_ANSWERED",
        "ATTEMPT_CANCELLED",
        "ACTIVITY_FAILED"
      ]) {
        assert.isAbove(seen.get(type) ?? 0, often(30) - 2, type)
      }
    })
  }

  it("folding the events gives the state that was decided on, in one piece or in two", () => {
    forSeeds(often(300), (random) => {
      const history = randomHistory(random, { wild: true, commands: 40 })
      const fold = (from: Snapshot, events: ReadonlyArray<AnyEvent>) =>
        events.reduce((now, event) => foldEvent(history.composition, now, event), from)
      const empty = emptySnapshot(history.composition)
      const events = eventsOf(history)
      const cut = random.below(events.length)
      assert.deepStrictEqual(plain(fold(empty, events)), plain(history.snapshot))
      assert.deepStrictEqual(plain(fold(fold(empty, events.slice(0, cut)), events.slice(cut))), plain(history.snapshot))
    })
  })

  const inOrder = (asked: ReturnType<typeof askedIn>) =>
    [...asked].sort((a, b) => a.task_id.localeCompare(b.task_id) || a.index - b.index)

  it("the summary of a run says the same as the run", () => {
    forSeeds(often(300), (random) => {
      let summary: RunSummary | null = null
      randomHistory(random, {
        wild: true,
        commands: 40,
        cannot: random.chance(0.5),
        chunks: random.chance(0.3),
        onStep: ({ step }) => {
          for (const { content, type } of step.events) {
            const recorded = { event_type: type, content, stream: "run_1", timestamp: "t" } as unknown as Recorded
            summary = summaries.summarize(summary, recorded)
          }
          const state = stateOf(step.after)
          const roots = tasksOf(state).filter(({ parent_task_id }) => parent_task_id === null)
          const having = (status: TaskState["status"]) => roots.filter((task) => task.status === status).length
          assert.deepInclude(summary, {
            status: state.run.status,
            tasks_total: roots.length,
            tasks_completed: having("completed"),
            tasks_failed: having("failed"),
            tasks_skipped: having("skipped")
          } as RunSummary)
          // the summary has them as they were asked, the run in the order of its tasks
          assert.deepStrictEqual(inOrder(summary?.asked ?? []), inOrder(askedIn(state)))
        }
      })
    })
  })
})

describe("work", () => {
  /** Whether a task can be worked on as far as anybody knows, said again in other words than the rules'. */
  const isFree = (state: KernelState, task: TaskState): boolean =>
    !isOver(task) &&
    !waitsForPerson(task) &&
    !task.set_aside &&
    (task.status === "in_progress" || waitingFor(state, task).length === 0)

  const openFor = (work: ReadonlyMap<string, WorkStatus>, id: string): ReadonlyArray<string> =>
    [...work].flatMap(([key, status]) => (status === "open" && key.split("/")[1] === id ? key : []))

  it("is outstanding exactly once for every task that is free, and for no other, after every command", () => {
    forSeeds(runs, (random) => {
      randomHistory(random, {
        wild: false,
        commands: 60,
        cannot: random.chance(0.5),
        onStep: ({ command, step }, work) => {
          const state = stateOf(step.after)
          const held = [...state.run.breakers].length > 0
          for (const task of tasksOf(state)) {
            const open = openFor(work, task.spec.id)
            const about = `${task.spec.id} (${task.status}) after ${command._tag}: ${open}`
            if (state.run.status !== "running" || !isFree(state, task)) assert.strictEqual(open.length, 0, about)
            else if (held) assert.isAtMost(open.length, 1, about)
            else assert.strictEqual(open.length, 1, about)
          }
        }
      })
    })
  })

  it("is outstanding as long as the run is running: no run waits for nothing", () => {
    for (const wild of [false, true]) {
      forSeeds(runs, (random) => {
        randomHistory(random, {
          wild,
          commands: 60,
          cannot: random.chance(0.5),
          onStep: ({ command, step }, work) => {
            if (stateOf(step.after).run.status !== "running") return
            const open = [...work.values()].filter((status) => status === "open").length
            assert.isAbove(open, 0, `after ${command._tag}`)
          }
        })
      })
    }
  })

  it("that is wanted is never work that was done or taken back before", () => {
    for (const wild of [false, true]) {
      forSeeds(runs, (random) => {
        randomHistory(random, {
          wild,
          commands: 60,
          cannot: random.chance(0.5),
          onStep: ({ command, step }, work) => {
            for (const task of tasksOf(stateOf(step.after))) {
              for (const key of wantedKeys(stateOf(step.after), task)) {
                assert.strictEqual(work.get(key), "open", `${key} after ${command._tag}`)
              }
            }
          }
        })
      })
    }
  })
})

/** Maps and sets as sorted plain values: two states are compared by what they say, not by how they are stored. */
const plain = (snapshot: Snapshot) => {
  const { chunking, run, tasks } = stateOf(snapshot)
  return {
    version: snapshot.version,
    run: { ...run, breakers: [...run.breakers].sort() },
    tasks: {
      ...tasks,
      byId: tasksOf({ tasks }),
      completed_elsewhere: [...tasks.completed_elsewhere].sort(),
      dependents: [...tasks.dependents].sort()
    },
    chunking: [...chunking.byId].sort(([a], [b]) => a.localeCompare(b))
  }
}
