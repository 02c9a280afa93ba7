/** Where the session run of a project stands, for those who tell its agents: the Stop hook, and what `prime` prints. */
import { existsSync } from "node:fs"
import * as Path from "node:path"
import {
  asItStands,
  checkEnding,
  composePlugins,
  EventLog,
  emptySnapshot,
  failedChecks,
  hasPassed,
  isClosed,
  isFailedInWords,
  isOver,
  makeFold,
  makeManifest,
  type TaskState,
  tasksOf
} from "@proofline/kernel"
import { explain, primaryCode } from "@proofline/plugins/adapters/sqlite-log/explain"
import { runOverviews, SummariesDamaged } from "@proofline/plugins/adapters/sqlite-log/summary"
import {
  assignmentOf,
  assignmentStatusOf,
  isAtEnd,
  isEndAwaited,
  missingIn,
  type PhasesState,
  phaseOf,
  repairAtEnd
} from "@proofline/plugins/policies/sessions"
import { sessionsRules } from "@proofline/plugins/policies/sessions/rules"
import { Effect, Stream } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { type State, stateOf } from "../project/state.ts"
import { readRows } from "../reading/rows.ts"
import { oneLine, withEnd } from "../render/style.ts"

/** The nearest directory, from one on upwards, that has one of these; null: none. */
export const upTo = (directory: string, names: ReadonlyArray<string> = [".proofline"]): string | null => {
  for (let at = Path.resolve(directory); ; at = Path.dirname(at)) {
    if (names.some((name) => existsSync(Path.join(at, name)))) return at
    if (at === Path.dirname(at)) return null
  }
}

const locked = { code: "log_locked", hint: "Another process keeps it locked; see `proofline status`." }
const notForUs = { code: "log_unreadable", hint: "Make it and its directory readable and writable for you." }

/** By SQLite's codes: BUSY, LOCKED; PERM, READONLY, CANTOPEN, AUTH. */
const sqliteFaults: Readonly<Record<number, { readonly code: string; readonly hint: string }>> = {
  5: locked,
  6: locked,
  3: notForUs,
  8: notForUs,
  14: notForUs,
  23: notForUs
}

/** The newest session run that goes on; undefined: there is none. */
export const goingOn = (paths: ProjectPaths) =>
  Effect.map(
    paths.databaseUrl === undefined ? rowsOfFile(paths) : readRows(paths),
    (rows) => rows.find(({ kind, status }) => kind === "session" && status === "running")?.run_id
  )

const rowsOfFile = (paths: ProjectPaths) =>
  Effect.try({ try: () => runOverviews(paths.database), catch: (cause) => cause }).pipe(
    Effect.catch((cause) => {
      if (cause instanceof SummariesDamaged) return readRows(paths)
      const fault = sqliteFaults[primaryCode(cause) ?? 0]
      const message = `The event log ${paths.database} cannot be read: ${(cause as Error).message}.`
      return stop(exitCodes.unmet, fault === undefined ? explain(paths.database, cause) : { ...fault, message })
    })
  )

/**
 * The run folded by the rules of session runs alone: what plugins add to a session run is in its contract, and none of their code
 * is needed to see where it stands. null: there is nothing of it.
 */
export const readSession = Effect.fnUntraced(function* (run: string) {
  const log = yield* EventLog
  const alone = composePlugins([sessionsRules])
  const manifest = makeManifest(alone)
  const fold = makeFold(alone, emptySnapshot(alone))
  let position = 0
  yield* log.read(run).pipe(
    Stream.runForEachArray((page) =>
      Effect.sync(() => {
        for (const event of page) {
          position = event.position
          if (manifest.types.has(event.event_type)) fold.add(manifest.decode(event, fold.now))
        }
      })
    )
  )
  const state = stateOf(fold.end())
  return state.run.status === "none" ? null : { state, position }
})

/** Where the run stands, in a sentence. */
export const whereOf = (state: State, phases: PhasesState): string => {
  const phase = oneLine(phases.phase, 60)
  if (phases.verifying !== null)
    return `The commands that verify ${phase} are running; get_next_action tells how they end.`
  if (isEndAwaited(state))
    return "What was accepted is judged again before the run ends; get_next_action tells how that ends."
  if (isAtEnd(phases)) {
    const missing = missingIn(state).length
    return `Phase ${phase} is the last, and ${missing === 1 ? "one thing is" : `${missing} things are`} not shown. ${repairAtEnd(state)}`
  }
  if (phaseOf(phases, phases.phase)?.kind !== "tasks")
    return `Phase ${phase} is still to be handed in, with submit_phase.`
  const tasks = tasksOf(state)
  const open = tasks.filter((task) => !isOver(task)).length
  return open === 0
    ? `In phase ${phase} the work was sent back, and what is still to be done is to be planned.`
    : `In phase ${phase}, ${open} of ${tasks.length} ${tasks.length === 1 ? "task is" : "tasks are"} open.`
}

export const refusalLines = ({ failures, phase }: PhasesState): ReadonlyArray<string> =>
  failures.length === 0
    ? []
    : [
        `What was handed in last for ${oneLine(phase, 60)} was refused:`,
        ...failures.slice(0, 5).map(({ message }) => `- ${withEnd(message, 400)}`)
      ]

export const verificationLines = ({ verification }: PhasesState): ReadonlyArray<string> =>
  verification === null || verification.passed
    ? []
    : verification.checks
        .filter((check) => !hasPassed(check))
        .slice(0, 3)
        .flatMap((check) => [
          `The last verification failed: ${isFailedInWords(check) ? withEnd(failedChecks([check], []), 500) : `\`${oneLine(check.command, 120)}\` ${checkEnding(check)}:`}`,
          ...check.output_tail
            .trimEnd()
            .split("\n")
            .slice(-6)
            .map((line) => `    ${oneLine(line, 160)}`)
        ])

/** What else than open tasks keeps a run from being completed that is at the end of its phases; empty before that. */
export const missingLines = (state: State, phases: PhasesState): ReadonlyArray<string> => {
  if (!isAtEnd(phases)) return []
  const missing = missingIn(state).filter(({ reason }) => reason !== "open")
  return missing.length === 0
    ? []
    : [
        "Not shown:",
        ...missing.map(({ command, item, message, next_step, task_id }) => {
          const subject = [task_id, item ?? command]
            .filter((part) => part !== undefined)
            .map((part) => oneLine(part, 160))
          return `- ${[subject.join(", "), withEnd(message, 200)].filter((part) => part !== "").join(": ")} ${next_step}`
        })
      ]
}

/** A task with the items of it that are not shown, and why its last report was refused. */
export const linesOfTask = (state: State, task: TaskState): ReadonlyArray<string> => {
  const { current, items, spec, status } = task
  const why = oneLine(assignmentOf(state, task)?.reason ?? "", 120)
  const failures = status === "retrying" ? (current?.failures ?? []) : []
  return [
    `- ${oneLine(spec.id, 60)}: ${oneLine(spec.title, 120)} (${assignmentStatusOf(asItStands(state.run, task))}${why === "" ? "" : `: ${why}`})`,
    ...items.filter(({ verdict }) => !isClosed(verdict)).map(({ item }) => `  - [ ] ${oneLine(item, 160)}`),
    ...failures.slice(0, 3).map(({ message }) => `  refused: ${withEnd(message, 400)}`)
  ]
}
