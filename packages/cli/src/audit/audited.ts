import { existsSync } from "node:fs"
import * as Path from "node:path"
import type { GitHistory } from "@proofline/plugins/adapters/git-history"
import { Effect } from "effect"
import type { Box, Tool } from "./Box.ts"
import { type BoxPast, boxPasts } from "./boxPast.ts"
import type { Finding, FindingCode } from "./findings.ts"
import { type Named, type NamedByBox, namedBy } from "./named.ts"
import { type Past, pastOf } from "./past.ts"
import { type Places, placesOf } from "./places.ts"

/** A task list as it is on the disk. */
export interface TaskList {
  readonly file: string
  readonly tool: Tool
  readonly boxes: ReadonlyArray<Box>
  /** Its boxes in another text of it; null: that is none. */
  readonly read: (text: string) => ReadonlyArray<Box> | null
}

export interface AuditedList {
  readonly file: string
  readonly tool: Tool
  readonly items: number
  readonly ticked: number
  /** Ticked boxes that name nothing that could be looked at. */
  readonly names_nothing: number
  /** Ticked boxes of whose files nobody can tell: git ignores them, they were deleted later, there are several of the name. */
  readonly unclear: number
}

/** How named files and cited lines are looked at. */
export interface Looks {
  /** Why a file, or what the box names in it, is a stub; null: it is none. */
  readonly stub: (path: string, texts: ReadonlyArray<string>) => Effect.Effect<string | null>
  /** The one place where a name of the code is declared, and why it is empty; null: nobody knows. */
  readonly declared: (symbol: string) => Effect.Effect<{ readonly path: string; readonly empty: string | null } | null>
  /** Why cited lines show nothing; null: they hold. */
  readonly refusal: (evidence: string) => Effect.Effect<{ readonly isEmpty: boolean; readonly message: string } | null>
}

export interface Audited {
  readonly lists: ReadonlyArray<AuditedList>
  readonly findings: ReadonlyArray<Finding>
  readonly notJudged: ReadonlyArray<{ readonly what: string; readonly why: string }>
}

/** Judges the ticked boxes of lists by the disk, the syntax trees and the history of git. */
export const audited = Effect.fnUntraced(function* (
  root: string,
  lists: ReadonlyArray<TaskList>,
  history: GitHistory | null,
  looks: Looks,
  files: ReadonlySet<string>
) {
  const isThere = (path: string): boolean => existsSync(Path.join(root, path))
  const missing = new Set<string>()
  const world: World = {
    history,
    looks,
    places: placesOf(files, isThere),
    past: history === null || history.commits.length === 0 ? null : pastOf(history.commits),
    isThere
  }
  const named = lists.map((list) => ({ list, boxes: list.boxes.map(namedOf) }))
  for (const { boxes, list } of named)
    for (const one of boxes)
      for (const { path } of one.named?.files ?? []) {
        const place = world.places.find(path, list.file)
        if (place._tag === "missing") for (const where of place.places) missing.add(where)
      }
  const ignored = history === null ? new Set<string>() : yield* history.ignored([...missing])
  let left = revisionsMost
  let isCut = false
  const judged = yield* Effect.forEach(named, ({ boxes, list }) =>
    Effect.gen(function* () {
      const asked = boxes.filter(({ named }) => named !== null && named.files.length > 0)
      const revisions = asked.length === 0 ? [] : (world.past?.revisions(list.file) ?? [])
      isCut ||= revisions.length > left
      const read = revisions.length > left ? [] : revisions
      left -= read.length
      const pasts = boxPasts(list.boxes, yield* revisionsOf(list, read, history))
      const judgements = yield* Effect.forEach(boxes, (one, i) =>
        judge(world, list, one, pasts[i] ?? unknownPast, {
          ignored,
          isArchived: /(?:^|\/)(?:archived?|completed|done)\//i.test(list.file)
        })
      )
      const ticked = list.boxes.filter((box) => box.ticked)
      return {
        list: {
          file: list.file,
          tool: list.tool,
          items: list.boxes.length,
          ticked: ticked.length,
          names_nothing: judgements.filter(({ state }) => state === "names_nothing").length,
          unclear: judgements.filter(({ state }) => state === "unclear").length
        } satisfies AuditedList,
        findings: judgements.flatMap(({ findings }) => findings)
      }
    })
  )
  return {
    lists: judged.map(({ list }) => list),
    findings: judged.flatMap(({ findings }) => findings),
    notJudged: notJudgedOf(history, isCut)
  } satisfies Audited
})

/** Versions of lists that are read at most; beyond, the rest is not judged by its history. */
const revisionsMost = 20_000
/** Larger lists are not read. */
export const listMaxBytes = 5 * 1_024 * 1_024

const notJudgedOf = (history: GitHistory | null, isCut: boolean): Audited["notJudged"] => {
  const what = "What git never touched"
  if (history === null) return [{ what, why: "The directory is in no git repository, or git is not installed." }]
  if (history.commits.length === 0) return [{ what, why: "The repository has no commit yet." }]
  if (history.isShallow)
    return [{ what, why: "The clone is shallow, so what was before its oldest commit is not known: fetch all of it." }]
  return isCut ? [{ what: `${what}, in some lists`, why: `They have more than ${revisionsMost} versions.` }] : []
}

interface World {
  readonly history: GitHistory | null
  readonly looks: Looks
  readonly places: Places
  /** Null: there is none. */
  readonly past: Past | null
  readonly isThere: (path: string) => boolean
}

interface Circumstances {
  /** Paths that git is told to ignore. */
  readonly ignored: ReadonlySet<string>
  /** The list was put away: it is a record of its time. */
  readonly isArchived: boolean
}

interface NamedBox {
  readonly box: Box
  /** Null: it is not ticked, and nobody asks. */
  readonly named: NamedByBox | null
}

const namedOf = (box: Box): NamedBox => ({ box, named: box.ticked ? namedBy(box.texts) : null })

const unknownPast: BoxPast = { written: null, wasOpen: false, ticked: null }

const revisionsOf = (list: TaskList, revisions: ReturnType<Past["revisions"]>, history: GitHistory | null) =>
  Effect.map(
    Effect.forEach(revisions, ({ blob, commit }) =>
      Effect.map(history?.textOf(blob, listMaxBytes) ?? Effect.succeed(null), (text) => ({
        commit,
        boxes: text === null ? [] : (list.read(text) ?? [])
      }))
    ),
    (read) => read.filter(({ boxes }) => boxes.length > 0)
  )

interface Judgement {
  readonly state: "open" | "holds" | "refused" | "names_nothing" | "unclear"
  readonly findings: ReadonlyArray<Finding>
}

const judge = Effect.fnUntraced(function* (
  world: World,
  list: TaskList,
  { box, named }: NamedBox,
  past: BoxPast,
  circumstances: Circumstances
) {
  if (named === null) return { state: "open", findings: [] } satisfies Judgement
  const found: Array<Told> = []
  const there: Array<string> = []
  const written: Array<string> = []
  let unclear = 0
  for (const { evidence, path } of named.lines) {
    const refusal = yield* world.looks.refusal(evidence)
    if (refusal === null) there.push(path)
    else if (world.places.find(path, list.file)._tag !== "there") unclear++
    else found.push({ code: refusal.isEmpty ? "stub" : "missing_lines", path, message: refusal.message })
  }
  for (const one of named.files) {
    const place = whereNow(world, one, list.file)
    if (place._tag === "unclear") unclear++
    else if (place._tag === "there") {
      there.push(place.path)
      if (one.isWritten) written.push(place.path)
      const why = yield* world.looks.stub(place.path, box.texts)
      if (why !== null) found.push({ code: "stub", path: place.path, message: why })
    } else {
      const told = absence(world, one, place.places, past, circumstances)
      if (told === null) unclear++
      else if (told !== "nothing") found.push(told)
    }
  }
  for (const symbol of named.symbols) {
    const declared = yield* world.looks.declared(symbol)
    if (declared === null) continue
    there.push(declared.path)
    if (declared.empty !== null) found.push({ code: "stub", path: declared.path, message: declared.empty })
  }
  const alone =
    written.length > 0 && found.length === 0 && !named.isLook ? untouched(world, [...new Set(written)], past) : null
  const findings = (alone === null ? found : [alone]).map(({ code, message, path }) => ({
    file: list.file,
    line: box.line,
    column: box.column,
    item: box.item,
    code,
    message,
    path,
    tool: list.tool
  }))
  const state: Judgement["state"] =
    findings.length > 0 ? "refused" : there.length > 0 ? "holds" : unclear > 0 ? "unclear" : "names_nothing"
  return { state, findings } satisfies Judgement
})

interface Told {
  readonly code: FindingCode
  readonly path: string
  readonly message: string
}

/** Where a named file is by now: git knows where it was moved. */
const whereNow = ({ past, places }: World, { path }: Named, list: string): ReturnType<Places["find"]> => {
  const place = places.find(path, list)
  if (place._tag !== "missing" || past === null) return place
  for (const was of [...place.places, ...past.endingWith(path)]) {
    const moved = past.nameNow(was)
    const found = moved === was ? place : places.find(moved, list)
    if (found._tag !== "missing") return found
  }
  return place
}

/** What is to be said of a file that is not there; null: nobody can tell, `nothing`: it may be no file at all. */
const absence = (
  { history, past }: World,
  { certain, mayBeGone, path }: Named,
  places: ReadonlyArray<string>,
  { ticked }: BoxPast,
  { ignored, isArchived }: Circumstances
): Told | "nothing" | null => {
  // brackets and the like may be part of a name, or of a sentence
  if (!certain || /[[\](){}]/.test(path)) return "nothing"
  const was = past === null ? undefined : [...places, ...past.endingWith(path)].find((place) => past.isKnown(place))
  if (mayBeGone || places.some((place) => ignored.has(place))) return null
  const told = (more: string): Told => ({ code: "missing_path", path, message: `${path} is not there${more}.` })
  if (past === null || history?.isShallow === true) return told("")
  if (was === undefined) return told(", and no commit ever had it")
  const deleted = past.deletedBy(was)
  if (deleted === null) return told(": it is not in the working tree")
  if (ticked !== null && past.isBefore(deleted, ticked))
    return told(`: commit ${past.idOf(deleted)} deleted it before the box was ticked`)
  // a list that was put away says what was done then, whatever became of it
  return isArchived ? null : told(`: commit ${past.idOf(deleted)} deleted it`)
}

/** Says of files that are there that git knows none of them, or that none was changed since the box was written. */
const untouched = (
  { history, past }: World,
  paths: ReadonlyArray<string>,
  { ticked, wasOpen, written }: BoxPast
): Told | null => {
  const [first = ""] = paths
  if (history === null || past === null || history.isShallow) return null
  const named = paths.length === 1 ? first : `None of ${paths.join(", ")}`
  // what is not committed yet may be the work of a tick that is not either
  if (ticked !== null && paths.every((path) => history.untracked.has(path))) {
    const message = `${named} is in ${paths.length === 1 ? "no" : "any"} commit: git does not know it.`
    return { code: "never_touched", path: first, message }
  }
  if (written === null || !wasOpen) return null
  const isOld = (path: string): boolean =>
    history.tracked.has(path) && !history.changed.has(path) && !past.isChangedSince(path, written)
  if (!paths.every(isOld)) return null
  const was = paths.length === 1 ? "was not" : "was"
  return {
    code: "never_touched",
    path: first,
    message: `${named} ${was} changed since the box was written down open, in commit ${past.idOf(written)}.`
  }
}
