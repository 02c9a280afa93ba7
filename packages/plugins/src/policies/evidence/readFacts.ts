import { type Base, Digest, type LineFact, type LineProof, type LineReceipt } from "@proofline/kernel"
import { Effect, Option, Result } from "effect"
import {
  Baseline,
  type Changes,
  type FileRefused,
  type LineRange,
  type Now,
  type ProjectFile,
  ProjectFiles,
  type ProjectReader,
  type SourceOutline,
  Syntax
} from "../../port/index.ts"
import { splitLines } from "../../text/lines.ts"
import { admissionIn } from "./admission.ts"
import { asksForConstant, asksForNothing, asksToRewrite, asksToSkip, linesToCommentOut } from "./asked/askedFor.ts"
import { asksForWording } from "./asked/commentItems.ts"
import { placesToDelete } from "./asked/deletions.ts"
import { asksForExamples, examplesAskedFor } from "./asked/examples.ts"
import { lacking, untouchedIn } from "./asked/namedCode.ts"
import { type NamedFile, namedFiles } from "./asked/namedFiles.ts"
import { functionsNamedIn, unrelatedTo } from "./asked/namedPlaces.ts"
import { isProse, type TaskWords } from "./asked/prose.ts"
import { asksForRemoval, mayTakeOut, removalsIn, toShowRemoval } from "./asked/removals.ts"
import { normalized } from "./code/normalized.ts"
import { once } from "./code/once.ts"
import { type Emptied, findingOf, type IsOther, type Rule } from "./code/range.ts"
import { codeIn, lackingOf, type Names, namesOf, sentencesOf, type Words } from "./codeNames.ts"
import { isNoStub, whyUnread } from "./fault.ts"
import { movedCode } from "./moved/readFacts.ts"
import { parse, type Reference } from "./reference.ts"
import { isOnlyShown } from "./tests/goTests.ts"
import { neverRanBefore } from "./tests/neverRanBefore.ts"
import { isTestFile } from "./tests/testCases.ts"
import { unrunIn } from "./unrun/readFacts.ts"
import { type Texts, unusedIn } from "./unused/readFacts.ts"
import { besideCode, besideProof, type Since, shownBy } from "./work/besideCode.ts"
import { uncommented } from "./work/commentRemovals.ts"
import { newComments } from "./work/comments.ts"
import { declaredOnly } from "./work/declaredOnly.ts"
import { emptyCallIn } from "./work/emptyCalls.ts"
import { layoutOf } from "./work/formatting.ts"
import { idleConfigIn } from "./work/idleConfig.ts"
import { importsReplaced, importsStill, movedAway, newImports } from "./work/importWork.ts"
import { inertIn } from "./work/inert/index.ts"
import { codeBeside, commentedOut } from "./work/leftBehind.ts"
import { type FileNow, fileChanges, isRespelledWhole, lineProof } from "./work/lineProof.ts"
import { placeholderIn } from "./work/placeholder.ts"
import { spacingOf } from "./work/spacing.ts"
import { asksForSpelling } from "./work/spelling.ts"
import { type StandIn, type StandIns, standInAt } from "./work/standIns.ts"
import { switchedOffIn } from "./work/switchedOff.ts"
import { uncalledIn } from "./work/uncalled.ts"

/** Text that claims to be evidence, and the place of its claim in the report. */
export interface Claimed {
  readonly index: number
  readonly evidence: string
  /** What it is cited for; left out: nobody asks whether it is the right place. */
  readonly item?: string
  /** The work that the item speaks of as a whole, where it names nothing itself. One place shows a part of it. */
  readonly whole?: string
  /** What the task of the item says; left out: nobody asks. */
  readonly task?: TaskWords
}

/**
 * Looks at what is cited. Every file is read once, so all facts of one file speak of the same content. With a base it
 * is also told whether anything of it was changed since, and what the lines are to the run. Facts come in the order of the claims. `files` are the
 * project's own unless others are given.
 */
export type ReadFacts = (
  claims: ReadonlyArray<Claimed>,
  base: Base | null,
  files?: ProjectReader
) => Effect.Effect<ReadonlyArray<LineFact>>

export const makeReadFacts = Effect.fnUntraced(function* (
  rule: Rule = findingOf
): Effect.fn.Return<ReadFacts, never, ProjectFiles | Digest | Syntax | Baseline> {
  const projectFiles = yield* ProjectFiles
  const digest = yield* Digest
  const syntax = yield* Syntax
  const baseline = yield* Baseline

  const since = Effect.fnUntraced(function* (
    base: Base,
    now: FileNow & { readonly executable: true | undefined },
    at: Now,
    files: ProjectReader,
    texts: Texts
  ) {
    const before = yield* baseline.before(base, now.path, at)
    const outline = before._tag === "text" ? yield* syntax.outline(now.path, before.text) : null
    const ignored = yield* baseline.isIgnored(now.path)
    const changes = fileChanges(now, before, outline)
    const old = { path: now.path, lines: before._tag === "text" ? splitLines(before.text) : [], outline }
    const was = once(() => ({ ...old, tokens: normalized(now.path, old.lines, outline) }))
    const isKnown = changes !== null
    const moreThanBefore = once(() => moreOften(now.lines, old.lines))
    // which functions are new is known by the outline of before
    const ofNewFunctions = (find: typeof emptyCallIn) => (_item: string, range: LineRange) =>
      changes === null || (outline === null && old.lines.length > 0)
        ? null
        : find({ ...now, tokens: changes.tokens }, outline, range)
    const were = once(() => new Set(old.lines.map((line) => line.trim())))
    // a line to which another one was added only got its comma
    const freshRows = once(() =>
      (changes?.real.rows ?? []).filter((row) => {
        const line = (now.lines[row] ?? "").trim()
        return !line.endsWith(",") || !were().has(line.slice(0, -1))
      })
    )
    const inNewRows = (find: typeof switchedOffIn) => (item: string, range: LineRange) =>
      changes === null ? null : find(item, { ...now, tokens: changes.tokens }, freshRows(), range)
    return {
      changes,
      before: was,
      ignored,
      isNew: (line: string) => moreThanBefore().has(line.trim()),
      comments: (item: string) => {
        if (changes === null) return none()
        const isAsked = linesToCommentOut(item)
        if (isAsked === null) return newComments(now, old, asksForWording(item), examplesAskedFor(item))
        const out = commentedOut({ ...now, tokens: changes.tokens }, was())
        const lines = [...out.keys()].map((row) => now.lines[row] ?? "")
        return isAsked(lines, codeBeside(lines, { ...now, tokens: changes.tokens })) ? out : none()
      },
      imports: isKnown ? () => newImports(now, old) : none,
      replaced: (item: string) => (isKnown ? importsReplaced(item, now, old) : none()),
      imported: (item: string) => (isKnown ? importsStill(item, now, old) : []),
      moved: () => {
        const tokens = changes?.tokens ?? []
        return movedAway({ ...now, tokens }, was())
      },
      spacing: () =>
        before._tag === "text"
          ? spacingOf(before, { text: now.lines.join(""), executable: now.executable })
          : new Map(),
      layout: () => (isKnown ? layoutOf(old.lines, now.lines) : null),
      uncommented: (item: string) =>
        uncommented(item, { file: now, tokens: changes?.tokens ?? [] }, { file: old, tokens: was().tokens }),
      kept: (names: ReadonlyArray<string>) =>
        changes === null || names.length === 0 ? [] : untouchedIn(names, was().tokens, changes.tokens),
      admitted: (item: string, range: LineRange) => (isKnown ? admissionIn(item, now, old, range) : null),
      unwritten: ofNewFunctions(emptyCallIn),
      uncalled: ofNewFunctions(uncalledIn),
      declared: (item: string, range: LineRange) =>
        changes === null ? null : declaredOnly(item, now, changes.tokens, range),
      switchedOff: inNewRows(switchedOffIn),
      idleConfig: inNewRows(idleConfigIn),
      placeholder: inNewRows(placeholderIn),
      inert: (item: string, range: LineRange) =>
        changes === null
          ? null
          : inertIn(item, now, freshRows(), range, {
              isNew: (line) => moreThanBefore().has(line.trim()),
              wasThere: (line) => were().has(line.trim())
            }),
      unused: (item: string, range: LineRange) =>
        changes === null || asksForRemoval(item) || isRespelledWhole(changes)
          ? Effect.succeed(null)
          : unusedIn(item, now, { changes, before: old.lines }, range, { files, texts }),
      unrelated: (words: Words, range: LineRange) => {
        const names = outline === null || changes === null ? [] : sentencesOf(words).flatMap(functionsNamedIn)
        const tokens = changes?.tokens ?? []
        return names.length === 0 ? [] : unrelatedTo(names, { ...now, tokens }, was(), range)
      }
    }
  })

  const read = Effect.fnUntraced(function* (path: string, base: Base | null, files: ProjectReader, texts: Texts) {
    const file = yield* files.readText(path)
    const outline = yield* syntax.outline(path, file.text)
    const { root } = files
    const changes = base === null ? null : yield* baseline.changes(base, path, file.text, root)
    const lines = splitLines(file.text)
    const found = { path, lines, outline, executable: file.executable }
    const known = base === null ? null : yield* since(base, found, { text: file.text, root }, files, texts)
    return { file, lines, outline, changes, since: known } satisfies Seen
  })

  /** Where what is to be gone stands now, of a fact that has no such place in its own file; null: nowhere else that is known. */
  const movedFrom = Effect.fnUntraced(function* (
    { item, others, task, whole }: Citation,
    since: Seen["since"],
    base: Base | null,
    files: ProjectReader
  ) {
    if (item === undefined || whole !== undefined || base === null || since?.changes == null) return null
    return yield* movedCode({ item, task, others }, since.before(), { baseline, syntax, base, files })
  })

  return Effect.fnUntraced(function* (claims, base, files = projectFiles) {
    const cited = claims.map((claim) => ({ ...claim, reference: parse(claim.evidence) }))
    const byPath = Map.groupBy(cited.entries(), ([, { reference }]) =>
      Result.isSuccess(reference) ? reference.success.path : null
    )
    const texts: Texts = new Map()
    // file after file: a report may cite more than fits into memory
    const facts = yield* Effect.forEach(
      byPath,
      Effect.fnUntraced(function* ([path, of]) {
        const seen = path === null ? null : yield* Effect.result(read(path, base, files, texts))
        return yield* Effect.forEach(
          of,
          Effect.fnUntraced(function* ([place, citation]) {
            const named = yield* namedIn(base, { ...citation, path }, files)
            const text = seen !== null && Result.isSuccess(seen) ? seen.success.file.text : ""
            const weighed = { named, ...proseIn(base, path, citation, text) }
            const others = once(() =>
              claims.flatMap(({ item }, at) => (item === undefined || at === place ? [] : [item]))
            )
            const asked = { ...citation, others }
            const isMoved = (since: Seen["since"]) => movedFrom(asked, since, base, files)
            return [
              place,
              yield* factOf(asked, seen, { rule, sha256: digest.sha256, weighed, files, isMoved })
            ] as const
          })
        )
      }),
      { concurrency: filesAtOnce }
    )
    const inPlace = new Map(facts.flat())
    return claims.flatMap((_, place) => inPlace.get(place) ?? [])
  })
})

/**
 * Files in which an item says that its work is; those that may be something else, or that are to be made into another, count
 * where the project has them.
 */
export const namedIn = Effect.fnUntraced(function* (
  base: Base | null,
  { item, path, whole }: Words & { readonly path: string | null },
  files: ProjectReader
): Effect.fn.Return<ReadonlyArray<string>> {
  const text = whole ?? item
  if (base === null || text === undefined) return []
  const counts = ({ certain, mayGo, name }: NamedFile): Effect.Effect<boolean> => {
    if (!certain) return Effect.isSuccess(files.readText(name))
    return mayGo ? Effect.map(isGone(name, path, files), (is) => !is) : Effect.succeed(true)
  }
  return (yield* Effect.filter(namedFiles(text), counts)).map(({ name }) => name)
})

/** It is not there, nor beside what is cited. */
const isGone = Effect.fnUntraced(function* (
  name: string,
  cited: string | null,
  files: ProjectReader
): Effect.fn.Return<boolean> {
  const beside = name.includes("/") || cited === null ? [] : [cited.slice(0, cited.lastIndexOf("/") + 1) + name]
  const places = [name, ...beside]
  const gone = yield* Effect.forEach(places, (place) =>
    Effect.match(files.readText(place), { onSuccess: () => false, onFailure: ({ reason }) => reason === "not_found" })
  )
  return gone.every((is) => is)
})

/** What a fact says of names that an item asks to write, and that a whole file does not have. */
export const lackingIn = Effect.fnUntraced(function* (
  base: Base | null,
  path: string | null,
  words: Words,
  files: ProjectReader
): Effect.fn.Return<{ readonly lacks?: ReadonlyArray<string> }> {
  const wanted = base === null || path === null ? [] : namesOf(words).wanted
  const read = path === null || wanted.length === 0 ? null : yield* Effect.option(files.readText(path))
  if (path === null || read === null || Option.isNone(read)) return {}
  const lines = splitLines(read.value.text)
  const tokens = normalized(path, lines, null)
  const whole = { start: 1, end: lines.length }
  const lacks = lackingOf(words, wanted, lacking(wanted, { path, tokens, outline: null }, whole))
  return lacks.length === 0 ? {} : { lacks }
})

/** What a fact says of files that an item asks to delete beside the one that is cited as gone. */
export const remainingIn = Effect.fnUntraced(function* (
  base: Base | null,
  gone: string | null,
  item: string | undefined,
  files: ProjectReader
): Effect.fn.Return<{ readonly remains?: ReadonlyArray<string> }> {
  const others = base === null || gone === null || item === undefined ? [] : placesToDelete(item, gone)
  const found = yield* Effect.forEach(
    others.filter((path) => path !== gone),
    (path) =>
      Effect.map(
        Effect.orElseSucceed(files.entryAt(path), () => "missing"),
        (entry) => (entry === "missing" ? [] : [path])
      )
  )
  const remains = found.flat()
  return remains.length === 0 ? {} : { remains }
})

/** What a fact says of text for people that is cited where code is asked for. */
export const proseIn = (
  base: Base | null,
  path: string | null,
  { item, task }: { readonly item?: string | undefined; readonly task?: TaskWords | undefined },
  text = ""
): { readonly prose?: true } =>
  base !== null && path !== null && item !== undefined && isProse(path, item, task, text) ? { prose: true } : {}

const filesAtOnce = 8

interface Seen {
  readonly file: ProjectFile
  readonly lines: ReadonlyArray<string>
  readonly outline: SourceOutline | null
  readonly changes: Changes | null
  /** What the run did to it; null: nobody knows what it was before. */
  readonly since: (Since & SinceRun) | null
}

/** What a fact says of the file as a whole. */
interface SinceRun extends StandIns, Names {
  readonly ignored: boolean
  /** Why what these lines declare does nothing by itself, where nothing in the project speaks of it: other files are read. */
  readonly unused: (item: string, range: LineRange) => Effect.Effect<string | null>
}

/** Lines, without blanks around them, of which there are more than before. */
const moreOften = (now: ReadonlyArray<string>, before: ReadonlyArray<string>): ReadonlySet<string> => {
  const times = new Map<string, number>()
  for (const [lines, by] of [[now, 1] as const, [before, -1] as const])
    for (const line of lines) times.set(line.trim(), (times.get(line.trim()) ?? 0) + by)
  return new Set([...times].flatMap(([line, more]) => (more > 0 ? [line] : [])))
}

const none = (): ReadonlyMap<number, string> => new Map()

/** What stands there; without what would do where code is asked for. */
const firstSentence = (text: string): string => /^The lines hold only [^.]*\./.exec(text)?.[0] ?? text

/** It asks for what does nothing, or for tests that do not run. */
const asksFor = (item: string, path: string): boolean => asksForNothing(item) || (isTestFile(path) && asksToSkip(item))

/** What is said of a function that looks at nothing of what it is given. */
const sameForAll = " always returns the same value, "

const onlyBrackets = /^The lines hold only brackets(?: and blank lines)?\.$/

interface Citation extends Claimed {
  readonly reference: Result.Result<Reference, string>
  /** What else is reported: other items. */
  readonly others: () => ReadonlyArray<string>
}

interface Judging {
  readonly rule: Rule
  readonly sha256: (text: string) => string
  readonly weighed: Pick<LineProof, "named" | "prose">
  readonly files: ProjectReader
  readonly isMoved: (since: Seen["since"]) => Effect.Effect<string | null>
}

const factOf = Effect.fnUntraced(function* (
  { evidence, index, item, others, reference, task, whole }: Citation,
  read: Result.Result<Seen, FileRefused> | null,
  { files, isMoved, rule, sha256, weighed }: Judging
): Effect.fn.Return<LineFact> {
  const nothing = {
    index,
    evidence,
    path: null,
    start: null,
    end: null,
    total: null,
    declaration: null,
    untouched: null,
    receipt: null
  }
  if (Result.isFailure(reference)) return { ...nothing, outcome: "format_invalid", detail: reference.failure }
  const { end, path, start } = reference.success
  if (read === null || Result.isFailure(read))
    return {
      ...nothing,
      path,
      start,
      end,
      outcome: "file_not_found",
      detail: read === null ? "" : whyUnread(read.failure)
    }
  const { changes, file, lines, outline, since } = read.success
  const seen = { ...nothing, path, start, end, total: lines.length }
  if (end > lines.length) return { ...seen, outcome: "out_of_range", detail: "" }
  const range = { start, end }
  const {
    covers,
    declaration,
    empty: nothingIn,
    hidden
  } = rule(path, lines, outline, range, otherThan(item, changes, range, { path, lines }))
  // who asks for nothing gets it; a comment is nothing of the kind
  const isAskedFor =
    item !== undefined && (asksFor(item, path) || (nothingIn?.includes(sameForAll) === true && asksForConstant(item)))
  const standIn =
    nothingIn === null && item !== undefined && !isAskedFor && since !== null
      ? (standInAt(item, since, covers, declaration) ?? idle(yield* since.unused(item, covers)))
      : null
  const empty = nothingIn === null ? (standIn?.why ?? null) : isAskedFor && !isNoStub(nothingIn) ? null : nothingIn
  const isRemoval = item !== undefined && asksForRemoval(item)
  const proven =
    since === null
      ? null
      : lineProof(
          { path, lines, outline },
          since.changes,
          { covers, range, isRemoval, isSpelling: item === undefined || asksForSpelling(item) },
          sha256
        )
  const isMeant =
    item !== undefined &&
    (asksToSkip(item) ||
      (proven?.never_runs != null &&
        since !== null &&
        asksToRewrite(item) &&
        neverRanBefore(path, since.before(), { lines, outline }, covers)) ||
      (asksForExamples(item) && proven?.never_runs != null && isOnlyShown(proven.never_runs)))
  const code = proven !== null && isMeant ? { ...proven, never_runs: null } : proven
  const beside = besideCode(item, { path, lines, outline }, since, range, sha256)
  const isCut = removalsIn(code?.change?.lines ?? []).length > 0
  const isRemoved =
    (isRemoval && (isCut || beside.removals.length > 0)) ||
    // a stub in the place of what was there shows nothing: brackets alone are what is left around it
    (isCut && nothingIn !== null && onlyBrackets.test(nothingIn) && item !== undefined && mayTakeOut(item))
  const untouched =
    changes === null
      ? null
      : !changes.touched(covers.start, covers.end) &&
        !(isRemoved && code?.change?.touched === true) &&
        beside.removals.length + beside.layout.length === 0
  const found = { ...seen, declaration: declaration?.name ?? null, untouched }
  if (empty !== null && !isRemoved && !beside.isEnough) {
    const places = beside.places ?? code?.places
    const detail = places === undefined ? empty : `${firstSentence(empty)} ${toShowRemoval(path, places)}`
    return { ...found, outcome: "empty", detail, ...(standIn?.isIdle === true ? { idle: true } : {}) }
  }
  const by = code === null ? null : shownBy(code.change, beside)
  const ofNames =
    since === null || code === null
      ? {}
      : codeIn({ item, task, whole }, since, { by, lines, others, outline, path, range: covers })
  const left = ofNames.left ?? (code === null ? null : yield* isMoved(since))
  const mayBeUnrun = code?.never_runs === null && (item === undefined || !(isRemoval || asksToSkip(item)))
  const unrun = mayBeUnrun ? yield* unrunIn({ path, lines, outline }, range, item, files) : null
  const proof =
    since === null || code === null
      ? {}
      : {
          proof: {
            ...code,
            never_runs: code.never_runs ?? unrun,
            ...besideProof(code.change, beside, by),
            ignored: since.ignored,
            ...broughtIn(changes, code.change, covers),
            ...weighed,
            ...ofNames,
            ...(left === null ? {} : { left })
          }
        }
  return {
    ...found,
    ...proof,
    ...(hidden === null ? {} : { hidden }),
    outcome: "ok",
    detail: "",
    receipt: {
      kind: "lines",
      path,
      start,
      end,
      sha256: sha256(lines.slice(start - 1, end).join("")),
      git_blob: file.git_blob,
      git_commit: file.git_commit,
      covers: { ...covers, sha256: sha256(lines.slice(covers.start - 1, covers.end).join("")) },
      declaration: declaration === null ? null : declared(declaration, sha256),
      ...(by === "comments" ? { comments: true } : {}),
      ...(by === "imports" ? { imports: true } : {}),
      ...(empty !== null && isRemoved ? { removed: true } : {}),
      ...(by === "layout" ? { layout: true } : {})
    }
  }
})

const idle = (why: string | null): StandIn | null => (why === null ? null : { why, isIdle: true })

/** The commit that brought what was changed of lines, where that is all that was. */
const broughtIn = (
  changes: Changes | null,
  change: LineProof["change"],
  { end, start }: LineRange
): Pick<LineProof, "brought"> =>
  changes?.brought?.touched(start, end) === true && (change?.touched !== true || change.lines.length === 0)
    ? { brought: changes.brought.commit }
    : {}

/** A function of before in a type of which the head alone is cited: `class Cache:`, for what does not ask to write anything. */
const otherThan =
  (
    item: string | undefined,
    changes: Changes | null,
    { end, start }: LineRange,
    file: { readonly path: string; readonly lines: ReadonlyArray<string> }
  ): IsOther =>
  (unit) =>
    item !== undefined &&
    !(unit.name !== null && item.includes(unit.name)) &&
    ((changes !== null &&
      !unit.isCited &&
      mayTakeOut(item) &&
      (unit.start > end || unit.end < start) &&
      !changes.touched(unit.start, unit.end)) ||
      isAside(unit, file))

/**
 * One of several that need do nothing: `@Override public void flush() {}` in a class that does something, and a type or a
 * method of a double beside tests.
 */
const isAside = (
  { filled, name, start }: Emptied,
  { lines, path }: { readonly path: string; readonly lines: ReadonlyArray<string> }
): boolean => {
  if (filled < 2 || name === null) return false
  const [above = "", head = ""] = [lines[start - 2], lines[start - 1]]
  if (isTestFile(path))
    return !/test|spec|should/i.test(name) && ![above, head].some((line) => /^\s*(?:@(?!Override)|#?\[)\w/.test(line))
  return quietNames.test(name) && /\boverride\b/i.test(`${/^\s*@/.test(above) ? above : ""}${head}`)
}
const quietNames =
  /^(?:_*(?:cancel|close|dispose|finish|flush|release|reset)|(?:after|before|did|on|visit|will)[A-Z]\w*)$/

const declared = (
  { end, kind, name, start, tokens }: NonNullable<ReturnType<Rule>["declaration"]>,
  sha256: (text: string) => string
): LineReceipt["declaration"] => ({ name, kind, start, end, hash: sha256(tokens) })
