import type { Base } from "@proofline/kernel"
import { Effect, Option } from "effect"
import type { Baseline, ProjectReader, Syntax } from "../../../port/index.ts"
import { splitLines } from "../../../text/lines.ts"
import { placesToDelete } from "../asked/deletions.ts"
import { goneNames } from "../asked/goneNames.ts"
import type { TaskWords } from "../asked/prose.ts"
import { normalized } from "../code/normalized.ts"
import { timesIn } from "../code/timesIn.ts"
import { isTestFile } from "../tests/testCases.ts"
import { hasBody, leftElsewhere, type Version } from "../work/leftBehind.ts"

/** What a run did to a project is seen with. */
export interface Seeing {
  readonly baseline: Baseline["Service"]
  readonly syntax: Syntax["Service"]
  readonly base: Base
  readonly files: ProjectReader
}

/** What something is cited for: an item, what its task says, and the other items that are reported. */
export interface AskedFor {
  readonly item: string
  readonly task?: TaskWords | undefined
  readonly others: () => ReadonlyArray<string>
}

/** A version of a file, with what stands for each of its rows. */
export const versionOf = Effect.fnUntraced(function* ({ syntax }: Seeing, path: string, text: string) {
  const outline = yield* syntax.outline(path, text)
  const lines = splitLines(text)
  return { path, lines, outline, tokens: normalized(path, lines, outline) } satisfies Version
})

/**
 * The place in another file at which a run has put, as it was, what an item wants gone from everywhere, in words. Null: there is none, or
 * moving is a part of the task. `was`: the cited file before.
 */
export const movedCode = Effect.fnUntraced(function* (
  { item, others, task }: AskedFor,
  was: Version,
  seeing: Seeing
): Effect.fn.Return<string | null> {
  const { isEverywhere, names } = goneNames(item)
  if (!isEverywhere || task?.moves === true || was.outline === null) return null
  const wanted = names.filter((name) => hasBody(was, name) && !others().some((one) => timesIn(one, name) > 0))
  if (wanted.length === 0) return null
  const mayBe = (path: string): boolean => endingOf(path) === endingOf(was.path) && !isTestFile(path)
  return yield* inOthers(was.path, mayBe, seeing, (path, text) =>
    !wanted.some((name) => text.includes(name))
      ? Effect.succeed(null)
      : Effect.map(versionOf(seeing, path, text), (other) => leftElsewhere(wanted, other, was))
  )
})

/** The new file that is, byte for byte, one that an item asks to delete, in words. Null: there is none. `gone`: where that was. */
export const movedFile = Effect.fnUntraced(function* (
  { item, others, task }: AskedFor,
  gone: string,
  seeing: Seeing
): Effect.fn.Return<string | null> {
  const { base, baseline, files } = seeing
  if (task?.moves === true || movedBefore.test(item) || !placesToDelete(item, gone).includes(gone)) return null
  const was = yield* baseline.before(base, gone, { text: null, root: files.root })
  if (was._tag !== "text" || was.text.split("\n").filter((line) => /\w/.test(line)).length < minRows) return null
  const name = gone.slice(gone.lastIndexOf("/") + 1)
  const mayBe = (path: string): boolean => endingOf(path) === endingOf(gone) || path.includes(name)
  return yield* inOthers(gone, mayBe, seeing, (path, text) =>
    Effect.succeed(
      text === was.text && !others().some((one) => one.includes(path)) ? `${gone} stands in ${path} as it was` : null
    )
  )
})

/** Files of fewer rows that say something are the same by themselves. */
const minRows = 3
const movedBefore =
  /\b(?:after|once|since|when) (?:it|its|the|they|their|was|is)?\s*(?:\w+\s+){0,2}mov|\bmoved\b|\bcop(?:y|ied)\b|移動|コピー/i

const maxFiles = 2_000

/** The first that is found in another file that may have it, and was not found in it before the run. */
const inOthers = Effect.fnUntraced(function* (
  cited: string,
  mayBe: (path: string) => boolean,
  { base, baseline, files }: Seeing,
  find: (path: string, text: string) => Effect.Effect<string | null>
): Effect.fn.Return<string | null> {
  // a log that is judged again has no list of files, and what is read here is not kept for it
  const all = files.at(files.root)
  const paths = yield* Effect.catchDefect(all.paths, () => Effect.succeed<ReadonlyArray<string>>([]))
  const like = paths.filter((path) => path !== cited && mayBe(path))
  if (like.length > maxFiles) return null
  for (const path of like) {
    const file = yield* Effect.option(all.readText(path))
    if (Option.isNone(file)) continue
    const { text } = file.value
    const found = yield* find(path, text)
    if (found === null) continue
    const before = yield* baseline.before(base, path, { text, root: files.root })
    const isNew = before._tag === "absent" || (before._tag === "text" && (yield* find(path, before.text)) === null)
    if (isNew) return found
  }
  return null
})

const endingOf = (path: string): string => /[^/](\.[^./]+)$/.exec(path)?.[1] ?? ""
