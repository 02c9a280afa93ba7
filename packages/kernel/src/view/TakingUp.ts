/** What a resume for some tasks will do, said before it is done. */
import { Schema } from "effect"
import type { KernelState } from "../composition.ts"
import { Rejection, rejectConflict } from "../core/Rejection.ts"
import { Reopened } from "../modules/run/schemas.ts"
import { withParts } from "../modules/tasks/takingUp.ts"
import { type TakingUpConfig, takesUp } from "../modules/tasks/underway.ts"
import { described, Text, Texts } from "./fields.ts"

export const TakingUp = Schema.Struct({
  tasks: described("Those that were named.", Texts),
  goes_on: described(
    "Others that are taken up with them: parts, the whole, and what was skipped because of them.",
    Texts
  ),
  set_aside: described("Open tasks that are left as they are until the run is resumed once more.", Texts),
  text: described("What will happen, in words for a person.", Text)
}).annotate({ identifier: "TakingUp", description: "What a resume for some tasks only will do." })
export type TakingUp = typeof TakingUp.Type

export interface TakingUpOptions {
  /** The run goes on under this configuration; left out: under that of before. */
  readonly config?: TakingUpConfig
  /** For whoever works on them. */
  readonly note?: string | null
}

/** What a resume for these tasks will do; a rejection where it cannot be. */
export const takingUpOf = (
  state: KernelState,
  tasks: ReadonlyArray<string>,
  { config = state.run.config, note = null }: TakingUpOptions = {}
): TakingUp | Rejection => {
  const { run_id, status } = state.run
  if (status === "completed")
    return rejectConflict("run_completed", `Run ${run_id} is completed; every task is proven.`, "Start a new run.")
  const taken = takesUp(state, tasks, config, note)
  if (taken instanceof Rejection) return taken
  const { left, reopened, set_aside } = taken
  const goes_on = reopened.map(({ task_id }) => task_id).filter((id) => !tasks.includes(id))
  return {
    tasks,
    goes_on,
    set_aside,
    text: [
      ...namedTexts(tasks, reopened),
      ...otherTexts(state, tasks, goes_on),
      ...(set_aside.length === 0
        ? []
        : [`${these(set_aside)} ${be(set_aside)} left open until the run is resumed once more.`]),
      ...(left.failed + left.skipped === 0 ? [] : ["What else failed or was skipped stays as it is."]),
      "What is proven stays. Agents begin at once and change files of the project; budgets count anew."
    ].join(" ")
  }
}

/** By where a task is taken up again: what becomes of it. */
const becomes: Readonly<Record<Reopened["from"], (ids: ReadonlyArray<string>) => string>> = {
  start: (ids) => `${these(ids)} ${be(ids)} tried again, with a fresh set of attempts.`,
  judgement: (ids) => `What was done for ${these(ids)} is judged again, and tried again where it does not hold.`,
  parts: (ids) =>
    `The parts of ${these(ids)} that are not completed are tried again, with a fresh set of attempts, and all are put together once more.`
}

const namedTexts = (tasks: ReadonlyArray<string>, reopened: ReadonlyArray<Reopened>): ReadonlyArray<string> => {
  const from = new Map(reopened.map((one) => [one.task_id, one.from]))
  const open = tasks.filter((id) => !from.has(id))
  return [
    ...Reopened.fields.from.literals.flatMap((place) => {
      const ids = tasks.filter((id) => from.get(id) === place)
      return ids.length === 0 ? [] : [becomes[place](ids)]
    }),
    ...(open.length === 0 ? [] : [`${these(open)} ${open.length === 1 ? "goes" : "go"} on as it stands in the log.`])
  ]
}

/** Parts of what was named are told with it. */
const otherTexts = (
  state: KernelState,
  tasks: ReadonlyArray<string>,
  goes_on: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const parts = withParts(state, tasks)
  const wholes = goes_on.filter((id) => tasks.some((task) => withParts(state, [id]).has(task)))
  const after = goes_on.filter((id) => !parts.has(id) && !wholes.includes(id))
  return [
    ...(wholes.length === 0 ? [] : [`The parts of ${these(wholes)} are put together once more.`]),
    ...(after.length === 0
      ? []
      : [`${these(after)}, skipped because of it, ${after.length === 1 ? "goes" : "go"} on after it.`])
  ]
}

/** So many ids are named at most. */
const namedMax = 5

const these = (ids: ReadonlyArray<string>): string => {
  const named = ids.length > namedMax ? [...ids.slice(0, namedMax), `${ids.length - namedMax} more`] : ids
  return named.length === 1 ? (named[0] ?? "") : `${named.slice(0, -1).join(", ")} and ${named.at(-1)}`
}

const be = (ids: ReadonlyArray<string>): string => (ids.length === 1 ? "is" : "are")
