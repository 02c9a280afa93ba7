import { Engine, isLineReceipt, type RunProof, type RunReceipts } from "@proofline/kernel"
import type { Code } from "@proofline/plugins/frontends/http/api"
import { type JudgedReceipt, judgeReceipts, proofNow } from "@proofline/plugins/policies/evidence"
import type { ProjectReader } from "@proofline/plugins/ports"
import { Effect, Result } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { filesOf } from "../project/filesOf.ts"
import { kindsOf } from "../project/kindsOf.ts"
import { childrenOf, type Listener, type RunRecord, readRecord } from "./requirementViews.ts"
import { readRows } from "./rows.ts"
import { type Found, type Held, receiptsIn, traceOf } from "./traceability.ts"

/** A run with what its log holds, and the runs that its tasks are in: of a run of tasks itself. */
export interface Records {
  readonly record: RunRecord
  readonly runs: ReadonlyArray<RunRecord>
}

export const recordsOf = Effect.fnUntraced(function* (run: string, paths: ProjectPaths, listen?: Listener) {
  const record = yield* readRecord(run, paths, listen)
  const records: Records = {
    record,
    runs: record.loop.definition === null ? [record] : yield* taskRuns(record, paths, listen)
  }
  return records
})

/** What stands behind a run, compared with the files as they are; receipts are read with the grammars that are provided. */
export const traced = Effect.fnUntraced(function* ({ record, runs }: Records, paths: ProjectPaths) {
  const tree = yield* filesOf(paths.root)
  const judged = yield* judgeReceipts(receiptsIn(record, runs), tree, kindsOf((yield* Engine).composition))
  const read = linesIn(tree)
  const found = yield* Effect.forEach(judged, (one) =>
    Effect.map(codeOf(one, read), (code): Found => ({ judged: one, code }))
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
const taskRuns = Effect.fnUntraced(function* ({ loop, run_id }: RunRecord, paths: ProjectPaths, listen?: Listener) {
  const rows = yield* readRows(paths)
  const own = childrenOf(rows, run_id).map((row) => row.run_id)
  const earlier = loop.completed.map((task) => task.run_id).filter((run) => rows.some((row) => row.run_id === run))
  return yield* Effect.forEach([...new Set([...earlier.filter((run) => !own.includes(run)), ...own])], (run) =>
    readRecord(run, paths, listen)
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

/** The lines of files, each read once: many items may cite one. Null: it cannot be read. */
const linesIn = (tree: ProjectReader) => {
  const known = new Map<string, ReadonlyArray<string> | null>()
  return Effect.fnUntraced(function* (path: string) {
    const before = known.get(path)
    if (before !== undefined) return before
    const file = yield* Effect.result(tree.readText(path))
    const lines = Result.isFailure(file) ? null : file.success.text.split(/\r?\n/)
    known.set(path, lines)
    return lines
  })
}

/** The lines as they are now, with all of the declaration they stand for while that is where it was. */
const codeOf = Effect.fnUntraced(function* (
  { item, now, status }: JudgedReceipt<Held>,
  read: ReturnType<typeof linesIn>
) {
  const position = citedLinesOf(now)
  if (position === null) return null
  const { path } = position
  const cited = [position.start, position.end] as const
  if (!isLineReceipt(item.receipt)) return null
  const { covers } = item.receipt
  const isInPlace =
    status === "proven" &&
    covers.start <= cited[0] &&
    covers.end >= cited[1] &&
    // of a longer one what is cited could be left out
    cited[1] < covers.start + linesMax
  const [start, end] = isInPlace ? [covers.start, covers.end] : cited
  const all = yield* read(path)
  if (all === null) return null
  const lines = all.slice(start - 1, end)
  const code: Code = { path, start, lines: lines.slice(0, linesMax), cited, more: Math.max(0, lines.length - linesMax) }
  return code
})
