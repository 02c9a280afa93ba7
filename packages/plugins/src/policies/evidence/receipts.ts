/**
 * Whether a receipt still holds. It is a claim to an auditor, so everything that leaves a doubt is `stale`: bytes that
 * are found elsewhere count as moved only when they cannot be something else that merely looks alike.
 */
import type { Digest, LineReceipt, ReceiptStatus } from "@proofline/kernel"
import { Result } from "effect"
import type { LineRange, ProjectFile, SourceOutline } from "../../port/index.ts"
import { splitLines } from "../../text/lines.ts"
import { codeIn } from "./code/code.ts"
import { onceFor } from "./code/once.ts"
import { declarationsOf, type FoundDeclaration, findingOf } from "./code/range.ts"
import { parse, print } from "./reference.ts"

type Sha256 = Digest["Service"]["sha256"]

/** A file as receipts are compared with it. */
export interface SourceFile {
  readonly path: string
  /** Git's object id of the whole file; null when nobody knows. */
  readonly git_blob: string | null
  /** With their ends. */
  readonly lines: ReadonlyArray<string>
  /** Null: no grammar for it. */
  readonly outline: SourceOutline | null
}

export const sourceFileOf = (file: ProjectFile, outline: SourceOutline | null): SourceFile => ({
  path: file.path,
  git_blob: file.git_blob,
  lines: linesOf(file),
  outline
})

const linesOf = onceFor(({ text }: ProjectFile) => splitLines(text))

export interface ReceiptJudgement {
  readonly status: ReceiptStatus
  /** Where it is now, as evidence; null when it is nowhere. What is `stale` may have a place too: of what it became. */
  readonly now: string | null
  /** In words; empty: there is nothing to add. */
  readonly reason: string
  /** Nothing of the file claims to be it any more: it may have moved to another one. */
  readonly gone: boolean
}

/** Judges a receipt by its own file alone; null: the file is gone, or is none that can be read. */
export const judgeReceipt = (receipt: LineReceipt, file: SourceFile | null, sha256: Sha256): ReceiptJudgement => {
  if (file === null) return { status: "missing", now: null, reason: `${receipt.path} is gone.`, gone: true }
  const subject = { receipt, file, sha256 }
  const found = inPlace(subject) ?? moved(subject, false) ?? sameDeclaration(subject) ?? changed(subject)
  const isAsAccepted = receipt.git_blob !== null && receipt.git_blob === file.git_blob
  return isAsAccepted ? found : withoutHidden(file, found)
}

/** What stands there as it did, and is not what its name stands for any more, shows nothing. */
const withoutHidden = (file: SourceFile, found: ReceiptJudgement): ReceiptJudgement => {
  const { now, status } = found
  if (now === null || (status !== "proven" && status !== "re_anchored")) return found
  const reference = parse(now)
  if (Result.isFailure(reference)) return found
  const { hidden } = findingOf(file.path, file.lines, file.outline, reference.success)
  return hidden === null
    ? found
    : { status: "stale", now, reason: `The cited lines are the same, but ${hidden}`, gone: false }
}

/** What a receipt became in a file that is not its own; `whole`: the file as a whole is the one that was cited. */
export interface FoundElsewhere {
  readonly now: string
  readonly whole: boolean
}

/** Looks for a receipt in a file that is not its own. To be believed only when no other file holds it too. */
export const findElsewhere = (receipt: LineReceipt, file: SourceFile, sha256: Sha256): FoundElsewhere | null => {
  const subject = { receipt, file, sha256 }
  const whole = receipt.git_blob !== null && receipt.git_blob === file.git_blob
  const text = textOf(file.lines, receipt)
  if (whole && text !== null && sha256(text) === receipt.sha256 && (receipt.declaration !== null || !isShort(text)))
    return { now: print({ ...receipt, path: file.path }), whole }
  const found = moved(subject, true) ?? sameDeclaration(subject)
  return found?.status === "re_anchored" && found.now !== null ? { now: found.now, whole: false } : null
}

/** False: a file with this text needs no closer look, the receipt cannot be in it. */
export const mayHold = ({ declaration }: LineReceipt, text: string): boolean =>
  declaration === null || text.includes(declaration.name.split(".").at(-1) ?? "")

interface ReceiptSubject {
  readonly receipt: LineReceipt
  readonly file: SourceFile
  readonly sha256: Sha256
}

// --- at its place -----------------------------------------------------------------------------------------------

const inPlace = ({ file, receipt, sha256 }: ReceiptSubject): ReceiptJudgement | null => {
  const text = textOf(file.lines, receipt)
  if (text === null) return null
  const exact = sha256(text) === receipt.sha256
  if (!exact && !otherEnds(text).some((version) => sha256(version) === receipt.sha256)) return null
  if (exact && receipt.git_blob !== null && receipt.git_blob === file.git_blob)
    return provenJudgement(receipt, file, exact, "")
  if (isWidened(receipt)) return withCovered({ receipt, file, sha256 }, exact)
  const { declaration } = receipt
  const isUnasked = isOfAsides(receipt) || (declaration === null && receipt.git_blob === null)
  const nothing = isUnasked ? null : nothingIn(file, receipt)
  if (nothing !== null) {
    const reason = `The cited lines are the same, but they are no implementation any more. ${nothing}`
    return { status: "stale", now: print({ ...receipt, path: file.path }), reason, gone: false }
  }
  if (declaration === null || file.outline === null) return provenJudgement(receipt, file, exact, "")
  const around = declarationAt(file, receipt)
  if (around?.name === declaration.name) {
    const same = sha256(around.tokens) === declaration.hash
    return provenJudgement(receipt, file, exact, same ? "" : `The rest of ${declaration.name} changed.`)
  }
  // a short line may well be another one that reads the same
  if (isShort(text)) return null
  const reason = around === null ? `It stands outside of ${declaration.name} now.` : `It stands in ${around.name} now.`
  return provenJudgement(receipt, file, exact, reason)
}

/** What was accepted is no code that does something. */
const isOfAsides = ({ comments, imports, layout, removed }: LineReceipt): boolean =>
  comments === true || imports === true || removed === true || layout === true

const provenJudgement = (receipt: LineReceipt, file: SourceFile, exact: boolean, reason: string): ReceiptJudgement => ({
  status: exact ? "proven" : "re_anchored",
  now: print({ ...receipt, path: file.path }),
  reason: [exact ? "" : "Only line ends changed.", reason].filter((part) => part !== "").join(" "),
  gone: false
})

/** Why lines show nothing where they stand now, e.g. in a comment; null: they are code. */
const nothingIn = ({ lines, outline, path }: SourceFile, range: LineRange): string | null => {
  const code = outline === null ? null : codeIn(path, lines, outline, range)
  return typeof code === "string" ? code : null
}

/** The cited lines stand for more than themselves, e.g. a head for its function: that must be the same too. */
const withCovered = ({ file, receipt, sha256 }: ReceiptSubject, exact: boolean): ReceiptJudgement => {
  const { declaration } = receipt
  const stale = (reason: string): ReceiptJudgement => ({
    status: "stale",
    now: print({ ...receipt, path: file.path }),
    reason: `The cited lines are the same, but ${reason}.`,
    gone: false
  })
  const covered = textOf(file.lines, receipt.covers)
  if (covered !== null && sha256(covered) === receipt.covers.sha256) return provenJudgement(receipt, file, exact, "")
  if (declaration === null || !holds(declaration, receipt.covers))
    return stale("the file changed, and nothing tells whether what was judged with them did")
  if (file.outline === null) return stale(`nothing here can read whether ${declaration.name} is`)
  return isSame(declaration, declarationAt(file, receipt), sha256)
    ? provenJudgement(receipt, file, exact, "")
    : stale(`${declaration.name}, which was judged with them, changed`)
}

// --- at another place -------------------------------------------------------------------------------------------

/** The same bytes elsewhere in a file. `foreign`: the file is not the one that was cited. */
const moved = (subject: ReceiptSubject, foreign: boolean): ReceiptJudgement | null => {
  const { file } = subject
  const exact = candidates(subject, file.lines, foreign)
  if (exact.length > 0) return choose(subject, exact, "")
  const converted = file.lines.map(otherEnd)
  return choose(subject, candidates(subject, converted, foreign), " Line ends changed.")
}

interface Candidate extends LineRange {
  readonly around: FoundDeclaration | null
  readonly short: boolean
}

/** The nearest one that can be told from a thing that merely reads the same. */
const choose = (subject: ReceiptSubject, found: ReadonlyArray<Candidate>, remark: string): ReceiptJudgement | null => {
  const { file, receipt, sha256 } = subject
  const { declaration } = receipt
  const unchanged = found.filter(({ around }) => declaration !== null && isSame(declaration, around, sha256))
  const atOffset = unchanged.find(
    ({ around, start }) => start - (around?.start ?? 0) === receipt.start - (declaration?.start ?? 0)
  )
  const clear =
    atOffset ??
    nearest(unchanged, receipt) ??
    (found.length === 1 || !found[0]?.short ? nearest(found, receipt) : undefined)
  if (clear === undefined) return null
  const several = found.length > 1 && atOffset === undefined ? " It is there several times; this is the nearest." : ""
  return {
    status: "re_anchored",
    now: print({ ...clear, path: file.path }),
    reason: `The same lines${clear.around === null || declaration === null ? "" : ` of ${declaration.name}`}, moved.${several}${remark}`,
    gone: false
  }
}

const nearest = <A extends LineRange>(found: ReadonlyArray<A>, { start }: LineRange): A | undefined =>
  found.toSorted((a, b) => Math.abs(a.start - start) - Math.abs(b.start - start))[0]

const candidates = (
  { file, receipt, sha256 }: ReceiptSubject,
  lines: ReadonlyArray<string>,
  foreign: boolean
): ReadonlyArray<Candidate> => {
  const { declaration } = receipt
  return windows(lines, receipt, sha256).flatMap(({ start, text }): ReadonlyArray<Candidate> => {
    const range = { start, end: start + receipt.end - receipt.start }
    const around = file.outline === null ? null : declarationAt(file, range)
    const short = isShort(text)
    if (declaration === null || file.outline === null) {
      // what stood free and stands in a function now is something else; what was judged with it cannot be compared
      const isAside = !isOfAsides(receipt) && nothingIn(file, range) !== null
      const doubtful = short || isWidened(receipt) || isAside || (declaration === null ? around !== null : foreign)
      return doubtful ? [] : [{ ...range, around: null, short }]
    }
    if (around?.name !== declaration.name) return []
    const partly = isWidened(receipt) && (!holds(declaration, receipt.covers) || !isSame(declaration, around, sha256))
    return partly ? [] : [{ ...range, around, short }]
  })
}

/** Characters that are hashed at most to find lines in one file, and places that are looked at closely. */
const searchMax = 64 * 1_024 * 1_024
const placesMax = 64

/** Where in a file the bytes are, but not at their own place; the nearest first. */
const windows = (
  lines: ReadonlyArray<string>,
  receipt: LineReceipt,
  sha256: Sha256
): ReadonlyArray<{ readonly start: number; readonly text: string }> => {
  const count = receipt.end - receipt.start + 1
  const last = lines.length - count + 1
  const text = lines.join("")
  const offsets = [0]
  for (const line of lines) offsets.push((offsets.at(-1) ?? 0) + line.length)
  const found: Array<{ readonly start: number; readonly text: string }> = []
  let hashed = 0
  for (const start of outwards(Math.min(receipt.start, Math.max(last, 1)), last)) {
    const part = text.slice(offsets[start - 1], offsets[start - 1 + count])
    hashed += part.length
    if (hashed > searchMax || found.length >= placesMax) break
    if (sha256(part) === receipt.sha256) found.push({ start, text: part })
  }
  return found
}

/** Numbers from 1 to `last`, those near `from` first. */
function* outwards(from: number, last: number): Generator<number> {
  for (let step = 0; from - step >= 1 || from + step <= last; step++) {
    if (from - step >= 1 && from - step <= last) yield from - step
    if (step > 0 && from + step <= last) yield from + step
  }
}

/** The same declaration with other blanks or comments. It counts only when the whole of it was judged. */
const sameDeclaration = ({ file, receipt, sha256 }: ReceiptSubject): ReceiptJudgement | null => {
  const { covers, declaration } = receipt
  // of comments and imports the structure says nothing
  if (isOfAsides(receipt) || declaration === null || !holds(covers, declaration)) return null
  const same = named(file, declaration.name).filter((one) => isSame(declaration, one, sha256))
  const found = nearest(same, declaration)
  if (found === undefined) return null
  const place = file.path === receipt.path && found.start === declaration.start ? "" : ", and it moved"
  return {
    status: "re_anchored",
    now: print({ path: file.path, start: found.start, end: found.end }),
    reason: `Layout only: ${declaration.name} has the same structure${place}.`,
    gone: false
  }
}

// --- nowhere ----------------------------------------------------------------------------------------------------

const changed = ({ file, receipt, sha256 }: ReceiptSubject): ReceiptJudgement => {
  const { declaration } = receipt
  const lineCount = file.lines.length
  const became = declaration === null ? undefined : nearest(named(file, declaration.name), declaration)
  if (declaration !== null && became !== undefined) {
    return {
      status: "stale",
      now: print({ path: file.path, start: became.start, end: became.end }),
      reason: isSame(declaration, became, sha256)
        ? `The cited lines differ; the structure of ${declaration.name} is the same.`
        : `${declaration.name} was found, but it changed.`,
      gone: false
    }
  }
  const absent = declaration !== null && file.outline !== null ? `, and ${declaration.name} is not in the file` : ""
  if (receipt.start > lineCount) {
    const reason = `The lines are gone: ${receipt.path} has ${lineCount}${absent}.`
    return { status: "missing", now: null, reason, gone: true }
  }
  const reason = `${receipt.start === receipt.end ? `Line ${receipt.start} differs` : `Lines ${receipt.start}-${receipt.end} differ`}${absent}.`
  return { status: "stale", now: null, reason, gone: absent !== "" }
}

// --- texts ------------------------------------------------------------------------------------------------------

const textOf = (lines: ReadonlyArray<string>, { end, start }: LineRange): string | null =>
  end > lines.length ? null : lines.slice(start - 1, end).join("")

const otherEnd = (line: string): string =>
  line.endsWith("\r\n") ? `${line.slice(0, -2)}\n` : line.endsWith("\n") ? `${line.slice(0, -1)}\r\n` : line

/** The text as another system or editor would have written it: LF or CRLF, with or without the last line end. */
const otherEnds = (text: string): ReadonlyArray<string> => {
  const lf = text.replaceAll("\r\n", "\n")
  const bare = lf.endsWith("\n") ? lf.slice(0, -1) : lf
  return [bare, `${bare}\n`].flatMap((version) => [version, version.replaceAll("\n", "\r\n")])
}

/** Letters and digits below which lines are likely to stand in many places. */
const shortBelow = 12

const isShort = (text: string): boolean => (text.match(/[\p{L}\p{N}]/gu) ?? []).length < shortBelow

const isWidened = ({ covers, end, start }: LineReceipt): boolean => covers.start < start || covers.end > end

const holds = (outer: LineRange, inner: LineRange): boolean => outer.start <= inner.start && outer.end >= inner.end

// --- declarations -----------------------------------------------------------------------------------------------

/** The declaration that lines belong to, found as it was found when they were accepted. */
const declarationAt = ({ lines, outline, path }: SourceFile, range: LineRange): FoundDeclaration | null =>
  findingOf(path, lines, outline, range).declaration

const named = ({ lines, outline }: SourceFile, name: string): ReadonlyArray<FoundDeclaration> =>
  outline === null ? [] : declarationsOf(lines, outline).filter((one) => one.name === name)

const isSame = (
  before: NonNullable<LineReceipt["declaration"]>,
  now: FoundDeclaration | null,
  sha256: Sha256
): boolean => now !== null && now.name === before.name && sha256(now.tokens) === before.hash
