import type { TaskId } from "../../base/Ids.ts"
import { Rejection } from "../../core/Rejection.ts"
import { budgetExceeded } from "../run/budget.ts"
import type { RunConfig } from "../run/config.ts"
import { type TakenUp, underway } from "../run/points.ts"
import { type AwaitedBy, type Only, type Reopened, type ReportedFailure, taskNamedBy } from "../run/schemas.ts"
import type { BaseCheck } from "./BaseCheck.ts"
import { isUntried } from "./checks.ts"
import { AttemptEnded } from "./events.ts"
import { walk, wantsOf } from "./gates.ts"
import { giveUpAll } from "./kinds.ts"
import { unshownReasons } from "./obligations.ts"
import { retries } from "./points.ts"
import { revisitKey } from "./revisit.ts"
import { givenUp } from "./settle.ts"
import {
  isLost,
  isOver,
  parentOf,
  type TaskState,
  Tasks,
  type TasksState,
  type TasksView,
  taskOf,
  tasksOf,
  withTask
} from "./state.ts"
import { groupOf, isOvertaken, withParts } from "./takingUp.ts"
import { activities } from "./work.ts"

/** An agent that cannot work any more is not started again, and its work waits: nothing is wrong with the task. */
const isOfAgent = ({ agent, terminal }: ReportedFailure): boolean => terminal === true && agent !== undefined

/** The task that ordered this work and cannot go on without it. Work that somebody does beside it is none. */
const awaits = (state: TasksView, failure: ReportedFailure): AwaitedBy | null => {
  if (failure.name === activities.revisit)
    return failure.key === revisitKey(state) ? { plugin: "tasks", task_id: null, consequence: "survived" } : null
  const id = failure.task_id ?? taskNamedBy(failure.input)
  const task = id === null ? undefined : taskOf(state, id)
  if (task === undefined || state.run.status !== "running" || isOver(task)) return null
  const stop = walk(state, task)
  const wants = wantsOf(stop, task)
  if (stop === null || wants?._tag !== "Start" || !("key" in wants)) return null
  const awaited = (consequence: AwaitedBy["consequence"]): AwaitedBy => ({
    plugin: stop.gate.by,
    task_id: task.spec.id,
    consequence
  })
  if (wants.key === failure.key)
    return awaited(consequenceOf(failure) ?? (stop.gate.survives?.(task) === true ? "survived" : "blocked"))
  // the breaker of the agent that was asked has opened meanwhile: the next one is asked. Attempts are not named by agents
  const isOrdered =
    wants.kind !== "attempt" &&
    wants.activity === failure.name &&
    stop.gate.ordered?.(task, state.run.resumes).includes(failure.key)
  return isOrdered === true ? awaited("agent_unavailable") : null
}

/** What follows from the failure itself, whatever waited for the work. */
const consequenceOf = (failure: ReportedFailure): AwaitedBy["consequence"] | null => {
  if (isOfAgent(failure)) return "agent_unavailable"
  return failure.code === budgetExceeded ? "deferred" : null
}

/** After a budget stop a resume reopens only the tasks that were skipped for the budget. Tasks that failed stay failed. */
const isReopened = (state: TasksView, task: TaskState): boolean => {
  const { reason, status } = task
  // what a person has given up is not asked about again
  if (reason === givenUp || isOvertaken(state, task)) return false
  if (state.run.failed_by !== "budget") return status === "failed" || status === "skipped"
  const parent = parentOf(state, task)
  // a part of what stays failed would be worked on for nothing
  return (
    status === "skipped" &&
    reason === "budget" &&
    (parent === undefined || !isOver(parent) || isReopened(state, parent))
  )
}

/** What of the settings says how tasks are taken up again. */
export type TakingUpConfig = Pick<RunConfig, "chunking" | "fail_fast" | "proof" | "unshown_retried">

/** What a resume for these tasks only takes up again; a rejection where it cannot. */
export const takesUp = (
  state: TasksView,
  tasks: ReadonlyArray<TaskId>,
  config: TakingUpConfig,
  note: string | null
): TakenUp | Rejection => {
  const group = groupOf(state, tasks, config)
  if (group instanceof Rejection) return group
  const others = tasksOf(state).filter(({ spec }) => !group.has(spec.id))
  const outermost = others.filter(({ parent_task_id }) => parent_task_id === null)
  const count = (is: (task: TaskState) => boolean): number => outermost.filter(is).length
  const asked = withParts(state, tasks)
  const isBegun = (task: TaskState): boolean =>
    asked.has(task.spec.id) && config.unshown_retried === true && (note !== null || isLeftUnshown(task, config))
  return {
    reopened: reopenedOf(state, (task) => isLost(task) && group.has(task.spec.id), isBegun),
    set_aside: others.flatMap((task) => (isOver(task) ? [] : [task.spec.id])),
    left: {
      failed: count(({ status }) => status === "failed"),
      skipped: count(({ status }) => status === "skipped"),
      given_up: count(({ reason, status }) => status === "failed" && reason === givenUp)
    }
  }
}

/** `isBegun`: with another attempt, although it only waited for somebody to judge it. */
const reopenedOf = (
  state: TasksView,
  isMeant: (task: TaskState) => boolean,
  isBegun: (task: TaskState) => boolean = () => false
): ReadonlyArray<Reopened> =>
  tasksOf(state)
    .filter(isMeant)
    .map((task) => ({ task_id: task.spec.id, from: reopensFrom(state, task, isBegun(task)) }))

const reopensFrom = (state: TasksView, task: TaskState, isBegun: boolean): Reopened["from"] =>
  retries(state).flatMap((one) => one.reopensFrom(task) ?? [])[0] ??
  (isOnlyUnjudged(task) && !isBegun ? "judgement" : "start")

/** Nothing shows that it is done, and judging the same work again would come to the same. */
const isLeftUnshown = ({ reason }: TaskState, { proof }: TakingUpConfig): boolean =>
  unshownReasons.has(reason) && !proof.accept.some((accepted) => accepted === reason)

/** It only waited for somebody to judge it: it keeps its attempt. */
const isOnlyUnjudged = ({ current, reason, refused, verdict }: TaskState): boolean =>
  verdict === "unproven" &&
  // judged again, a person would only be asked again
  reason !== givenUp &&
  current?.outcome === "COMPLETE" &&
  !current.cancelled &&
  current.failures.length === 0 &&
  (current.verification?.passed !== false || current.verification.checks.some(isUntried)) &&
  refused?.attempt !== current.attempt

const lostAttempt = ({ current, spec }: TaskState) =>
  AttemptEnded({
    task_id: spec.id,
    attempt: current?.attempt ?? 0,
    outcome: "LOST",
    exit_code: null,
    signal: null,
    duration_ms: 0,
    error: null,
    files_modified: null,
    agent: current?.agent ?? null
  })

export const ownUnderway = Tasks.offer(underway, "underway", {
  giveUp: giveUpAll,
  reopened: (state) => reopenedOf(state, (task) => isReopened(state, task)),
  takesUp,
  lost: (state) =>
    Tasks.tell(
      tasksOf(state)
        .filter(
          ({ current, status }) => status === "in_progress" && current?.outcome === null && current.cancelled === false
        )
        .map(lostAttempt)
    ),
  awaits
})

/** A task taken up again: a new budget of attempts. What only waited for somebody to judge it keeps its attempt. */
export const withReopened = (
  own: TasksState,
  {
    config,
    only,
    reopened
  }: { readonly config: RunConfig | null; readonly only?: Only; readonly reopened: ReadonlyArray<Reopened> }
): TasksState => {
  const before: TasksState = {
    ...noneSetAside(own),
    base_checks: triedAgain(inForce(own.base_checks, config)),
    // the project may be another by now
    revisits: { ...own.revisits, isFresh: false, problem: null }
  }
  const taken = reopened.reduce(
    (now, { from, task_id }) => withTask(now, task_id, (task) => reopenedTask(task, from)),
    before
  )
  return only === undefined ? taken : withNote(withSetAside(taken, only), only)
}

/** What was left open before is as any other task. */
const noneSetAside = (own: TasksState): TasksState =>
  own.set_aside_count === 0
    ? own
    : tasksOf({ tasks: own })
        .filter(({ set_aside }) => set_aside)
        .reduce((now, { spec }) => withTask(now, spec.id, (task) => ({ ...task, set_aside: false })), own)

const withSetAside = (own: TasksState, { set_aside }: Only): TasksState =>
  set_aside.reduce((now, id) => withTask(now, id, (task) => ({ ...task, set_aside: true })), own)

/** Of a task that was split, those who work on its parts are told. */
const withNote = (own: TasksState, { note, tasks }: Only): TasksState =>
  note === undefined
    ? own
    : [...withParts({ tasks: own }, tasks)].reduce(
        (now, id) =>
          withTask(now, id, (task) => (isOver(task) ? task : { ...task, guidance: [...task.guidance, note] })),
        own
      )

/** Checks that were replaced by others of the same name have told nothing of these. */
const inForce = (known: TasksState["base_checks"], config: RunConfig | null): TasksState["base_checks"] => {
  const sha256 = config?.proof.escrow?.sha256
  const isInForce = ({ escrow }: BaseCheck) => escrow === undefined || escrow.sha256 === sha256
  return known === null || config === null || known.checks.every(isInForce)
    ? known
    : { ...known, checks: known.checks.filter(isInForce) }
}

/** What could not be found out of the commands at the base is tried again. */
const triedAgain = (known: TasksState["base_checks"]): TasksState["base_checks"] => {
  if (known === null || known.problem === null) return known
  return known.checks.length === 0 ? null : { ...known, problem: null }
}

const reopenedTask = (task: TaskState, from: Reopened["from"]): TaskState => {
  const fresh = {
    ...task,
    retry_count: 0,
    lost_count: 0,
    transient_count: 0,
    delay_ms: 0,
    reason: "",
    message: "",
    blocked: null,
    verdict: "unproven"
  } as const
  switch (from) {
    case "start":
      return { ...fresh, status: "pending" }
    case "parts":
      // its parts are taken up again, and put together again
      return { ...fresh, status: "in_progress", current: null }
    case "judgement":
      // the work may have been changed since: everything but the agent's own part is done again
      return {
        ...fresh,
        status: "in_progress",
        current: task.current && {
          ...task.current,
          facts: null,
          failures: [],
          verification: null,
          judgment: null,
          criteria: null
        }
      }
  }
}

/** What follows for the task that waited for work that failed. */
export const withFailure = (
  own: TasksState,
  { awaited_by, code, key, message, name }: ReportedFailure & { readonly awaited_by: AwaitedBy | null }
): TasksState => {
  // nobody knows how the commands ended then: they show nothing by themselves
  if (name === activities.base)
    return { ...own, base_checks: { checks: own.base_checks?.checks ?? [], problem: message } }
  if (name === activities.revisit && awaited_by !== null)
    return { ...own, revisits: { ...own.revisits, problem: message } }
  const id = awaited_by?.task_id ?? null
  if (awaited_by === null || id === null) return own
  // it was not even begun; a resume orders it anew, under another key
  if (awaited_by.consequence === "deferred") return withTask(own, id, (task) => ({ ...task, deferred: key }))
  return awaited_by.consequence === "blocked"
    ? withTask(own, id, (task) => ({ ...task, blocked: { activity: name, code, message } }))
    : own
}
