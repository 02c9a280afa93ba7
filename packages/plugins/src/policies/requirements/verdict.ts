import {
  allowedWaivers,
  type CheckRun,
  checkEnding,
  defaultProof,
  failedChecks,
  hasPassed,
  isFailedInWords,
  isLineReceipt,
  isShown,
  type ProofConfig,
  userCommandProof
} from "@proofline/kernel"
import { criterionChecks } from "../escrow/contract.ts"
import { isOneOf, namedFiles } from "../evidence/contract.ts"
import type { LoopCheck, ReceiptCheck } from "./contents.ts"
import type {
  AcceptanceCriterion,
  CompletedTask,
  CriterionVerdict,
  ItemOutcome,
  Opinion,
  Requirement
} from "./definition.ts"
import { gateOf } from "./gate.ts"
import type { WantedCommand } from "./inputs.ts"
import { type Loop, type PlannedTask, type RequirementState, runKey } from "./state.ts"

/** What the machine has seen: commands that were run now, and whether what tasks have shown is still there. */
export interface Facts {
  readonly runs: ReadonlyMap<string, LoopCheck>
  readonly receipts: ReadonlyArray<ReceiptCheck>
}

export const factsOf = ({ runs, stage }: Loop): Facts => ({
  runs,
  receipts: stage._tag === "Verifying" ? (stage.facts?.receipts ?? []) : []
})

/** The lines an agent's opinion rests on are looked up like those of an item, under this name. */
export const opinionTask = "(opinion)"

/** A receipt that has to be looked up to verify a requirement. */
export interface Wanted {
  readonly task_id: string
  readonly item_index: number
}

interface ToLookAt {
  readonly commands: ReadonlyArray<WantedCommand>
  readonly receipts: ReadonlyArray<Wanted>
}

/** Every command and every receipt on which the verdict of a requirement rests, as far as it is known by now. */
const wantedFor = (loop: Loop, requirement: Requirement): ToLookAt => {
  const commands = new Map<string, WantedCommand>()
  const want = (command: WantedCommand) => commands.set(runKey(command), command)
  const receipts = new Map<string, Wanted>()
  for (const criterion of requirement.acceptance_criteria) {
    const checks = checksOf(loop, requirement, criterion)
    for (const check of checks) want(ofCriterion(check))
    if (!checks.every((check) => leavesItToTasks(loop, check))) continue
    for (const linked of setsOf(loop, requirement.id, criterion).flatMap((set) => set.completed)) {
      for (const command of commandsOf(linked)) want(command)
      for (const { index, item } of linked.items) {
        if (item.receipt !== null)
          receipts.set(`${index} ${linked.task.id}`, { task_id: linked.task.id, item_index: index })
      }
    }
  }
  const opinion = loop.requirements.get(requirement.id)?.opinion ?? null
  opinion?.facts.forEach(({ receipt }, index) => {
    if (receipt !== null) receipts.set(`${index} ${opinionTask}`, { task_id: opinionTask, item_index: index })
  })
  return { commands: [...commands.values()], receipts: [...receipts.values()] }
}

/** Passing, a check shows nothing by itself. One that failed before the work may, and is run first. */
const leavesItToTasks = (loop: Loop, check: string): boolean => {
  if (beforeOf(loop, check)?.outcome !== "red") return true
  const run = loop.runs.get(runKey(ofCriterion(check)))
  return run !== undefined && hasPassed(run) && !isProofEnough(loop, weaknessOf(loop, run))
}

/** Why a check of the user that passes may show nothing. */
const weaknessOf = (loop: Loop, run: LoopCheck) => userCommandProof(beforeOf(loop, run.command), run)

/** The user takes a check for a proof, whatever speaks against it. */
const isProofEnough = (loop: Loop, weak: ReturnType<typeof weaknessOf>): boolean =>
  weak.every((one) => rulesOf(loop).accept.includes(one))

/** What nobody has looked at in this round; null: nothing is left. Tasks are looked at once a check has shown nothing by itself. */
export const missingFor = (loop: Loop, requirement: Requirement): ToLookAt | null => {
  const wanted = wantedFor(loop, requirement)
  const seen = factsOf(loop).receipts
  const isSeen = ({ item_index, task_id }: Wanted): boolean =>
    seen.some((one) => one.task_id === task_id && one.item_index === item_index)
  const commands = wanted.commands.filter((command) => !loop.runs.has(runKey(command)))
  const receipts = wanted.receipts.filter((one) => !isSeen(one))
  const isFirst = loop.stage._tag !== "Verifying" || loop.stage.facts === null
  return isFirst || commands.length + receipts.length > 0 ? { commands, receipts } : null
}

/** All that decides about a criterion by itself: its own check, and those that agents do not see. */
const checksOf = (loop: Loop, { id }: Requirement, criterion: AcceptanceCriterion): ReadonlyArray<string> => [
  ...(criterion.check === null ? [] : [criterion.check]),
  ...criterionChecks(loop.config, id, criterion.id).map(({ command }) => command)
]

const ofCriterion = (command: string): WantedCommand => ({ command, task_id: null, attempt: 0 })

/** One that asks for the task's environment is run for each task; any other once for all that name it. */
const ofTask = (command: string, { attempts, id }: CompletedTask): WantedCommand =>
  /PROOFLINE_(?:TASK_ID|ATTEMPT)/.test(command) ? { command, task_id: id, attempt: attempts } : ofCriterion(command)

/** A completed task as far as it shows one criterion. */
interface Linked {
  readonly task: CompletedTask
  /** The criterion is the whole task's, and not only some item's. */
  readonly isOfTask: boolean
  readonly items: ReadonlyArray<{ readonly index: number; readonly item: ItemOutcome }>
}

const commandsOf = ({ isOfTask, items, task }: Linked): ReadonlyArray<WantedCommand> =>
  [...(isOfTask ? task.checks : []), ...items.flatMap(({ item }) => item.check ?? [])].map((command) =>
    ofTask(command, task)
  )

/** The tasks that one iteration has planned for a criterion. */
interface PlannedSet {
  readonly planned: ReadonlyArray<PlannedTask>
  readonly completed: ReadonlyArray<Linked>
}

/** The ids that a criterion had when a task was planned for it; empty: it was not planned for it. */
export const coveredIds = (
  { covers }: Pick<PlannedTask, "covers">,
  requirement: string,
  { criterion }: Pick<AcceptanceCriterion, "criterion">
): ReadonlyArray<string> =>
  covers.flatMap((one) =>
    one.requirement_id === requirement && one.criterion.trim() === criterion.trim() ? [one.id] : []
  )

/** By iteration, the newest first. A criterion is known by its words: its number may have moved. */
const setsOf = (loop: Loop, requirement: string, criterion: AcceptanceCriterion): ReadonlyArray<PlannedSet> => {
  const byIteration = new Map<number, { planned: Array<PlannedTask>; completed: Array<Linked> }>()
  for (const task of loop.planned) {
    const ids = coveredIds(task, requirement, criterion)
    if (ids.length === 0) continue
    const set = byIteration.get(task.iteration) ?? { planned: [], completed: [] }
    byIteration.set(task.iteration, set)
    set.planned.push(task)
    const completed = loop.completed.find(({ id }) => id === task.id)
    if (completed !== undefined) set.completed.push(linkedOf(completed, ids))
  }
  return [...byIteration].sort(([a], [b]) => b - a).map(([, set]) => set)
}

/** The items of a task that show a criterion, whose ids these are: those that name it, else those that name none. */
export const linkedItems = <Item extends Pick<ItemOutcome, "covers">>(
  all: ReadonlyArray<Item>,
  ids: ReadonlyArray<string>
): ReadonlyArray<{ readonly index: number; readonly item: Item }> => {
  const items = all.map((item, index) => ({ index, item }))
  const naming = items.filter(({ item }) => item.covers?.some((one) => ids.includes(one)))
  return naming.length > 0 ? naming : items.filter(({ item }) => item.covers === undefined)
}

const linkedOf = (task: CompletedTask, ids: ReadonlyArray<string>): Linked => ({
  task,
  isOfTask: task.covers.some((one) => ids.includes(one)),
  items: linkedItems(task.items, ids)
})

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
): ReadonlyArray<CriterionVerdict> => {
  const why = opinion === null ? null : unshown(opinion, loop.requirements_path)
  return requirement.acceptance_criteria.map((criterion) => {
    const checks = checksOf(loop, requirement, criterion)
    const seen =
      checks.length === 0
        ? byTasks(loop, requirement.id, criterion, facts)
        : byChecks(loop, requirement, criterion, checks, facts)
    if (opinion === null || checks.some((check) => isUnseen(facts, check))) return seen
    if (seen.verdict === "unproven") return byOpinion(seen, opinion, why, isTrusted)
    // a verifier that has looked is not overruled by those who did the work
    return !opinion.met && isShownByTasks(seen)
      ? { ...byOpinion(seen, opinion, why, isTrusted), verdict: "unproven", tasks: [] }
      : seen
  })
}

/** It is shown by what tasks have left, and by no check of the user. */
export const isShownByTasks = ({ by, verdict }: CriterionVerdict): boolean => verdict === "proven" && by === "tasks"

/** Whether a command of a task proves something when it passes: not one that an agent wrote, unless the user wrote it too. */
const provingIn = ({ definition, proof }: Loop, { commands_by }: CompletedTask): ((command: string) => boolean) => {
  if (commands_by !== "agent") return () => true
  const ofFile = (definition?.requirements ?? []).flatMap(({ acceptance_criteria }) =>
    acceptance_criteria.flatMap(({ check }) => check ?? [])
  )
  const ofUser = new Set([...proof.user_commands, ...ofFile].map((command) => command.trim()))
  return (command) => ofUser.has(command.trim())
}

/** A check that agents do not see could not be run: no opinion takes its place. */
const isUnseen = ({ runs }: Facts, command: string): boolean =>
  runs.get(runKey(ofCriterion(command)))?.not_run !== undefined

/** All of them must pass, and one that shows it is enough. */
const byChecks = (
  loop: Loop,
  requirement: Requirement,
  criterion: AcceptanceCriterion,
  checks: ReadonlyArray<string>,
  facts: Facts
): CriterionVerdict => {
  const seen = checks.map((command) => ({ command, ...byCheck(loop, requirement, criterion, command, facts) }))
  const decisive =
    seen.find(({ verdict }) => verdict === "refuted") ??
    seen.find(({ command }) => isUnseen(facts, command) || !facts.runs.has(runKey(ofCriterion(command)))) ??
    seen.find(({ verdict }) => verdict === "proven") ??
    seen.find(({ verdict }) => verdict === "waived") ??
    seen[0]
  if (decisive === undefined) return byTasks(loop, requirement.id, criterion, facts)
  const { command: _, ...verdict } = decisive
  return verdict
}

/** The check of the user decides, where it could have failed; one that passed before the work as well leaves it to tasks. */
const byCheck = (
  loop: Loop,
  requirement: Requirement,
  criterion: AcceptanceCriterion,
  command: string,
  facts: Facts
): CriterionVerdict => {
  const { id } = criterion
  const run = facts.runs.get(runKey(ofCriterion(command)))
  if (run === undefined) return { id, verdict: "unproven", by: null, tasks: [], message: `\`${command}\` was not run.` }
  if (run.not_run !== undefined)
    return { id, verdict: "unproven", by: null, tasks: [], message: failedChecks([run], []) }
  if (!hasPassed(run)) return { id, verdict: "refuted", by: "check", tasks: [], message: failing(run) }
  const passes = `\`${command}\` passes.`
  const proven = { id, verdict: "proven", by: "check", tasks: [], message: passes } as const
  const weak = weaknessOf(loop, run)
  const [reason] = weak
  if (reason === undefined) return proven
  if (isProofEnough(loop, weak)) return { ...proven, weak }
  const shown = byTasks(loop, requirement.id, criterion, facts)
  if (shown.verdict === "proven") return { ...shown, message: `${passes} ${shown.message}` }
  const message = `${passes} ${checkTexts[reason]}`
  return wasTrue(loop, requirement, command)
    ? { id, verdict: "waived", by: "check", tasks: [], weak, message }
    : {
        id,
        verdict: "unproven",
        by: null,
        tasks: [],
        weak,
        message: `${message} Evidence of tasks has to show it. ${shown.message}`
      }
}

const checkTexts = {
  was_green: "It is not known to have failed before the work, so it shows nothing by itself.",
  agents_check: "What it runs was written in this run, so it shows nothing by itself.",
  check_changed: "Files that it rests on were changed in this run, so it shows nothing by itself."
} as const

const rulesOf = ({ config }: Loop): ProofConfig => config?.proof ?? defaultProof

/** Of a check that was replaced by another of its name nothing is known. */
const beforeOf = ({ base_checks, config }: Loop, command: string) =>
  base_checks.find(
    (check) =>
      check.command === command && (check.escrow === undefined || check.escrow.sha256 === config?.proof.escrow?.sha256)
  )

const isGreenBefore = (loop: Loop, command: string): boolean => beforeOf(loop, command)?.outcome === "green"

/**
 * It was true before the work and may be left at that: of what gates the run as many may as items of a task may be left
 * out, and never all of it.
 */
const wasTrue = (loop: Loop, requirement: Requirement, command: string): boolean => {
  const rules = rulesOf(loop)
  if (loop.definition === null || !isGreenBefore(loop, command)) return false
  const gate = gateOf(loop.definition)
  if (!gate.includes(requirement)) return true
  const all = gate.flatMap(({ acceptance_criteria }) => acceptance_criteria)
  const count = gate.reduce(
    (sum, one) =>
      sum +
      one.acceptance_criteria.filter((criterion) =>
        checksOf(loop, one, criterion).some((check) => isGreenBefore(loop, check))
      ).length,
    0
  )
  return count < all.length && count <= allowedWaivers(all.length, rules)
}

const failing = (run: CheckRun): string =>
  isFailedInWords(run) ? failedChecks([run], []) : `\`${run.command}\` ${checkEnding(run)}.`

/** The newest tasks decide; where they left nothing, those of before may still show it. */
const byTasks = (loop: Loop, requirement: string, criterion: AcceptanceCriterion, facts: Facts): CriterionVerdict => {
  const { id } = criterion
  const sets = setsOf(loop, requirement, criterion).map((set) => bySet(loop, criterion, set, facts))
  return (
    sets.find(({ verdict }) => verdict !== "unproven") ??
    sets[0] ?? { id, verdict: "unproven", by: null, tasks: [], message: "No task covers it." }
  )
}

/** What the tasks of one iteration have shown of a criterion, all of them together. */
const bySet = (
  loop: Loop,
  { criterion, id }: AcceptanceCriterion,
  { completed, planned }: PlannedSet,
  facts: Facts
): CriterionVerdict => {
  const seen = completed.map((linked) => ({ task: linked.task, ...shownBy(loop, linked, facts) }))
  const decided = (verdict: "refuted" | "stale"): CriterionVerdict | undefined => {
    const one = seen.find((shown) => shown.verdict === verdict)
    return one && { id, verdict, by: "tasks", tasks: [one.task.id], message: one.message }
  }
  const unproven = (message: string): CriterionVerdict => ({ id, verdict: "unproven", by: null, tasks: [], message })
  const bad = decided("refuted") ?? decided("stale")
  const [waived] = seen.filter(({ verdict }) => verdict === "waived")
  if (bad !== undefined) return bad
  const open = planned.filter((task) => !completed.some((one) => one.task.id === task.id)).map((task) => task.id)
  if (open.length > 0) return unproven(`Not completed: ${open.join(", ")}.`)
  const proving = seen.filter(({ verdict }) => verdict === "proven")
  // one that leaves something out leaves the criterion open, whatever the others show
  const left = seen.find(({ isLeftOut }) => isLeftOut)
  if (left !== undefined) return unproven(left.message)
  if (proving.length === 0 && waived !== undefined && seen.every(({ verdict }) => verdict === "waived")) {
    return { id, verdict: "waived", by: "tasks", tasks: [waived.task.id], message: waived.message }
  }
  const missed = elsewhere(criterion, proving)
  if (missed.length > 0) {
    const where = proving.map(({ message }) => message).join(" ")
    return unproven(`It names ${missed.join(", ")}, and nothing that was shown for it is there. ${where}`)
  }
  return proving.length === 0
    ? unproven(
        seen.length === 0
          ? `Nothing that ${planned.map((task) => `task ${task.id}`).join(", ")} left shows it.`
          : seen.map(({ message }) => message).join(" ")
      )
    : {
        id,
        verdict: "proven",
        by: "tasks",
        tasks: proving.map(({ task }) => task.id),
        message: proving.map(({ message }) => message).join(" ")
      }
}

/** Files in which a criterion says that it is met, where none of what was shown lies: who plans items chooses their words. */
const elsewhere = (criterion: string, proving: ReadonlyArray<Pick<Shown, "paths">>): ReadonlyArray<string> => {
  const names = namedFiles(criterion).flatMap(({ certain, mayGo, name }) => (certain && !mayGo ? [name] : []))
  const isThere = proving.some(({ paths }) => paths === null || paths.some((path) => isOneOf(path, names)))
  return isThere ? [] : names
}

interface Shown {
  /** `waived`: a person wants nothing of it. */
  readonly verdict: "proven" | "refuted" | "stale" | "unproven" | "waived"
  /** An item that belongs to the criterion was not done. */
  readonly isLeftOut: boolean
  readonly message: string
  /** Where what shows it lies; null: a command of the user shows it, or what says nothing of a file, wherever it is. */
  readonly paths: ReadonlyArray<string> | null
}

/** What a completed task has shown of a criterion, as it is now: all of it has to hold. */
const shownBy = (loop: Loop, linked: Linked, { receipts, runs }: Facts): Shown => {
  const { isOfTask, items, task } = linked
  const shown = (verdict: Shown["verdict"], message: string, more: Partial<Shown> = {}): Shown => ({
    verdict,
    isLeftOut: false,
    message,
    paths: [],
    ...more
  })
  const runOf = (command: string) => runs.get(runKey(ofTask(command, task)))
  const isProof = provingIn(loop, task)
  for (const { command } of commandsOf(linked)) {
    const run = runOf(command)
    if (run === undefined) return shown("unproven", `\`${command}\` of task ${task.id} was not run.`)
    if (!hasPassed(run)) return shown("refuted", `${failing(run)} It passed for task ${task.id}.`)
  }
  const byPerson = items.filter(({ item }) => item.waived_by === "person")
  const skipped = items.find(({ item }) => !isShown(item.verdict) && item.waived_by === undefined)
  const lost = items.flatMap(({ index, item }) => {
    if (!isShown(item.verdict) || (item.check !== undefined && isProof(item.check))) return []
    const found = receipts.find((one) => one.task_id === task.id && one.item_index === index)
    return found?.status === "proven" || found?.status === "re_anchored"
      ? []
      : [`${task.id}: ${item.evidence ?? item.item} no longer holds. ${found?.reason ?? "Nobody looked."}`]
  })
  if (lost.length > 0) return shown("stale", lost.join(" "))
  if (skipped !== undefined) {
    const { item, reason } = skipped.item
    return shown("unproven", `Task ${task.id} left out "${item}"${reason === null ? "." : `: ${reason}`}`, {
      isLeftOut: true
    })
  }
  const places = items
    .filter(({ item }) => item.waived_by === undefined)
    .map(
      ({ item }) =>
        `${item.evidence ?? item.item}${item.weak.length === 0 ? "" : ` (weak: ${item.weak.map((one) => one.reason).join(", ")})`}`
    )
  const checks = isOfTask ? task.checks : []
  const proving = checks.filter(isProof)
  const isChecked = items.some(({ item }) => item.check !== undefined && isProof(item.check))
  const commands = proving.length > 0 ? [`\`${proving.join("`, `")}\` passes`] : []
  const [waived] = byPerson
  if (waived !== undefined && places.length === 0 && checks.length === 0) {
    return shown("waived", `A person has waived it in task ${task.id}: ${waived.item.reason ?? waived.item.item}`)
  }
  return places.length + commands.length === 0
    ? shown("unproven", nothingLeft(task, checks))
    : shown("proven", `${task.id}: ${[...places, ...commands].join(", ")}.`, {
        paths: commands.length > 0 || isChecked ? null : pathsOf(items.map(({ item }) => item.receipt))
      })
}

/** Null: one of them speaks of no file. */
const pathsOf = (receipts: ReadonlyArray<ItemOutcome["receipt"]>): ReadonlyArray<string> | null => {
  const paths = receipts.map((receipt) => {
    if (receipt === null) return []
    return isLineReceipt(receipt)
      ? [receipt.path]
      : receipt.scheme === "file" || receipt.scheme === "absent"
        ? [receipt.reference]
        : null
  })
  return paths.includes(null) ? null : paths.flatMap((found) => found ?? [])
}

const nothingLeft = ({ id }: CompletedTask, checks: ReadonlyArray<string>): string =>
  checks.length === 0
    ? `Nothing that task ${id} left shows it.`
    : `Only commands that an agent wrote show it, which proves nothing: \`${checks.join("`, `")}\` of task ${id}.`

const byOpinion = (
  seen: CriterionVerdict,
  { evidence, met, verifier }: Opinion,
  why: string | null,
  isTrusted: boolean
): CriterionVerdict => {
  const said = evidence.trim() === "" ? "" : `: ${brief(evidence)}`
  const tell = (text: string): CriterionVerdict => ({ ...seen, by: "agent", message: `${seen.message} ${text}` })
  if (!met) return tell(`The verifier ${verifier} says that it is not met${said}`)
  if (!isTrusted) return tell(`The verifier ${verifier} says that it is met, which proves nothing${said}`)
  return why === null
    ? { ...seen, verdict: "proven", by: "agent", message: `The verifier ${verifier} says so${said}` }
    : tell(`The verifier ${verifier} says that it is met, and ${why}${said}`)
}

const brief = (text: string): string => {
  const line = text.slice(0, 2_000).trim().replace(/\s+/g, " ")
  return line.length <= 300 ? line : `${line.slice(0, 299).toWellFormed()}…`
}

/** A command with its arguments in backticks, a colon, and something that it printed. */
const runInLine = /`[^`\n]{1,500}`[^`\n]{0,20}: *\S/

/**
 * What evidence claims by itself, and whether it shows a run: a command after `$` and the lines that it printed, up to the
 * next blank one, or a command in backticks with what it printed behind a colon. What a command printed may name any place.
 */
const readEvidence = (evidence: string): { readonly claims: string; readonly hasRun: boolean } => {
  const claims: Array<string> = []
  let hasRun = false
  let printed: "nothing" | "none so far" | "something" = "nothing"
  for (const line of evidence.split("\n")) {
    if (/^\s*\$ +\S/.test(line)) printed = "none so far"
    else if (line.trim() === "") printed = "nothing"
    else if (printed === "nothing") claims.push(line)
    else {
      printed = "something"
      hasRun = true
    }
  }
  const inLine = claims.filter((line) => isCommandLine(line))
  return { claims: claims.filter((line) => !inLine.includes(line)).join("\n"), hasRun: hasRun || inLine.length > 0 }
}

/** `src/a.ts:12` in backticks is a place, not a command: a command has arguments, or is a path to be run. */
const isCommandLine = (line: string): boolean => {
  const command = runInLine.exec(line.slice(0, 2_000))?.[0].split("`")[1] ?? ""
  return /^\S+ +\S/.test(command.trim()) || command.trim().startsWith("./")
}

/** Why an opinion shows nothing; null: it shows code that is there, or a run, and nothing that it cites is missing. */
const unshown = ({ evidence, facts }: Opinion, requirements_path: string): string | null => {
  const { claims, hasRun } = readEvidence(evidence)
  const cited = facts.filter((fact) => !hasRun || claims.includes(fact.evidence))
  const wrong = cited.find(({ outcome }) => outcome !== "ok")
  if (wrong !== undefined) return `what it cites does not hold (${wrong.evidence})`
  // what is required is no proof that it is there
  const code = cited.filter(({ path }) => path !== requirements_path)
  return hasRun || code.length > 0 ? null : "shows neither a run nor code"
}

/** The verdict of a requirement: met only when it has criteria and every one of them is proven, or was true before. */
export const verdictOf = (criteria: ReadonlyArray<CriterionVerdict>): RequirementState["verdict"] => {
  const has = (verdict: CriterionVerdict["verdict"]) => criteria.some((one) => one.verdict === verdict)
  if (criteria.length === 0) return "unproven"
  const worst = (["refuted", "stale", "unproven", "proven"] as const).find(has)
  return worst ?? "waived"
}
