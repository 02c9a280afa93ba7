import { writeFile } from "node:fs/promises"
import { Effect } from "effect"
import type { GitFailed } from "../../git/run.ts"
import type { Entry } from "../../git/tree.ts"
import type { BaseRefused, Before, Came } from "../../port/index.ts"
import { splitLines } from "../../text/lines.ts"
import { beforeOf, committedBefore } from "./before.ts"
import { type Brought, broughtInto, changedBy, objectsAt, standsOn, tipsBeyond } from "./brought.ts"
import type { KnownBase } from "./KnownBase.ts"
import { mergedBefore } from "./merged.ts"
import { lost, place } from "./restore.ts"

/** A file of a checkout. `text`: null where it is not there, or is none. */
interface Place {
  readonly directory: string
  /** From the project, links resolved. */
  readonly path: string
  readonly text: string | null
}

export interface WithBrought {
  /** What a file was before, with what other branches had of it when the run began and have brought since. */
  readonly before: (base: KnownBase, place: Place, before: Before) => Effect.Effect<Before>
  /** What came into a checkout with commits. */
  readonly came: (base: KnownBase, directory: string) => Effect.Effect<Came | null, BaseRefused>
}

/** Versions of a file on other branches that are looked at, at most. */
const maxVersions = 200

export const makeWithBrought = (): WithBrought => {
  const known = new WeakMap<KnownBase, Map<string, unknown>>()
  const once = <A>(base: KnownBase, question: string, ask: Effect.Effect<A, GitFailed>): Effect.Effect<A, GitFailed> =>
    Effect.suspend(() => {
      const answers = known.get(base) ?? new Map<string, unknown>()
      known.set(base, answers)
      if (answers.has(question)) return Effect.succeed(answers.get(question) as A)
      return Effect.tap(ask, (answer) => Effect.sync(() => answers.set(question, answer)))
    })

  /** Branches of which all that they changed in the file is in it now. */
  const copiedInto = Effect.fnUntraced(function* (base: KnownBase, { directory, path, text }: Place, before: Before) {
    const { since } = base
    if (since === null || text === null) return []
    const tips = yield* once(base, "tips", tipsBeyond(directory, since))
    const objects = yield* once(base, `objects ${path}`, objectsAt(directory, tips, path))
    const copies: Array<Brought> = []
    const versions = new Map([...objects].map(([commit, id]) => [id, commit]))
    for (const [id, commit] of [...versions].slice(0, maxVersions)) {
      const theirs = yield* committedBefore(base, { id, mode: "100644" })
      if (!isIn(text, before, theirs)) continue
      const found = yield* once(base, `changed ${commit}`, changedBy(directory, since, commit))
      const change = found.changed.get(path)
      const common = change === undefined ? null : yield* sideOf(base, change.before)
      if (common !== null && isIn(text, before, theirs, common)) copies.push(found)
    }
    return copies
  })

  const cameInto = (base: KnownBase, directory: string) =>
    Effect.gen(function* () {
      const { since } = base
      if (since === null) return []
      const heads = yield* standsOn(directory)
      return yield* once(base, `came ${directory} ${heads}`, broughtInto(directory, since, heads))
    })

  return {
    before: (base, place, before) =>
      Effect.gen(function* () {
        if (base.since === null || before._tag === "unknown") return before
        const came = yield* cameInto(base, place.directory)
        return yield* merged(base, place.path, before, [...came, ...(yield* copiedInto(base, place, before))])
      }).pipe(
        // what cannot be told counts for nobody
        Effect.orElseSucceed((): Before => ({ _tag: "unknown" }))
      ),
    came: (base, directory) =>
      Effect.map(cameInto(base, directory), (came) =>
        came.length === 0
          ? null
          : { commits: came.map(({ commit }) => commit), into: (copy: string) => putInto(base, came, copy) }
      ).pipe(Effect.catch(({ message }) => lost(`What other branches have brought cannot be told. ${message}`)))
  }
}

const merged = Effect.fnUntraced(function* (
  base: KnownBase,
  path: string,
  before: Before,
  brought: ReadonlyArray<Brought>
) {
  let found: Before = before
  for (const { changed, commit } of brought) {
    const change = changed.get(path)
    if (change === undefined) continue
    const now = mergedBefore(found, yield* sideOf(base, change.before), yield* sideOf(base, change.after))
    if (now !== found) found = { ...now, brought: commit }
  }
  return found
})

/** Makes files of a copy of the base what they are with what came. */
const putInto = Effect.fnUntraced(function* (base: KnownBase, came: ReadonlyArray<Brought>, directory: string) {
  for (const path of new Set(came.flatMap(({ changed }) => [...changed.keys()]))) {
    const found = yield* merged(base, path, yield* beforeOf(base, path), came)
    if (found.brought === undefined) continue
    const entry = came.findLast(({ changed }) => changed.get(path)?.after != null)?.changed.get(path)?.after
    const bytes = found._tag === "text" ? found.text : entry == null ? null : yield* base.readBlob(entry.id)
    const mode = entry?.mode === "100755" ? 0o755 : 0o644
    yield* place(path, { directory }, async (file) => {
      if (found._tag !== "absent" && bytes !== null) await writeFile(file, bytes, { mode })
    })
  }
})

const sideOf = (base: KnownBase, entry: Entry | null): Effect.Effect<Before> =>
  entry === null ? Effect.succeed({ _tag: "absent" }) : committedBefore(base, entry)

/** Fewer lines, or characters of them, two people may write alike. */
const fewest = { lines: 2, characters: 40 }

/** Whether all that a branch has of its own in a file is in a text: neither what was there, nor what both had in common. */
const isIn = (text: string, ...[before, theirs, common]: ReadonlyArray<Before>): boolean => {
  if (theirs?._tag !== "text") return false
  const known = new Set([before, common].flatMap((one) => (one?._tag === "text" ? splitLines(one.text).map(bare) : [])))
  const own = splitLines(theirs.text)
    .map(bare)
    .filter((line) => line !== "" && !known.has(line))
  if (own.length < fewest.lines || own.join("").replaceAll(/\s/g, "").length < fewest.characters) return false
  const now = new Set(splitLines(text).map(bare))
  return own.every((line) => now.has(line))
}

const bare = (line: string): string => line.trimEnd()
