import { Effect } from "effect"
import type { GitFailed } from "../../git/run.ts"
import type { Entry } from "../../git/tree.ts"
import type { Before } from "../../port/index.ts"
import { committedBefore } from "./before.ts"
import { type Brought, broughtInto, changedBy, objectsAt, standsOn, tipsBeyond } from "./brought.ts"
import type { KnownBase } from "./KnownBase.ts"
import { linesOf, mergedBefore } from "./merged.ts"

/** A file of a checkout. `text`: null where it is not there, or is none. */
interface Place {
  readonly directory: string
  /** From the project, links resolved. */
  readonly path: string
  readonly text: string | null
}

/** What a file was before, with what other branches had of it when the run began and have brought since. */
export type WithBrought = (base: KnownBase, place: Place, before: Before) => Effect.Effect<Before>

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

  return (base, place, before) =>
    Effect.gen(function* () {
      const { since } = base
      if (since === null || before._tag === "unknown") return before
      const { directory, path } = place
      const heads = yield* standsOn(directory)
      const came = yield* once(base, `came ${directory} ${heads}`, broughtInto(directory, since, heads))
      let found: Before = before
      for (const { changed, commit } of [...came, ...(yield* copiedInto(base, place, before))]) {
        const change = changed.get(path)
        if (change === undefined) continue
        const merged = mergedBefore(found, yield* sideOf(base, change.before), yield* sideOf(base, change.after))
        if (merged !== found) found = { ...merged, brought: commit }
      }
      return found
    }).pipe(
      // what cannot be told counts for nobody
      Effect.orElseSucceed((): Before => ({ _tag: "unknown" }))
    )
}

const sideOf = (base: KnownBase, entry: Entry | null): Effect.Effect<Before> =>
  entry === null ? Effect.succeed({ _tag: "absent" }) : committedBefore(base, entry)

/** Fewer lines, or characters of them, two people may write alike. */
const fewest = { lines: 2, characters: 40 }

/** Whether all that a branch has of its own in a file is in a text: neither what was there, nor what both had in common. */
const isIn = (text: string, ...[before, theirs, common]: ReadonlyArray<Before>): boolean => {
  if (theirs?._tag !== "text") return false
  const known = new Set([before, common].flatMap((one) => (one?._tag === "text" ? linesOf(one.text).map(bare) : [])))
  const own = linesOf(theirs.text)
    .map(bare)
    .filter((line) => line !== "" && !known.has(line))
  if (own.length < fewest.lines || own.join("").replaceAll(/\s/g, "").length < fewest.characters) return false
  const now = new Set(linesOf(text).map(bare))
  return own.every((line) => now.has(line))
}

const bare = (line: string): string => line.trimEnd()
