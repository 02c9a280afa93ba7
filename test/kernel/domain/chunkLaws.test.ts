import { assert, describe, it } from "@effect/vitest"
import {
  type AnyEvent,
  buildsOn,
  chunkOf,
  foldEvent,
  isOver,
  type KernelEvent,
  type KernelState,
  type Snapshot,
  subtasksOf,
  type TaskState,
  taskOf,
  tasksOf
} from "@proofline/kernel"
import { often } from "../../often.ts"
import { eventsOf, randomHistory, wantedKeys } from "../support/histories.ts"
import { forSeeds } from "../support/random.ts"
import { digest, recordedOf, replayOf } from "../support/recorded.ts"
import { stateOf } from "../support/words.ts"

const runs = often(600)

const parentOf = (state: KernelState, task: TaskState | undefined): TaskState | undefined =>
  task?.parent_task_id == null ? undefined : taskOf(state, task.parent_task_id)

/** Attempts that a looped subtask may use: every loop has its iterations and what the reviewer may ask for again. */
const mostAttempts = ({ run: { config } }: KernelState, task: TaskState): number =>
  (config.chunking.max_iterations + 2) * (task.retry_count + 1) + task.lost_count

/** Looks at a run with tasks that were split after every single event. */
const lawsHold = (was: KernelState, is: KernelState, event: AnyEvent): void => {
  const { content, type } = event as KernelEvent
  for (const task of tasksOf(is)) {
    const chunk = chunkOf(is, task)
    if (chunk === null) continue
    const parts = subtasksOf(is, task)
    assert.strictEqual(chunk.open, parts.filter((part) => !isOver(part)).length, "open subtasks are counted")
    const lost = parts.filter(({ status }) => status === "failed" || status === "skipped")
    assert.strictEqual(chunk.failed, lost.length, "failed subtasks are counted")
    if (task.status === "completed" && chunk.stage !== "skipped") {
      assert.isNotEmpty(parts)
      if (chunk.is_race) {
        const won = parts.filter((part) => part.status === "completed")
        assert.isAtLeast(won.length, 1, "one of several attempts wins, or two that were proven in the same moment")
        assert.isTrue(parts.every(isOver))
      } else for (const part of parts) assert.strictEqual(part.status, "completed", "atomic completion")
    }
  }
  switch (type) {
    case "SUBTASK_START":
    case "SUBTASK_RETRY":
    case "SUBTASK_COMPLETE": {
      const task = taskOf(was, content.subtask_id)
      assert.strictEqual(parentOf(was, task)?.status, "in_progress", "the parent is running")
      assert.isFalse(task === undefined || isOver(task))
      if (type === "SUBTASK_START") {
        for (const needed of buildsOn(was, task as TaskState)) assert.strictEqual(needed.status, "completed")
      }
      if (type === "SUBTASK_RETRY") {
        assert.strictEqual(content.retry_count, (task?.retry_count ?? 0) + 1)
        const { chunking, max_retries } = was.run.config
        assert.isAtMost(content.retry_count, task?.alternative === true ? max_retries : chunking.retry.max_retries)
      }
      break
    }
    case "SUBTASK_FAILED":
      assert.isFalse(isOver(taskOf(was, content.subtask_id) as TaskState), "a subtask ends once")
      break
    case "ATTEMPT_STARTED": {
      const task = taskOf(is, content.task_id) as TaskState
      const parent = parentOf(is, task)
      if (parent === undefined) break
      // a resume gives a new budget
      if (is.run.resumes === 0 && is.run.config.chunking.review_loop_per_subtask) {
        assert.isAtMost(task.attempts, mostAttempts(is, task), "no attempt more than its loops allow")
      }
      if (chunkOf(is, parent)?.execution_mode === "sequential") {
        // what a person has answered about waits for its turn to be judged
        const others = subtasksOf(is, parent).filter(
          ({ current, items, status }) =>
            status === "in_progress" && (current?.outcome === null || items.every(({ answer }) => answer === undefined))
        )
        assert.deepStrictEqual(
          others.map(({ spec }) => spec.id),
          [content.task_id],
          "one after the other"
        )
      }
      break
    }
    case "TASK_FAILED":
      for (const part of subtasksOf(is, taskOf(is, content.task_id) as TaskState)) {
        assert.isTrue(isOver(part), `${part.spec.id} is over when its parent is`)
      }
      break
    case "CHUNKING_COMPLETE":
      assert.strictEqual(content.failed_subtasks, 0)
      assert.strictEqual(content.completed_subtasks, content.total_subtasks)
      break
    case "RUN_COMPLETED":
    case "RUN_INCOMPLETE":
    case "RUN_FAILED": {
      const roots = tasksOf(is).filter(({ parent_task_id }) => parent_task_id === null)
      assert.strictEqual(content.total, roots.length, "to whoever asked a task that was split is one task")
      break
    }
  }
}

describe("tasks that are split, whatever is asked in whatever order", () => {
  for (const wild of [false, true]) {
    it(`the laws hold after every event${wild ? ", also when anybody sends anything" : ""}`, () => {
      const seen = new Map<string, number>()
      forSeeds(runs, (random) => {
        const history = randomHistory(random, {
          wild,
          chunks: true,
          races: random.chance(0.25),
          cannot: random.chance(0.5),
          commands: 120
        })
        for (const { before, step } of history.taken) {
          step.events.reduce((was: Snapshot, event) => {
            const is = foldEvent(history.composition, was, event)
            lawsHold(stateOf(was), stateOf(is), event)
            return is
          }, before)
        }
        for (const { type } of eventsOf(history)) seen.set(type, (seen.get(type) ?? 0) + 1)
      })
      // a law about something that never happened would hold too
      for (const type of [
        "CHUNKING_START",
        "CHUNKING_ANALYSIS",
        "CHUNKING_SKIPPED",
        "SUBTASK_CREATED",
        "SUBTASK_START",
        "SUBTASK_COMPLETE",
        "SUBTASK_FAILED",
        "SUBTASK_RETRY",
        "CHUNKING_AGGREGATION",
        "CHUNKING_COMPLETE",
        "PARALLEL_ATTEMPTS_START",
        "PARALLEL_ATTEMPT_WON",
        "REVIEW_LOOP_START",
        "REVIEW_LOOP_END",
        "RUN_RESUMED"
      ]) {
        assert.isAbove(seen.get(type) ?? 0, often(30) - 2, type)
      }
    })
  }

  it("every subtask that was created has ended when its run has", () => {
    forSeeds(runs, (random) => {
      const options = { wild: false, chunks: true, races: random.chance(0.25), commands: 200 }
      const state = stateOf(randomHistory(random, options).snapshot)
      if (state.run.status === "running" || [...state.run.breakers].length > 0) return
      for (const task of tasksOf(state))
        assert.isTrue(isOver(task) || task.set_aside, `${task.spec.id} is ${task.status}`)
    })
  })

  it("every review loop that begins ends before the next one of its task, and before the task does", () => {
    forSeeds(runs, (random) => {
      const history = randomHistory(random, { wild: true, chunks: true, cannot: random.chance(0.5), commands: 120 })
      const open = new Set<string>()
      for (const { content, type } of eventsOf(history) as ReadonlyArray<KernelEvent>) {
        if (type === "REVIEW_LOOP_START") {
          assert.isFalse(open.has(content.task_id), `${content.task_id} begins a loop within a loop`)
          open.add(content.task_id)
        } else if (type === "REVIEW_LOOP_END") {
          assert.isTrue(open.delete(content.task_id), `${content.task_id} ends a loop that never began`)
        } else if (type === "SUBTASK_COMPLETE" || type === "SUBTASK_FAILED") {
          assert.isFalse(open.has(content.subtask_id), `${content.subtask_id} is over within a loop`)
        }
      }
    })
  })

  it("work is outstanding as long as a run is running: no run waits for nothing", () => {
    for (const wild of [false, true]) {
      forSeeds(runs, (random) => {
        randomHistory(random, {
          wild,
          chunks: true,
          races: random.chance(0.25),
          cannot: random.chance(0.5),
          commands: 100,
          onStep: ({ command, step }, work) => {
            if (stateOf(step.after).run.status !== "running") return
            const open = [...work.values()].filter((status) => status === "open").length
            assert.isAbove(open, 0, `after ${command._tag}`)
          }
        })
      })
    }
  })

  it("what is wanted is ordered and was never done before, and nothing else is ordered", () => {
    forSeeds(runs, (random) => {
      randomHistory(random, {
        wild: false,
        chunks: true,
        races: random.chance(0.25),
        cannot: random.chance(0.5),
        commands: 100,
        onStep: ({ command, step }, work) => {
          const { run, tasks } = stateOf(step.after)
          const wanted = [
            ...tasksOf({ tasks }).flatMap((task) => wantedKeys(stateOf(step.after), task)),
            ...(run.status === "running" && tasks.open_count === 0 ? run.ending : [])
          ]
          for (const key of wanted) assert.strictEqual(work.get(key), "open", `${key} after ${command._tag}`)
          if ([...stateOf(step.after).run.breakers].length > 0) return
          const open = [...work].flatMap(([key, status]) => (status === "open" ? key : []))
          assert.sameMembers(open, wanted, `after ${command._tag}`)
        }
      })
    })
  })

  it("a replay of the log comes to the same decisions, without an analyzer, an agent or a reviewer", () => {
    forSeeds(often(300), (random, seed) => {
      const history = randomHistory(random, {
        wild: true,
        chunks: true,
        cannot: seed % 2 === 0,
        commands: 80,
        itemOf: (key) => digest.uuid5(`run_1/${key}`)
      })
      const log = recordedOf(
        history.composition,
        history.taken.map(({ step }) => step.events)
      )
      const { divergence, snapshot } = replayOf(history.composition, log)
      assert.isNull(divergence, `seed ${seed}: ${JSON.stringify(divergence)}`)
      assert.strictEqual(stateOf(snapshot).run.status, stateOf(history.snapshot).run.status)
    })
  })
})
