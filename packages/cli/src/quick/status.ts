/**
 * `proofline status`, without the kernel: it is asked often (prompts, hooks, editors) and answers from the summaries
 * beside the log.
 */

import * as Path from "node:path"
import type { AskedOfPerson, Problem, RunProof } from "@proofline/kernel"
import {
  isProven,
  proofFields,
  proofOfAll,
  rowItems,
  rowProof,
  rowVerdict,
  shownRowStatus
} from "@proofline/kernel/standing"
import { knownHeads } from "@proofline/plugins/adapters/run-heads/known"
import { explain } from "@proofline/plugins/adapters/sqlite-log/explain"
import { type RunOverview, runOverviews, SummariesDamaged } from "@proofline/plugins/adapters/sqlite-log/summary"
import { documentText } from "../base/Document.ts"
import { exitCodes } from "../base/exitCodes.ts"
import { type ProjectPaths, pathsOf, textIn, type Where } from "../base/paths.ts"
import type { StatusData } from "../documents/runs.ts"
import { permissionText, type Undecided, undecidedText } from "../render/asked.ts"
import { oneLine, styleFor } from "../render/style.ts"
import { summaryLine } from "../render/summaryLine.ts"
import { quickFlags } from "./quickFlags.ts"

export interface StatusOptions extends Where {
  readonly json: boolean
  readonly all: boolean
}

/** What a command that is done at once prints, and its exit code. */
export interface Answer {
  readonly exitCode: number
  readonly stream: "stdout" | "stderr"
  readonly text: string
}

/** Of `status`, for the file beside the project and flags that stand for themselves; null: the command line is to read it. */
export const statusOptions = (args: ReadonlyArray<string>): StatusOptions | null =>
  quickFlags("status", args, { json: "asked", all: "asked", cwd: "text", state: "text" })

/** The runs in progress, or the newest run when there is none; the task runs of a requirements run stand below it. */
export const shownRuns = (rows: ReadonlyArray<RunOverview>, all: boolean): ReadonlyArray<RunOverview> => {
  const running = rows.filter((row) => row.status === "running")
  const shown = all ? rows : running.length > 0 ? running : rows.filter(isWhole).slice(0, 1)
  const ids = new Set(shown.map(({ run_id }) => run_id))
  const isPart = ({ parent_run_id }: RunOverview) => parent_run_id !== null && ids.has(parent_run_id)
  return shown
    .filter((row) => !isPart(row))
    .flatMap((row) => [row, ...shown.filter(({ parent_run_id }) => parent_run_id === row.run_id)])
}

const isWhole = ({ parent_run_id }: RunOverview): boolean => parent_run_id === null

/** They as they are told; null: that takes the log, to show subtasks, or what a run has shown that goes on or ended without saying it. */
export const status = (options: StatusOptions): Answer | null => {
  const paths = pathsOf(options)
  let isNewer = false
  try {
    const rows = runOverviews(paths.database, () => {
      isNewer = true
    })
    if (isNewer) return null
    // a head that was kept says of runs that are gone
    if (rows.length === 0 && knownHeads({ root: paths.root, directory: paths.heads })?.([]) !== true) return null
    const runs = shownRuns(rows, options.all)
    // for what a task waits only the gates of plugins tell, and what has to be decided only the log
    const isAtWork = runs.some(({ status }) => status === "running")
    if ((isAtWork && namesPlugins(paths)) || (!options.all && endedLast(rows).some(mayBeUndecided))) return null
    const needsTree = (run: RunOverview) => hasSubtasks(run) && (options.json || run.status === "running")
    if (!options.all && runs.some(needsTree)) return null
    const proven = runs.flatMap((run): Proven | [] => {
      const proof = rowProof(run)
      return proof === null ? [] : { run, proof }
    })
    const isKnown = proven.length === runs.length
    if (!isKnown && (options.json || runs.some((run) => rowVerdict(run) === null))) return null
    return {
      exitCode: isKnown ? statusCode(proven) : exitCodes.unmet,
      stream: "stdout",
      text: options.json
        ? documentText("status", statusData(proven))
        : statusText(
            rows,
            runs.map((run) => `${statusLine(run, runs)}\n`),
            options.all
          )
    }
  } catch (cause) {
    // they are made anew of the events; and what a newer Proofline wrote is told with words
    if (isNewer || cause instanceof SummariesDamaged) return null
    const problem: Problem = explain(paths.database, cause)
    const exitCode = problem.code === "log_corrupt" ? exitCodes.integrity : exitCodes.unmet
    return options.json
      ? { exitCode, stream: "stdout", text: documentText("status", { problems: [problem] }) }
      : { exitCode, stream: "stderr", text: `error: ${problem.message} [${problem.code}]\n    ${problem.hint}\n` }
  }
}

/** Ended runs that are named below those that go on. */
const endedMax = 3

/** Those that ended last. */
export const endedLast = (rows: ReadonlyArray<RunOverview>): ReadonlyArray<RunOverview> =>
  rows.filter((row) => isWhole(row) && row.status !== "running").slice(0, endedMax)

/** Whether it can be that a person has to decide between changes: only what several did beside each other is put together. */
export const mayBeUndecided = (run: RunOverview): boolean =>
  hasSubtasks(run) && run.kind !== "session" && (run.status === "failed" || run.status === "incomplete")

/** Whether the project may have plugins, from a word of its configuration. */
const namesPlugins = ({ root }: ProjectPaths): boolean =>
  /^[^#\n]*\bplugins\b/m.test(textIn(Path.join(root, "proofline.yaml")) ?? "")

const askedText = ({ evidence, index, item, reason, task_id }: AskedOfPerson): ReadonlyArray<string> => [
  `    ${oneLine(task_id, 80)}, item ${index + 1}: ${oneLine(item, 200)}\n`,
  `      why: ${oneLine(reason, 400)}${evidence === null ? "" : ` (${oneLine(evidence, 200)})`}\n`
]

/** What runs now, given as the text of the runs that are shown, and what ended last. */
export const statusText = (
  rows: ReadonlyArray<RunOverview>,
  shown: ReadonlyArray<string>,
  all: boolean,
  undecided: ReadonlyArray<Undecided> = []
): string => {
  if (rows.length === 0) return "No run so far.\n"
  if (all) return shown.join("")
  const waiting = rows.filter(({ asked = [], permissions = [] }) => asked.length + permissions.length > 0)
  const isRunning = rows.some(({ status }) => status === "running")
  const ended = endedLast(rows)
  return [
    ...(waiting.length + undecided.length === 0 ? [] : ["Waits for you; `proofline answer` shows what is asked:\n"]),
    ...waiting.flatMap(({ asked = [], permissions = [], run_id }) => [
      `  ${run_id}\n`,
      ...permissions
        .flatMap((one) => permissionText(one, styleFor(false), permissions.length > 1))
        .map((line) => `  ${line}\n`),
      ...asked.flatMap(askedText)
    ]),
    ...undecided.flatMap((one) => [`  ${one.run_id}\n`, ...undecidedText(one).map((line) => `  ${line}\n`)]),
    ...(isRunning ? shown : ["Nothing runs now.\n"]),
    ...(ended.length === 0 ? [] : ["Ended last:\n", ...ended.map((row) => `${summaryLine(row)}\n`)])
  ].join("")
}

/** A run that is shown, with what it has shown. */
export interface Proven {
  readonly run: RunOverview
  readonly proof: RunProof
}

/**
 * `data` of `status`: every run that is shown, with what it has shown, and what those that are part of none have together;
 * and what has to be decided.
 */
export const statusData = (
  runs: ReadonlyArray<Proven>,
  more: (run: RunOverview) => object = () => ({}),
  undecided: ReadonlyArray<Undecided> = []
): StatusData => ({
  runs: runs.map(({ proof, run: { away: _away, proof: _proof, ...run } }) => ({
    ...run,
    status: shownRowStatus(run),
    ...rowItems(run),
    ...proofFields(proof),
    ...more(run)
  })),
  ...(undecided.length === 0 ? {} : { undecided }),
  ...(runs.length === 0 ? {} : proofFields(proofOfAll(proofsOfWholes(runs))))
})

/** 0 when everything that is required of the runs that are shown counts as done. */
export const statusCode = (runs: ReadonlyArray<Proven>): 0 | 1 => (isProven(proofOfAll(proofsOfWholes(runs))) ? 0 : 1)

/** What a part shows, the whole shows. */
const proofsOfWholes = (runs: ReadonlyArray<Proven>): ReadonlyArray<RunProof> =>
  runs.filter(({ run }) => !runs.some((one) => one.run.run_id === run.parent_run_id)).map(({ proof }) => proof)

export const hasSubtasks = ({ subtasks_total = 0 }: RunOverview): boolean => subtasks_total > 0

/** The run in one line, with who drives it; below the run it is a part of, where that one is among `runs`. */
export const statusLine = (run: RunOverview, runs: ReadonlyArray<RunOverview>, isShared = false): string => {
  const line = summaryLine(run)
  if (runs.some(({ run_id }) => run_id === run.parent_run_id)) return `  └── ${line}`
  // of one that is elsewhere the line says where
  if (run.status !== "running" || run.away != null) return line
  if (run.kind === "session") {
    return `${line}${run["phase"] === undefined ? "" : `; phase ${run["phase"]}`}; agents go on with: proofline mcp`
  }
  if (isShared) return `${line}; worked on by workers, see: proofline status --workers`
  return run.driver === null
    ? `${line}; driven by nobody, go on with: proofline resume ${run.parent_run_id ?? run.run_id}`
    : `${line}; driven by process ${run.driver.pid} on ${run.driver.host} since ${run.driver.since}`
}
