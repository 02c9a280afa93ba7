import {
  type AcceptanceCriterion,
  type CheckRun,
  type CompletedTask,
  type CriterionVerdict,
  hasPassed,
  type ItemOutcome,
  type Opinion,
  type Requirement
} from "@proofline/kernel"
import type { ReceiptCheck } from "./events.ts"
import type { Loop, PlannedTask, RequirementState } from "./state.ts"

/** What the machine has seen: commands that were run now, and whether what tasks have shown is still there. */
export interface Facts {
  readonly runs: ReadonlyMap<string, CheckRun>
  readonly receipts: ReadonlyArray<ReceiptCheck>
}

/** The lines an agent's opinion rests on are looked up like those of an item, under this name. */
export const opinionTask = "(opinion)"

/** A receipt that has to be looked up to verify a requirement. */
export interface Wanted {
  readonly task_id: string
  readonly item_index: number
}

/** Every command and every receipt on which the verdict of a requirement rests. */
export const wantedFor = (
  loop: Loop,
  requirement: Requirement
): { readonly commands: ReadonlyArray<string>; readonly receipts: ReadonlyArray<Wanted> } => {
  const commands = new Set<string>()
  const receipts = new Map<string, Wanted>()
  for (const { check, id } of requirement.acceptance_criteria) {
    if (check !== null) {
      commands.add(check)
      continue
    }
    for (const task of setsOf(loop, id).flatMap(({ completed }) => completed)) {
      for (const command of task.checks) commands.add(command)
      for (const { index, item } of linkedItems(task, id)) {
        if (item.check !== undefined) commands.add(item.check)
        if (item.receipt !== null) receipts.set(`${index} ${task.id}`, { task_id: task.id, item_index: index })
      }
    }
  }
  const opinion = loop.requirements.get(requirement.id)?.opinion ?? null
  opinion?.facts.forEach(({ receipt }, index) => {
    if (receipt !== null) receipts.set(`${index} ${opinionTask}`, { task_id: opinionTask, item_index: index })
  })
  return { commands: [...commands], receipts: [...receipts.values()] }
}

/** The tasks that one iteration has planned for a criterion. */
interface PlannedSet {
  readonly iteration: number
  readonly planned: ReadonlyArray<PlannedTask>
  readonly completed: ReadonlyArray<CompletedTask>
}

/** By iteration, the newest first. */
const setsOf = (loop: Loop, criterion: string): ReadonlyArray<PlannedSet> => {
  const byIteration = new Map<number, Array<PlannedTask>>()
  for (const task of loop.planned) {
    if (!task.covers.includes(criterion)) continue
    const set = byIteration.get(task.iteration) ?? []
    set.push(task)
    byIteration.set(task.iteration, set)
  }
  return [...byIteration]
    .sort(([a], [b]) => b - a)
    .map(([iteration, planned]) => ({
      iteration,
      planned,
      completed: planned.flatMap(({ id }) => loop.completed.find((task) => task.id === id) ?? [])
    }))
}

/** The items of a task that show a criterion: those that name it, else those that name none. */
const linkedItems = (
  task: CompletedTask,
  criterion: string
): ReadonlyArray<{ readonly index: number; readonly item: ItemOutcome }> => {
  const items = task.items.map((item, index) => ({ index, item }))
  const naming = items.filter(({ item }) => item.covers?.includes(criterion))
  return naming.length > 0 ? naming : items.filter(({ item }) => item.covers === undefined)
}

/**
 * The verdict of every criterion of a requirement. Proven only by something: a check that passes, what completed tasks
 * have shown and still holds, or, where agents are trusted, an opinion that shows a run or code.
 */
export const criteriaOf = (
  loop: Loop,
  requirement: Requirement,
  facts: Facts,
  opinion: Opinion | null,
  isTrusted: boolean
): ReadonlyArray<CriterionVerdict> =>
  requirement.acceptance_criteria.map((criterion) => {
    const seen = criterion.check === null ? byTasks(loop, criterion, facts) : byCheck(criterion, criterion.check, facts)
    return seen.verdict === "unproven" && opinion !== null ? byOpinion(seen, opinion, isTrusted) : seen
  })

const byCheck = ({ id }: AcceptanceCriterion, command: string, { runs }: Facts): CriterionVerdict => {
  const run = runs.get(command)
  if (run === undefined) return { id, verdict: "unproven", by: null, tasks: [], message: `\`${command}\` was not run.` }
  return hasPassed(run)
    ? { id, verdict: "proven", by: "check", tasks: [], message: `\`${command}\` passes.` }
    : { id, verdict: "refuted", by: "check", tasks: [], message: failing(run) }
}

const failing = (run: CheckRun): string =>
  run.timed_out
    ? `\`${run.command}\` ran out of time.`
    : run.exit_code === null
      ? `\`${run.command}\` was ended by ${run.signal ?? "something"}.`
      : `\`${run.command}\` exits with ${run.exit_code}.`

const byTasks = (loop: Loop, { id }: AcceptanceCriterion, facts: Facts): CriterionVerdict => {
  const sets = setsOf(loop, id).map((set) => bySet(id, set, facts))
  return (
    sets.find(({ verdict }) => verdict === "proven") ??
    sets[0] ?? { id, verdict: "unproven", by: null, tasks: [], message: "No task covers it." }
  )
}

/** What the tasks of one iteration have shown of a criterion, all of them together. */
const bySet = (id: string, { completed, planned }: PlannedSet, facts: Facts): CriterionVerdict => {
  const seen = completed.map((task) => ({ task, ...shownBy(task, id, facts) }))
  const refuting = seen.find(({ verdict }) => verdict === "refuted")
  const unproven = (message: string): CriterionVerdict => ({ id, verdict: "unproven", by: null, tasks: [], message })
  if (refuting !== undefined) {
    return { id, verdict: "refuted", by: "tasks", tasks: [refuting.task.id], message: refuting.message }
  }
  const open = planned.filter((task) => !completed.some((one) => one.id === task.id)).map((task) => task.id)
  if (open.length > 0) return unproven(`Not completed: ${open.join(", ")}.`)
  const stale = seen.find(({ verdict }) => verdict === "stale")
  if (stale !== undefined) return { id, verdict: "stale", by: "tasks", tasks: [stale.task.id], message: stale.message }
  const proving = seen.filter(({ verdict }) => verdict === "proven")
  return proving.length === 0
    ? unproven(`Nothing that ${planned.map((task) => `task ${task.id}`).join(", ")} left shows it.`)
    : {
        id,
        verdict: "proven",
        by: "tasks",
        tasks: proving.map(({ task }) => task.id),
        message: proving.map(({ message }) => message).join(" ")
      }
}

interface Shown {
  readonly verdict: "proven" | "refuted" | "stale" | "unproven"
  readonly message: string
}

/** What a completed task has shown of a criterion, as it is now. */
const shownBy = (task: CompletedTask, criterion: string, { receipts, runs }: Facts): Shown => {
  const linked = linkedItems(task, criterion)
  const commands = [...task.checks, ...linked.flatMap(({ item }) => item.check ?? [])]
  const failed = commands.flatMap((command) => {
    const run = runs.get(command)
    return run !== undefined && !hasPassed(run) ? [run] : []
  })
  const [first] = failed
  if (first !== undefined) return { verdict: "refuted", message: `${failing(first)} It passed for task ${task.id}.` }
  const isPassing = (command: string): boolean => runs.has(command)
  if (task.checks.some(isPassing)) {
    return { verdict: "proven", message: `${task.id}: \`${task.checks.join("`, `")}\` passes.` }
  }
  const proven = linked.filter(({ item }) => item.verdict === "proven")
  const bad = proven.flatMap(({ index, item }) => {
    if (item.check !== undefined && isPassing(item.check)) return []
    const found = receipts.find((one) => one.task_id === task.id && one.item_index === index)
    return found?.status === "proven" || found?.status === "re_anchored"
      ? []
      : [`${task.id}: ${item.evidence ?? item.item} no longer holds. ${found?.reason ?? "Nobody looked."}`]
  })
  if (bad.length > 0) return { verdict: "stale", message: bad.join(" ") }
  return proven.length === 0
    ? { verdict: "unproven", message: `Nothing that task ${task.id} left shows it.` }
    : { verdict: "proven", message: `${task.id}: ${proven.map(({ item }) => item.evidence ?? item.item).join(", ")}.` }
}

const byOpinion = (seen: CriterionVerdict, opinion: Opinion, isTrusted: boolean): CriterionVerdict => {
  const { evidence, met, verifier } = opinion
  const said = evidence.trim() === "" ? "" : `: ${brief(evidence)}`
  const tell = (text: string): CriterionVerdict => ({ ...seen, by: "agent", message: `${seen.message} ${text}` })
  if (!met) return tell(`The verifier ${verifier} says that it is not met${said}`)
  if (!isTrusted) return tell(`The verifier ${verifier} says that it is met, which proves nothing${said}`)
  const why = unshown(opinion)
  return why === null
    ? { ...seen, verdict: "proven", by: "agent", message: `The verifier ${verifier} says so${said}` }
    : tell(`The verifier ${verifier} says that it is met, and ${why}${said}`)
}

const brief = (text: string): string => {
  const line = text.trim().replace(/\s+/g, " ")
  return line.length <= 300 ? line : `${line.slice(0, 299).toWellFormed()}…`
}

/** A command and something that it printed. */
const isRun = (evidence: string): boolean =>
  /^\s*\$ +\S.*\n+\s*\S/m.test(evidence) || /`[^`\n]*\S[^`\n]*`[^\n\p{L}\p{N}]*[\p{L}\p{N}]/u.test(evidence)

/** Why an opinion shows nothing; null: it shows code that is there, or a run. */
const unshown = ({ evidence, facts }: Opinion): string | null => {
  // what a command printed may name any place
  if (isRun(evidence)) return null
  const wrong = facts.find(({ outcome }) => outcome !== "ok")
  if (wrong !== undefined) return `what it cites does not hold (${wrong.evidence})`
  return facts.length > 0 ? null : "shows neither a run nor code"
}

/** The verdict of a requirement: met only when it has criteria and every one of them is proven. */
export const verdictOf = (criteria: ReadonlyArray<CriterionVerdict>): RequirementState["verdict"] => {
  const has = (verdict: CriterionVerdict["verdict"]) => criteria.some((one) => one.verdict === verdict)
  if (criteria.length === 0) return "unproven"
  return has("refuted") ? "refuted" : has("stale") ? "stale" : has("unproven") ? "unproven" : "proven"
}
