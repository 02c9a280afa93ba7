import {
  type Base,
  Digest,
  Engine,
  isLineReceipt,
  type LineReceipt,
  type ProjectTree,
  type Receipt
} from "@proofline/kernel"
import { blobText } from "@proofline/plugins/adapters/project-tree"
import type { CitedView, EvidenceView } from "@proofline/plugins/frontends/http/api"
import { judgeReceipts, parseReference } from "@proofline/plugins/policies/evidence"
import { Baseline, type ProjectReader } from "@proofline/plugins/ports"
import { Effect, Result } from "effect"
import type { ProjectPaths } from "../base/paths.ts"
import { filesOf } from "../project/filesOf.ts"
import { kindsOf } from "../project/kindsOf.ts"
import { citedLinesOf } from "../reading/trace.ts"

/** Lines that are shown before and after those that were cited. */
const aroundMax = 30
const linesMax = 400

interface CitedLines {
  readonly path: string
  readonly start: number
  readonly end: number
}

/** What the files say now of a receipt, with the lines then and now. Starts nothing but git. */
export const currentEvidenceOf = Effect.fnUntraced(function* (
  item: { readonly receipt: Receipt } & Pick<EvidenceView, "task_id" | "in_worktree">,
  { root }: ProjectPaths
) {
  const { receipt } = item
  const tree = yield* filesOf(root)
  const [judged] = yield* judgeReceipts([item], tree, kindsOf((yield* Engine).composition))
  const { now, reason, status } = judged ?? { now: null, reason: "", status: "missing" as const }
  const position = citedLinesOf(now)
  // what is no file has no lines to show
  if (!isLineReceipt(receipt)) return { status, now: null, reason, accepted: null, current: null }
  const current = yield* currentAt(position ?? receipt, tree)
  return {
    status,
    now: position,
    reason,
    accepted: status === "proven" ? current : yield* acceptedOf(receipt, position, root, tree),
    current
  } satisfies Partial<EvidenceView>
})

const currentAt = (position: CitedLines, tree: ProjectReader) =>
  Effect.map(Effect.result(tree.readText(position.path)), (file) =>
    Result.isSuccess(file) ? shown(file.success.text, position) : null
  )

/** As git keeps the file, or as they stand elsewhere now; null: nobody has what was accepted any more. */
const acceptedOf = Effect.fnUntraced(function* (
  receipt: LineReceipt,
  position: CitedLines | null,
  root: string,
  tree: ProjectReader
) {
  const { sha256 } = yield* Digest
  const isReceipt = (text: string, { end, start }: CitedLines) => sha256(linesOf(text, start, end)) === receipt.sha256
  const kept = receipt.git_blob === null ? null : yield* blobText(root, receipt.git_blob)
  if (kept !== null && isReceipt(kept, receipt)) return shown(kept, receipt)
  const file = position === null ? null : yield* Effect.option(tree.readText(position.path))
  if (position === null || file === null || file._tag === "None" || !isReceipt(file.value.text, position)) return null
  // what stands around them now did not stand around them then
  const lines = linesOf(file.value.text, position.start, position.end).split(/\r?\n/)
  return { path: receipt.path, from: receipt.start, lines: lines.slice(0, Math.min(lines.length, linesMax)) }
})

/** What stands in the lines that a text cites, in a tree of the past and now. */
export const citedLinesAt = Effect.fnUntraced(function* (
  evidence: string,
  then: Base | ProjectTree | null,
  { root }: ProjectPaths
) {
  const cited = Result.getOrNull(parseReference(evidence))
  if (cited === null) return { cited, was: null, now: null } satisfies CitedView
  const past = then === null ? null : yield* textAt(root, then, cited.path)
  return {
    cited,
    was: past === null ? null : shown(past, cited),
    now: yield* currentAt(cited, yield* filesOf(root))
  } satisfies CitedView
})

/** A file as it was at some moment; null: it was not there, or cannot be had any more. */
const textAt = Effect.fnUntraced(function* (root: string, { commit, snapshot }: Base | ProjectTree, path: string) {
  if (snapshot !== undefined) {
    const before = yield* (yield* Baseline).before({ commit, snapshot }, path)
    return before._tag === "text" ? before.text : null
  }
  return commit === null ? null : yield* blobText(root, `${commit}:./${path}`)
})

/** The exact text of these lines, their ends included. */
const linesOf = (text: string, start: number, end: number): string =>
  (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).slice(start - 1, end).join("")

/** Lines with some around them; where the file is shorter now, its last ones. */
const shown = (text: string, { end, path, start }: CitedLines) => {
  const lines = (text.endsWith("\n") ? text.slice(0, -1) : text).split(/\r?\n/)
  const first = Math.max(1, Math.min(start, lines.length) - aroundMax)
  return { path, from: first, lines: lines.slice(first - 1, Math.min(end + aroundMax, first - 1 + linesMax)) }
}
