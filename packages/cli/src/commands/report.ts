import { Engine, isLineReceipt, type RunProof, type RunReceipts } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as treeSitter } from "@proofline/plugins/adapters/tree-sitter"
import type { Code, ReportView } from "@proofline/plugins/frontends/http/api"
import { type JudgedReceipt, judgeReceipts, proofNow } from "@proofline/plugins/policies/evidence"
import type { ProjectReader } from "@proofline/plugins/ports"
import { Effect, Layer, Result } from "effect"
import { kindsOf } from "../compose.ts"
import { reportDocument } from "../documents/proof.ts"
import { print, printDocument, say, wantsColor } from "../output.ts"
import type { ProjectPaths } from "../paths.ts"
import { exitCodes, stop } from "../problems.ts"
import { styleFor } from "../render/style.ts"
import { type Found, type Held, receiptsIn, traceOf } from "../render/traceability.ts"
import { traceabilityHtml } from "../render/traceabilityHtml.ts"
import { traceabilityMarkdown, traceabilityText } from "../render/traceabilityText.ts"
import { version } from "../version.ts"
import { writeWhole } from "../writeWhole.ts"
import { filesOf } from "./filesOf.ts"
import { type RunChoice, readRows, withRun } from "./history.ts"
import { childrenOf, type RunRecord, readRecord } from "./requirementViews.ts"
import { withKernel } from "./shared.ts"

export const formats = ["terminal", "markdown", "json", "html"] as const

export interface ReportOptions extends RunChoice {
  readonly format?: (typeof formats)[number] | undefined
  readonly out?: string | undefined
  /** The same as the format `json`. */
  readonly json: boolean
}

/**
 * `proofline report [run]`: what stands behind a run, from its requirements down to the code. No command and no agent is
 * run. Exits with 0 when all that is required is proven and still holds.
 */
export const report = (options: ReportOptions) =>
  withRun(options, (run, paths) =>
    withKernel(
      paths,
      {},
      Effect.gen(function* () {
        const format = options.format ?? (options.json ? "json" : "terminal")
        if (options.json && format !== "json") {
          return yield* stop(exitCodes.usage, {
            code: "report_format",
            message: `--json and --format ${format} ask for two formats.`,
            hint: "Leave one of them out."
          })
        }
        const trace = yield* Effect.provide(traced(run, paths), Layer.merge(nodeDigest, treeSitter()))
        if (options.out === undefined) {
          yield* format === "json" ? printDocument(reportDocument, trace) : print(textOf(trace, format, true))
        } else {
          yield* writeWhole(options.out, textOf(trace, format, false))
          yield* say(
            `${options.out}: ${trace.proven ? "everything required is proven" : "not everything required is proven"}.`
          )
        }
        return trace.proven ? exitCodes.proven : exitCodes.unmet
      })
    )
  )

const textOf = (trace: ReportView, format: (typeof formats)[number], isTerminal: boolean): string => {
  switch (format) {
    case "json":
      return `${JSON.stringify({ schemaVersion: 1, kind: "report", data: trace }, null, 2)}\n`
    case "html":
      return traceabilityHtml(trace, version)
    case "markdown":
      return traceabilityMarkdown(trace)
    case "terminal":
      return traceabilityText(trace, styleFor(isTerminal && wantsColor(process.stdout)))
  }
}

/** What stands behind a run, compared with the files as they are; receipts are read with the grammars that are provided. */
export const traced = Effect.fnUntraced(function* (run: string, paths: ProjectPaths) {
  const record = yield* readRecord(run, paths)
  const runs = record.loop.definition === null ? [record] : yield* taskRuns(record, paths)
  const tree = yield* filesOf(paths.root)
  const judged = yield* judgeReceipts(receiptsIn(record, runs), tree, kindsOf((yield* Engine).composition))
  const found = yield* Effect.forEach(judged, (one) =>
    Effect.map(codeOf(one, tree), (code): Found => ({ judged: one, code }))
  )
  const byKey = new Map(found.map((one) => [one.judged.item.key, one]))
  return traceOf(record, runs, byKey, proofOfReport(judged, record.receipts))
})

/** As `verify` has it. */
const proofOfReport = (judged: ReadonlyArray<JudgedReceipt<Held>>, receipts: RunReceipts): RunProof =>
  proofNow(
    receipts.receipts.flatMap((item, index) => {
      const one = judged[index]
      return one === undefined ? [] : [{ ...one, item }]
    }),
    receipts
  )

/** Those of its iterations, after those of earlier runs of the same file whose tasks still count. */
const taskRuns = Effect.fnUntraced(function* ({ loop, run_id }: RunRecord, paths: ProjectPaths) {
  const rows = yield* readRows(paths)
  const own = childrenOf(rows, run_id).map((row) => row.run_id)
  const earlier = loop.completed.map((task) => task.run_id).filter((run) => rows.some((row) => row.run_id === run))
  return yield* Effect.forEach([...new Set([...earlier.filter((run) => !own.includes(run)), ...own])], (run) =>
    readRecord(run, paths)
  )
})

/** Where evidence points to; null: nowhere. */
export const citedLinesOf = (evidence: string | null) => {
  const position = /^(?:"(?<quoted>[^"]*)"|(?<plain>.+)):(?<start>\d+)(?:-(?<end>\d+))?$/u.exec(evidence ?? "")?.groups
  if (position === undefined) return null
  const start = Number(position["start"])
  return { path: position["quoted"] ?? position["plain"] ?? "", start, end: Number(position["end"] ?? start) }
}

/** More lines of one place than this nobody reads in a report. */
const linesMax = 200

/** The lines as they are now, with all of the declaration they stand for while that is where it was. */
const codeOf = Effect.fnUntraced(function* ({ item, now, status }: JudgedReceipt<Held>, tree: ProjectReader) {
  const position = citedLinesOf(now)
  if (position === null) return null
  const { path } = position
  const cited = [position.start, position.end] as const
  if (!isLineReceipt(item.receipt)) return null
  const { covers } = item.receipt
  const isInPlace = status === "proven" && covers.start <= cited[0] && covers.end >= cited[1]
  const [start, end] = isInPlace ? [covers.start, covers.end] : cited
  const file = yield* Effect.result(tree.readText(path))
  if (Result.isFailure(file)) return null
  const lines = file.success.text.split(/\r?\n/).slice(start - 1, end)
  const code: Code = { path, start, lines: lines.slice(0, linesMax), cited, more: Math.max(0, lines.length - linesMax) }
  return code
})
