import type { Base } from "@proofline/kernel"
import { Effect, Option, Result } from "effect"
import type {
  Baseline,
  Before,
  FileRefused,
  ProjectFiles,
  ProjectReader,
  SourceOutline,
  Syntax
} from "../../../port/index.ts"
import { splitLines } from "../../../text/lines.ts"
import { goneNames } from "../asked/goneNames.ts"
import { isAggregate } from "../code/aggregate.ts"
import { normalized } from "../code/normalized.ts"
import { allStubs, findingOf } from "../code/range.ts"
import { leftIn, stillThere } from "../codeNames.ts"
import { Evidence, type EvidenceKind, evidenceKind, type LookContext } from "../contract.ts"
import { whyUnread } from "../fault.ts"
import { type AskedFor, movedCode, type Seeing, versionOf } from "../moved/readFacts.ts"
import { parsePath } from "../reference.ts"
import { neverRuns } from "../tests/neverRuns.ts"
import { unrunIn } from "../unrun/readFacts.ts"
import { layoutIn, layoutOf } from "../work/formatting.ts"
import { idleConfigIn, isConfiguration } from "../work/idleConfig.ts"
import { type FileNow, fileChanges, fileProof, isRespelledWhole } from "../work/lineProof.ts"
import { spacingOf } from "../work/spacing.ts"
import {
  AbsentFact,
  type FileChange,
  FileFact,
  judgeAbsent,
  judgeFile,
  pathOf,
  sameAbsence,
  sameFile
} from "./facts.ts"

/** What the kinds stand on. */
export interface FileWorld {
  readonly files: ProjectFiles["Service"]
  readonly sha256: (data: string) => string
  readonly outline: Syntax["Service"]["outline"]
  /** Null: outside of a run, where there is nothing to compare with. */
  readonly baseline: Pick<Baseline["Service"], "before" | "isIgnored"> | null
}

/** The kinds of evidence that Proofline brings, as they are offered. */
export const fileOffers = (world: FileWorld) => ({
  file: evidenceKind({
    scheme: "file",
    cites: "a new or changed file",
    schema: FileFact,
    look: (reference, context) => lookAtFile(world, reference, context),
    judge: judgeFile,
    same: sameFile,
    path: pathOf
  }),
  absent: evidenceKind({
    scheme: "absent",
    cites: "a removed file",
    schema: AbsentFact,
    look: (reference, context) => lookForNothing(world, reference, context),
    judge: judgeAbsent,
    same: sameAbsence,
    path: pathOf
  })
})

/** The same for whoever looks outside of a composition. */
export const fileKinds = (world: FileWorld): ReadonlyArray<EvidenceKind> =>
  Object.values(fileOffers(world)).map(({ judge, look, path, same, ...declared }) => ({
    ...declared,
    by: Evidence.name,
    place: "kind",
    look: (reference, context) => look(null, reference, context),
    judge: (fact, item) => judge(null, fact, item),
    ...(same === undefined ? {} : { same: (accepted, now) => same(null, accepted, now) }),
    ...(path === undefined ? {} : { path: (reference) => path(null, reference) })
  }))

const readerAt = ({ files }: FileWorld, directory: string): ProjectReader =>
  directory === files.root ? files : files.at(directory)

// --- a file -------------------------------------------------------------------------------------------------------

const nothing = { detail: "", sha256: null, bytes: null, proof: null }

/** What a file holds; `text` is null for what is none, or is too large to be looked into. */
interface Content {
  readonly path: string
  readonly sha256: string
  readonly bytes: number
  readonly text: string | null
  readonly executable?: true | undefined
}

const lookAtFile = Effect.fnUntraced(function* (
  world: FileWorld,
  reference: string,
  { base, directory }: LookContext
): Effect.fn.Return<FileFact> {
  const path = parsePath(reference)
  if (Result.isFailure(path)) return { ...nothing, outcome: "format_invalid", detail: path.failure }
  const content = yield* Effect.result(contentOf(world, readerAt(world, directory), path.success))
  if (Result.isFailure(content)) return { ...nothing, outcome: "file_not_found", detail: whyNot(content.failure) }
  const { bytes, sha256, text } = content.success
  const now = text === null ? null : yield* fileNow(world, path.success, text)
  const stubs = now === null ? null : isBare(now) ? whyNoMarker(now) : emptinessOf(now)
  if (stubs !== null) return { ...nothing, outcome: "empty", detail: stubs, sha256, bytes }
  const proof = base === null ? null : yield* proofOf(world, { base, directory }, { content: content.success, now })
  return { outcome: "ok", detail: "", sha256, bytes, proof }
})

const whyNot = (refused: FileRefused): string =>
  refused.reason === "not_a_file"
    ? `${refused.message} Cite the files in it that were made or changed.`
    : whyUnread(refused)

const contentOf = Effect.fnUntraced(function* ({ sha256 }: FileWorld, reader: ProjectReader, path: string) {
  const read = yield* Effect.result(reader.readText(path))
  if (Result.isSuccess(read)) {
    const { executable, text } = read.success
    return { path, text, executable, sha256: sha256(text), bytes: Buffer.byteLength(text) } satisfies Content
  }
  const { reason } = read.failure
  if (reason !== "not_text" && reason !== "too_large") return yield* read.failure
  return { ...(yield* reader.digest(path)), text: null } satisfies Content
})

const fileNow = ({ outline }: FileWorld, path: string, text: string) =>
  Effect.map(outline(path, text), (found): FileNow => ({ path, lines: splitLines(text), outline: found }))

/** It holds nothing but blanks and comments: a marker, not an implementation that was left out. */
const isBare = ({ lines, outline, path }: FileNow): boolean =>
  normalized(path, lines, outline).every((tokens) => tokens === "")

/** A source file is no marker, unless files of its name are there to be empty, or it refers to other files in a comment. */
const whyNoMarker = ({ lines, outline, path }: FileNow): string | null =>
  outline === null || isAggregate(path, lines, outline) || lines.some((line) => /^\s*\/\/\/\s*</.test(line))
    ? null
    : "The file holds nothing but blanks and comments."

/** Why a file shows nothing by itself, in words; null: something is done in it, or it is one that nothing need be done in. */
export const stubOf = (path: string, text: string, outline: SourceOutline | null): string | null => {
  const now: FileNow = { path, lines: splitLines(text), outline }
  if (isBare(now)) return whyNoMarker(now)
  return outline === null ? null : allStubs(path, now.lines, outline)
}

const wholeOf = ({ lines }: FileNow) => ({ start: 1, end: lines.length })

const emptinessOf = (now: FileNow): string | null => findingOf(now.path, now.lines, now.outline, wholeOf(now)).empty

interface Seen {
  readonly content: Content
  /** Null: it is no text. */
  readonly now: FileNow | null
}

const proofOf = Effect.fnUntraced(function* (
  world: FileWorld,
  { base, directory }: { readonly base: Base; readonly directory: string },
  { content, now }: Seen
) {
  const { baseline, outline, sha256 } = world
  const { path } = content
  const at = { text: content.text, root: directory }
  const before: Before = baseline === null ? { _tag: "unknown" } : yield* baseline.before(base, path, at)
  const outlineThen = before._tag === "text" && now !== null ? yield* outline(path, before.text) : null
  const changes = now === null ? null : fileChanges(now, before, outlineThen)
  const isRespelled = changes !== null && isRespelledWhole(changes)
  const spacing =
    before._tag === "text" && content.text !== null
      ? [...spacingOf(before, { text: content.text, executable: content.executable }).keys()]
      : []
  const lines = changes === null || isRespelled ? [] : fileProof(changes, sha256)
  const isSame = sameAs(before, content, sha256)
  const change: FileChange =
    isSame === null
      ? "unknown"
      : isSame
        ? "none"
        : changes !== null && lines.length === 0 && !(before._tag === "absent" && now !== null && isBare(now))
          ? "cosmetic"
          : before._tag === "absent"
            ? "new"
            : "changed"
  return {
    change,
    lines: shortened(lines, sha256),
    ignored: baseline !== null && (yield* baseline.isIgnored(path)),
    never_runs:
      now === null
        ? null
        : (neverRuns(path, now.lines, now.outline, wholeOf(now)) ??
          (yield* unrunIn(now, wholeOf(now), undefined, readerAt(world, directory)))),
    ...(change === "cosmetic" && now !== null && isLaidOut(before, now, sha256) ? { laid_out: path } : {}),
    ...(spacing.length > 0 && (change === "cosmetic" || change === "none")
      ? { spacing: { path, kinds: spacing } }
      : {}),
    ...(change === "cosmetic" && isRespelled ? { respelled: true } : {}),
    ...(before.brought !== undefined && (change === "none" || change === "cosmetic") ? { brought: before.brought } : {})
  }
})

/** It says what it said, in another layout. */
const isLaidOut = (before: Before, now: FileNow, sha256: (text: string) => string): boolean => {
  const layout = before._tag === "text" ? layoutOf(splitLines(before.text), now.lines) : null
  return layout !== null && layoutIn(layout, wholeOf(now), sha256).length > 0
}

/** Whether the content is what it was; null: nobody can tell. */
const sameAs = (before: Before, { sha256, text }: Content, digest: (text: string) => string): boolean | null => {
  switch (before._tag) {
    case "absent":
      return false
    case "text":
      return text === null ? digest(before.text) === sha256 : before.text === text
    case "other":
      return before.sha256 === null ? null : before.sha256 === sha256
    case "unknown":
      return null
  }
}

/** Lines that are named: they stand in the receipt too. What is beyond counts as one more. */
const namedMost = 100

const shortened = (lines: ReadonlyArray<string>, sha256: (text: string) => string): ReadonlyArray<string> =>
  lines.length <= namedMost
    ? lines
    : [...lines.slice(0, namedMost), `+${sha256(lines.slice(namedMost).join(" ")).slice(0, 8)}`]

// --- nothing ------------------------------------------------------------------------------------------------------

const lookForNothing = Effect.fnUntraced(function* (
  world: FileWorld,
  reference: string,
  { base, directory }: LookContext
): Effect.fn.Return<AbsentFact> {
  const { baseline } = world
  const path = parsePath(reference)
  if (Result.isFailure(path)) return { outcome: "format_invalid", detail: path.failure, before: null }
  const entry = yield* Effect.result(readerAt(world, directory).entryAt(path.success))
  if (Result.isFailure(entry)) return { outcome: "refused", detail: entry.failure.message, before: null }
  if (entry.success !== "missing") {
    const what = entry.success === "other" ? "" : ` (a ${entry.success})`
    return { outcome: "there", detail: `${path.success} is still there${what}.`, before: null }
  }
  if (base === null || baseline === null) return { outcome: "gone", detail: "", before: null }
  const { _tag, brought } = yield* baseline.before(base, path.success, { text: null, root: directory })
  return {
    outcome: "gone",
    detail: "",
    before: _tag === "text" || _tag === "other" ? "there" : _tag,
    ...(_tag === "absent" && brought !== undefined ? { brought } : {})
  }
})

/** A file that is cited as a whole, now and before. */
const bothOf = Effect.fnUntraced(function* (path: string, seeing: Seeing) {
  const { base, baseline, files } = seeing
  const now = yield* Effect.option(files.readText(path))
  if (Option.isNone(now)) return null
  const before = yield* baseline.before(base, path, { text: now.value.text, root: files.root })
  if (before._tag !== "text" && before._tag !== "absent") return null
  return {
    before,
    now: yield* versionOf(seeing, path, now.value.text),
    was: yield* versionOf(seeing, path, before._tag === "text" ? before.text : "")
  }
})

/** What is cited as a whole, and goes on there or elsewhere although an item wants it gone, in words. Null: nothing. */
export const leftInFile = Effect.fnUntraced(function* (
  asked: AskedFor,
  path: string,
  seeing: Seeing
): Effect.fn.Return<string | null> {
  const { item, others } = asked
  const { names } = goneNames(item)
  const both = names.length === 0 ? null : yield* bothOf(path, seeing)
  if (both === null) return null
  const { now, was } = both
  const [still] = stillThere(names, was, now)
  if (still !== undefined) return `${still} is in ${path} as it was`
  return leftIn(asked, names, others(), now, was) ?? (yield* movedCode(asked, was, seeing))
})

/** Why a configuration that is cited as a whole can never do what an item asks for; null: it may. */
export const idleFile = Effect.fnUntraced(function* (
  item: string,
  path: string,
  seeing: Seeing
): Effect.fn.Return<string | null> {
  const both = isConfiguration(path) ? yield* bothOf(path, seeing) : null
  if (both === null) return null
  const { before, now, was } = both
  const rows = fileChanges(now, before, was.outline)?.real.rows ?? []
  return idleConfigIn(item, now, rows, { start: 1, end: now.lines.length })
})
