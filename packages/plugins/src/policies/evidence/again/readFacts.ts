import {
  canonicalJson,
  Digest,
  type ItemReceipt,
  isLineReceipt,
  type KindReceipt,
  type LineReceipt,
  type Receipt,
  type RunProof,
  type RunReceipts,
  verdictCounts,
  withoutLost
} from "@proofline/kernel"
import { Effect, Result } from "effect"
import { type FileRefused, type ProjectFile, type ProjectReader, Syntax } from "../../../port/index.ts"
import { lookAt } from "../activities.ts"
import type { EvidenceKind } from "../contract.ts"
import { fileKinds } from "../files/readFacts.ts"
import { findElsewhere, judgeReceipt, mayHold, type ReceiptJudgement, sourceFileOf } from "../receipts.ts"

export interface JudgedReceipt<Item = ItemReceipt> extends ReceiptJudgement {
  readonly item: Item
}

/** Files and characters that are searched at most for what is no longer in its own file. */
const filesMax = 5_000
const charactersMax = 64 * 1_024 * 1_024

/** What receipts are compared with, each file as it was read first. */
interface Reading {
  readonly project: ProjectReader
  readonly sha256: Digest["Service"]["sha256"]
  readonly syntax: Syntax["Service"]
  readonly files: Map<string, Result.Result<ProjectFile, FileRefused>>
  /** Asked for only when something is missing. */
  readonly paths: ProjectReader["paths"]
}

/** Kinds of evidence that Proofline brings beside lines. */
export const ownSchemes: ReadonlySet<string> = new Set(["file", "absent"])

/** `fault`: in a run it has said nothing, and the run waits until it is mended. `stale`: whoever cannot look does not know. */
type Broken = "fault" | "stale"

/**
 * Compares every receipt with the files of a project, now or in a commit, in their order. Every file is read once. Evidence of another kind is looked at again
 * by its kind, where that is here; `kinds` are those beside the ones that Proofline brings. `broken`: what a plugin comes to
 * that breaks while it looks.
 */
export const judgeReceipts = Effect.fnUntraced(function* <
  Item extends { readonly receipt: Receipt } & Partial<Pick<ItemReceipt, "in_worktree" | "task_id">>
>(items: ReadonlyArray<Item>, project: ProjectReader, kinds: ReadonlyArray<EvidenceKind>, broken: Broken = "stale") {
  const { sha256 } = yield* Digest
  const syntax = yield* Syntax
  // those that Proofline brings look where the lines are looked for, be it a commit
  const own = fileKinds({ files: project, sha256, outline: syntax.outline, baseline: null })
  const all = [...own, ...kinds.filter(({ scheme }) => own.every((kind) => kind.scheme !== scheme))]
  const reading: Reading = { project, sha256, syntax, files: new Map(), paths: yield* Effect.cached(project.paths) }
  return yield* Effect.forEach(
    items,
    Effect.fnUntraced(function* (item: Item) {
      const { receipt } = item
      const judged = yield* isLineReceipt(receipt)
        ? judgeLines(reading, receipt)
        : lookAgain(all, receipt, project, broken)
      return {
        item,
        ...(item.in_worktree === true && !stillHolds(judged) ? { ...judged, reason: elsewhere(item.task_id) } : judged)
      } satisfies JudgedReceipt<Item>
    })
  )
})

const elsewhere = (task = "its subtask"): string =>
  `What ${task} did is in its worktree, and is not in the project until the subtasks are put together.`

const read = Effect.fnUntraced(function* ({ files, project }: Reading, path: string) {
  const known = files.get(path)
  if (known !== undefined) return known
  const file = yield* Effect.result(project.readText(path))
  files.set(path, file)
  return file
})

const sourceOf = ({ syntax }: Reading, file: ProjectFile) =>
  Effect.map(syntax.outline(file.path, file.text), (outline) => sourceFileOf(file, outline))

const judgeLines = Effect.fnUntraced(function* (reading: Reading, receipt: LineReceipt) {
  const judged = yield* judgeInFile(reading, receipt)
  return judged.gone ? yield* search(reading, receipt, judged) : judged
})

/** What is found there now has to be what was accepted. */
const lookAgain = Effect.fnUntraced(function* (
  kinds: ReadonlyArray<EvidenceKind>,
  { fact, reference, scheme }: KindReceipt,
  { root }: ProjectReader,
  broken: Broken
) {
  const kind = kinds.find((one) => one.scheme === scheme)
  const judgement = (status: ReceiptJudgement["status"], reason: string): ReceiptJudgement => ({
    status,
    now: status === "proven" ? `${scheme}:${reference}` : null,
    reason,
    gone: false
  })
  if (kind === undefined) {
    return judgement("stale", `No plugin of this project declares evidence of the kind ${scheme}, to look at it again.`)
  }
  return yield* lookAt(kind, reference, { directory: root, base: null }).pipe(
    Effect.map((now) =>
      (kind.same?.(fact, now) ?? canonicalJson(now) === canonicalJson(fact))
        ? judgement("proven", "")
        : judgement("stale", `What ${scheme}:${reference} names is not what it was.`)
    ),
    Effect.catchDefect((defect) =>
      broken === "fault"
        ? Effect.die(defect)
        : Effect.succeed(
            judgement("stale", `It could not be looked at again. ${defect instanceof Error ? defect.message : defect}`)
          )
    )
  )
})

const judgeInFile = Effect.fnUntraced(function* (reading: Reading, receipt: LineReceipt) {
  const file = yield* read(reading, receipt.path)
  if (Result.isFailure(file)) return refused(receipt, file.failure, reading.sha256)
  return judgeReceipt(receipt, yield* sourceOf(reading, file.success), reading.sha256)
})

/** The one other file that holds it; two would leave open which of them it is. */
const search = Effect.fnUntraced(function* (reading: Reading, receipt: LineReceipt, judged: ReceiptJudgement) {
  const { paths, sha256 } = reading
  const kind = extname(receipt.path)
  const like = (yield* paths).filter((path) => path !== receipt.path && extname(path) === kind)
  const whole: Array<string> = []
  const parts: Array<string> = []
  let characters = 0
  let cut = like.length > filesMax
  for (const path of like.slice(0, filesMax)) {
    const file = yield* read(reading, path)
    if (Result.isFailure(file) || !mayHold(receipt, file.success.text)) continue
    characters += file.success.text.length
    if (characters > charactersMax) {
      cut = true
      break
    }
    // without a declaration to look for, parsing is left for when the lines are there
    const quick = sourceFileOf(file.success, null)
    if (receipt.declaration === null && findElsewhere(receipt, quick, sha256) === null) continue
    const found = findElsewhere(receipt, yield* sourceOf(reading, file.success), sha256)
    if (found !== null) (found.whole ? whole : parts).push(found.now)
  }
  return conclude(judged, whole.length > 0 ? whole : parts, whole.length > 0, cut)
})

/** With its dot; empty: the name has none, or begins with its only one. */
const extname = (path: string): string => /[^/](\.[^./]*)$/.exec(path)?.[1] ?? ""

/** It is there as it was accepted, be it at another place. */
export const stillHolds = ({ status }: Pick<ReceiptJudgement, "status">): boolean =>
  status === "proven" || status === "re_anchored"

/** What a run has shown, as far as what it rests on still holds. */
export const proofNow = (judged: ReadonlyArray<JudgedReceipt>, receipts: RunReceipts): RunProof => {
  const lost = judged.filter((one) => !stillHolds(one))
  const proof = withoutLost(
    receipts.proof ?? exportedProof(receipts),
    // of a requirements run criteria count, and not the items of its task runs
    lost.flatMap(({ item }) => (item.run_id === undefined ? [item.verdict ?? "proven"] : [])),
    lost.filter(({ status }) => status === "stale").length
  )
  return lost.length === 0 && receipts.open.length === 0 ? proof : { ...proof, verdict: "unproven" }
}

/** Of an export of before it said what the run had shown: 0 of 0 is never a pass, and neither is a part of the whole. */
const exportedProof = ({ open, receipts, status, waived }: RunReceipts): RunProof => ({
  verdict: receipts.length > 0 && open.length === 0 && status === "completed" ? "proven" : "unproven",
  counts: {
    ...verdictCounts([]),
    proven: receipts.length,
    waived: waived.length,
    unproven: open.length
  },
  reviewers: [],
  weak: []
})

const refused = (
  receipt: LineReceipt,
  { message, reason }: FileRefused,
  sha256: Digest["Service"]["sha256"]
): ReceiptJudgement =>
  reason === "not_found"
    ? judgeReceipt(receipt, null, sha256)
    : { status: "stale", now: null, reason: message, gone: false }

const conclude = (
  judged: ReceiptJudgement,
  found: ReadonlyArray<string>,
  whole: boolean,
  cut: boolean
): ReceiptJudgement => {
  const [now] = found
  const sentence = (text: string) => ({ ...judged, reason: `${judged.reason} ${text}` })
  if (found.length > 1)
    return sentence(`It is in several other files (${found.slice(0, 3).join(", ")}${found.length > 3 ? ", …" : ""}).`)
  if (cut) return sentence("Only a part of the project was searched for it.")
  if (now === undefined) return judged
  const reason = whole ? "The file was renamed." : "The same code in another file."
  return { status: "re_anchored", now, reason, gone: false }
}
