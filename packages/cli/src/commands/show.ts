import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as treeSitter } from "@proofline/plugins/adapters/tree-sitter"
import type { ReportView } from "@proofline/plugins/frontends/http/api"
import { Effect, Layer } from "effect"
import type { reportFormats, showFormats } from "../base/choices.ts"
import { documentText } from "../base/Document.ts"
import { formatOf } from "../base/format.ts"
import { type ProjectPaths, pathsOf, placeNamed } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { taskUnknown } from "../base/selection.ts"
import { version } from "../base/version.ts"
import { writeWhole } from "../base/writeWhole.ts"
import { reportDocument, showDocument } from "../documents/proof.ts"
import { commandFor, print, say } from "../process/output.ts"
import { withKernel } from "../project/withKernel.ts"
import { tellNotComing } from "../reading/notHome.ts"
import { leftNote } from "../reading/rows.ts"
import { type Records, recordsOf, traced } from "../reading/trace.ts"
import { folding, follow, type Whole, watchedOf, wholeTree } from "../reading/wholeRun.ts"
import { type RunChoice, withRunToRead } from "../reading/withRun.ts"
import { makeRefusals } from "../render/refusals.ts"
import { showText } from "../render/show.ts"
import { styleFor, wantsColor } from "../render/style.ts"
import { traceabilityHtml } from "../render/traceabilityHtml.ts"
import { traceabilityMarkdown, traceabilityText } from "../render/traceabilityText.ts"

interface Written extends RunChoice {
  readonly out?: string | undefined
  /** The same as the format `json`. */
  readonly json: boolean
}

export interface ShowOptions extends Written {
  readonly format?: (typeof showFormats)[number] | undefined
  readonly follow: boolean
  /** Only this task, with its subtasks. */
  readonly task?: string | undefined
}

export interface ReportOptions extends Written {
  readonly format?: (typeof reportFormats)[number] | undefined
}

/**
 * `proofline show [run]`: all there is to know of a run. No command and no agent is run. Exits with 0 when all that is
 * required is proven and still holds.
 */
export const show = (options: ShowOptions) =>
  withRunToRead(options, (run, paths, none) =>
    withKernel(
      paths,
      {},
      Effect.gen(function* () {
        const format = yield* formatOf(options, "text")
        if (options.follow && (format === "html" || format === "markdown" || options.out !== undefined)) {
          return yield* stop(exitCodes.usage, {
            code: "show_choice",
            message: "--follow draws the run on the terminal, or as JSON lines.",
            hint: "Leave --out and the other formats out, and write the run when it has ended."
          })
        }
        const left = options.json || format === "json" ? null : yield* leftNote(run, paths)
        if (left !== null) yield* say(left)
        if (options.follow) {
          yield* follow(run, paths, none, format === "json")
          if (format === "json") return exitCodes.proven
          yield* print("\n")
          yield* tellNotComing(run, paths)
        }
        const refusals = makeRefusals()
        const folds = yield* folding
        const records = yield* recordsOf(run, paths, (event) => {
          refusals.add(event)
          folds.add(event)
        })
        const trace = yield* ofTask(yield* traceOf(records, paths), options.task)
        return yield* write(trace, options, (isTerminal) =>
          format === "text" || format === "json"
            ? wholeText({ ...records, refusals, whole: folds.wholeOf(run) }, trace, paths, format, isTerminal)
            : traceText(trace, format, isTerminal)
        )
      })
    )
  )

/** `proofline report [run]`: of what `show` shows, what stands behind the run. */
export const report = (options: ReportOptions) =>
  withRunToRead(options, (run, paths) =>
    withKernel(
      paths,
      {},
      Effect.gen(function* () {
        const format = yield* formatOf(options, "terminal")
        const trace = yield* traceOf(yield* recordsOf(run, paths), paths)
        return yield* write(trace, options, (isTerminal) => traceText(trace, format, isTerminal))
      })
    )
  )

const traceOf = (records: Records, paths: ProjectPaths) =>
  Effect.provide(traced(records, paths), Layer.merge(nodeDigest, treeSitter()))

/** Only what belongs to a task. */
const ofTask = Effect.fnUntraced(function* (trace: ReportView, task: string | undefined) {
  if (task === undefined) return trace
  const tasks = trace.tasks.filter(({ parent_task_id, task_id }) => task_id === task || parent_task_id === task)
  if (tasks.length === 0) {
    const ids = [...new Set(trace.tasks.map(({ task_id }) => task_id))]
    return yield* stop(exitCodes.usage, taskUnknown(task, ids, trace.run_id))
  }
  const only: ReportView = { ...trace, requirements: [], tasks }
  return only
})

const write = Effect.fnUntraced(function* (
  { proven }: ReportView,
  options: Written,
  text: (isTerminal: boolean) => string
) {
  if (options.out === undefined) yield* print(text(true))
  else {
    const out = placeNamed(options.out, pathsOf(options))
    yield* writeWhole(out, text(false))
    yield* say(`${out}: ${proven ? "everything required is proven" : "not everything required is proven"}.`)
  }
  return proven ? exitCodes.proven : exitCodes.unmet
})

const traceText = (trace: ReportView, format: (typeof reportFormats)[number], isTerminal: boolean): string => {
  switch (format) {
    case "json":
      return documentText(reportDocument.kinds[0], trace)
    case "html":
      return traceabilityHtml(trace, version)
    case "markdown":
      return traceabilityMarkdown(trace)
    case "terminal":
      return traceabilityText(trace, styleFor(isTerminal && wantsColor(process.stdout)))
  }
}

/** All of one moment: what else its events say beside its records. */
interface Shown extends Records {
  readonly refusals: ReturnType<typeof makeRefusals>
  readonly whole: Whole
}

/** With its attempts and its progress. */
const wholeText = (
  { record, refusals, runs, whole }: Shown,
  trace: ReportView,
  paths: ProjectPaths,
  format: "text" | "json",
  isTerminal: boolean
): string => {
  const ids = new Set(trace.tasks.map(({ run_id, task_id }) => `${run_id} ${task_id}`))
  const isShown = ({ run_id, task_id }: { readonly run_id: string; readonly task_id: string }) =>
    ids.has(`${run_id} ${task_id}`)
  const progress = watchedOf(whole)
  if (format === "json") {
    const attempts = refusals.attempts().filter(isShown)
    return documentText(showDocument.kinds[0], {
      ...trace,
      attempts: attempts.map(({ tail: _, ...attempt }) => attempt),
      progress
    })
  }
  const style = styleFor(isTerminal && wantsColor(process.stdout))
  const width = isTerminal ? process.stdout.columns || 100 : 100
  return showText(
    {
      trace,
      state: record.state,
      loop: record.loop,
      children: new Map(runs.map(({ run_id, state }) => [run_id, state])),
      tree: wholeTree(whole, style, width),
      progress: progress.task_runs ?? [progress],
      refusals: refusals.lines(style, isShown)
    },
    style,
    commandFor(paths)
  )
}
