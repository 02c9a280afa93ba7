import type { LineProof } from "@proofline/kernel"
import type { LineRange, SourceOutline } from "../../port/index.ts"
import { goneNames } from "./asked/goneNames.ts"
import { lacking, type NamedCode, namedCode, remaining } from "./asked/namedCode.ts"
import { functionsToTest, untested } from "./asked/namedTests.ts"
import type { TaskWords } from "./asked/prose.ts"
import { asksForRemoval } from "./asked/removals.ts"
import type { Since, shownBy } from "./work/besideCode.ts"
import { dependenciesStill, dependenciesToDrop } from "./work/dependencies.ts"
import { leftAsText, leftRenamed, type Version } from "./work/leftBehind.ts"

/** What something is cited for. */
export interface Words {
  readonly item?: string | undefined
  readonly whole?: string | undefined
  /** What the task of the item says. */
  readonly task?: TaskWords | undefined
}

/** What is asked for, sentence by sentence where it is the work as a whole. */
export const sentencesOf = ({ item, whole }: Words): ReadonlyArray<string> =>
  whole === undefined ? (item === undefined ? [] : [item]) : whole.split(/(?<=[.!?])\s+|(?<=。)|\n+/)

export const namesOf = (words: Words): NamedCode => {
  const named = sentencesOf(words).map(namedCode)
  return {
    wanted: named.flatMap(({ wanted }) => wanted),
    unwanted: words.whole === undefined ? named.flatMap(({ unwanted }) => unwanted) : []
  }
}

/** Of the work as a whole one place shows a part: something is lacking where it has none of the names. */
export const lackingOf = (
  { whole }: Words,
  wanted: NamedCode["wanted"],
  lacks: ReadonlyArray<string>
): ReadonlyArray<string> => (whole !== undefined && lacks.length < wanted.length ? [] : lacks)

/** What is known of the names of code in a file. */
export interface Names extends Pick<Since, "changes"> {
  /** Before the run. */
  readonly before: () => Version
  /** What an item wants no longer to be imported, and still is. */
  readonly imported: (item: string) => ReadonlyArray<string>
  /** Those of the names that are there in every line in which they were. */
  readonly kept: (names: ReadonlyArray<string>) => ReadonlyArray<string>
  /** Functions in which an item says that its work is, and that these lines have nothing to do with. */
  readonly unrelated: (words: Words, range: LineRange) => ReadonlyArray<string>
}

/** Cited lines, and their file. */
interface CodeAt {
  readonly path: string
  readonly lines: ReadonlyArray<string>
  readonly outline: SourceOutline | null
  readonly range: LineRange
  /** What they show it by, where it is not their code. */
  readonly by: ReturnType<typeof shownBy>
  /** What else is reported: other items. */
  readonly others: () => ReadonlyArray<string>
}

/** What a fact says of the names of code that an item asks to write or to take away. */
export const codeIn = (
  words: Words,
  { before, changes, imported, kept, unrelated }: Names,
  { by, lines, others, outline, path, range }: CodeAt
): Pick<LineProof, "apart" | "lacks" | "left" | "still"> => {
  const { item } = words
  if (item === undefined || changes === null) return {}
  const { unwanted, wanted } = namesOf(words)
  const cited = lines.slice(range.start - 1, range.end).join("")
  const unwritten = lackingOf(words, wanted, lacking(wanted, { path, tokens: changes.tokens, outline }, range)).filter(
    // a comment for a tool may be all that has the name
    (name) => by !== "comments" || !cited.includes(name)
  )
  const lacks = [...unwritten, ...untested(functionsToTest(item), { lines, path })]
  const gone = words.whole === undefined ? goneNames(item).names : []
  const now = { path, lines, outline, tokens: changes.tokens }
  const still = [
    ...stillThere([...unwanted, ...gone], before(), now),
    ...kept(unwanted),
    ...imported(item),
    ...dependenciesStill(dependenciesToDrop(item), path, before, changes.tokens)
  ]
  const isRemoval = words.whole === undefined && (gone.length > 0 || asksForRemoval(item))
  const left = isRemoval && still.length === 0 ? leftIn(words, gone, others(), now, before()) : null
  const apart = unrelated(words, range)
  return {
    ...(apart.length === 0 ? {} : { apart }),
    ...(lacks.length === 0 ? {} : { lacks }),
    ...(left === null ? {} : { left }),
    ...(still.length === 0 ? {} : { still: [...new Set(still)] })
  }
}

/** Names under which as much is declared as before. */
export const stillThere = (names: ReadonlyArray<string>, before: Version, now: Version): ReadonlyArray<string> =>
  remaining(names, before.outline, now.outline)

/** Where in its file what is to be gone goes on, in words. */
export const leftIn = (
  { item = "", task }: Words,
  gone: ReadonlyArray<string>,
  others: ReadonlyArray<string>,
  now: Version,
  before: Version
): string | null =>
  leftAsText(item, gone, now, before) ?? (task?.moves === true ? null : leftRenamed(gone, now, before, others))
