import { Effect, Option } from "effect"
import type { LineRange, ProjectReader } from "../../../port/index.ts"
import { asksForNothing } from "../asked/askedFor.ts"
import { namedCode } from "../asked/namedCode.ts"
import { saidOf } from "../asked/said.ts"
import { timesIn } from "../code/timesIn.ts"
import { type IdleAdditions, idleAdditions } from "../work/idleAdditions.ts"
import { wordsOf } from "../work/inert/newRows.ts"
import type { FileChanges, FileNow } from "../work/lineProof.ts"
import { isSpokenOf } from "../work/reach.ts"
import { unheardIn } from "../work/unheard.ts"
import { unreachedIn } from "../work/unreached.ts"

/**
 * Why cited lines show nothing although they are new, as a sentence: what they declare does nothing by itself, and nothing in the project
 * speaks of it. Null: something does, or they do something.
 */
export const unusedIn = Effect.fnUntraced(function* (
  item: string,
  { lines, outline, path }: FileNow,
  { before, changes: { real, tokens } }: { readonly changes: FileChanges; readonly before: ReadonlyArray<string> },
  range: LineRange,
  { files, texts }: { readonly files: ProjectReader; readonly texts: Texts }
): Effect.fn.Return<string | null> {
  if (asksForNothing(item)) return null
  const found =
    idleAdditions(item, { path, lines, tokens }, real.rows, range) ??
    unheardIn(item, { path, lines, outline, tokens }, real.rows, range) ??
    unreachedIn(item, { path, lines, outline, tokens }, real.rows, range)
  if (found === null) return null
  const { declared, isEcho } = found
  // what had another value
  if (!isEcho && declared.some(({ name }) => before.some((line) => timesIn(line, name) > 0))) return null
  const asked = namedCode(item).wanted
  if (
    declared.some(
      ({ name }) => asked.some((one) => one.name === name) || timesIn(item, name) > 0 || isOffered(item, name)
    )
  )
    return null
  // a log that is judged again has no list of files, and what is read here is not kept for it
  const isUsed =
    !isEcho &&
    (yield* spokenOf(
      declared.filter(({ isLocal }) => isLocal !== true),
      path,
      { files: files.at(files.root), texts }
    ).pipe(Effect.catchDefect(() => Effect.succeed(true))))
  return isUsed ? null : sentence(found)
})

/** It is what the item asks to have, for whoever comes: `Expose the version of the API` is done by `apiVersion()`. */
const isOffered = (item: string, name: string): boolean => {
  const said = new Set(wordsOf(item))
  const words = wordsOf(name).filter((word) => !/^(?:get|has|is)$/.test(word))
  return offering.test(saidOf(item)) && words.length > 0 && words.every((word) => said.has(word))
}
const offering = /^(?:declare|define|export|expose|offer|provide|publish)\b/i

const sentence = ({ declared, isEcho, why }: IdleAdditions): string => {
  if (isEcho) return "What is new there only repeats the words of the item. Write what does it."
  const names = declared.slice(0, maxNames).map(({ name, row }) => `${name} (line ${row + 1})`)
  if (why !== undefined) return `${why} ${names.join(", ")}. Let what is new there be used.`
  return `Nothing in the project uses ${names.join(", ")}, and what is new there only gives back what is fixed or given. Write what it is to do, and use it.`
}

const maxNames = 5
const maxFiles = 2_000
/** Characters of a file that is kept. */
const maxKept = 64 * 1_024

/** Files of the project that were read for one report, of which many items may be asked. */
export type Texts = Map<string, string>

const textOf = (path: string, files: ProjectReader) => Effect.map(files.readText(path), ({ text }) => text)

/** Whether another file has one of the names. */
const spokenOf = Effect.fnUntraced(function* (
  declared: IdleAdditions["declared"],
  path: string,
  { files, texts }: { readonly files: ProjectReader; readonly texts: Texts }
): Effect.fn.Return<boolean> {
  if (declared.length === 0) return false
  const paths = (yield* files.paths).filter((one) => one !== path && !noProgram.test(one))
  if (paths.length > maxFiles) return true
  for (const other of paths) {
    const known = texts.get(other)
    const text = known ?? Option.getOrElse(yield* Effect.option(textOf(other, files)), () => "")
    if (known === undefined && texts.size < maxFiles && text.length < maxKept) texts.set(other, text)
    if (declared.some(({ name }) => isSpokenOf(text, name))) return true
  }
  return false
})

const noProgram = /\.(?:lock|svg|map|min\.js|min\.css|csv|snap|po|pot)$|(?:^|\/)package-lock\.json$/
