import type { LineProof } from "@proofline/kernel"
import type { LineRange } from "../../../port/index.ts"
import { languageOf } from "../../../text/languages.ts"
import { isAnnotation, isCondition, linesAskedFor, linesToCommentOut } from "../asked/askedFor.ts"
import { asksForComments, asksForCommentsHere, asksForPackageComment } from "../asked/commentItems.ts"
import { examplesAskedFor } from "../asked/examples.ts"
import { saidOf } from "../asked/said.ts"
import { documentationIn } from "../code/documentation.ts"
import { isMarkdown } from "../code/markdown.ts"
import { once } from "../code/once.ts"
import { asksForCommentRemoval, type Uncommented, uncommentedIn } from "./commentRemovals.ts"
import { commentsAt, commentsIn } from "./comments.ts"
import { asksForFormatting, type Layout, layoutIn } from "./formatting.ts"
import {
  importNames,
  importsAskedFor,
  importsIn,
  importsInUse,
  importsOfWords,
  isUsed,
  missingImports,
  useAskedFor
} from "./importWork.ts"
import type { FileChanges, FileNow } from "./lineProof.ts"
import { placesNear } from "./places.ts"
import { type Spacing, spacingIn, spacingsAskedFor } from "./spacing.ts"

/** What a run did to a file of which it is known what it was before. Each part is looked at when an item asks for it. */
export interface Since {
  readonly changes: FileChanges | null
  /** Whether it did not hold such a line, or not as often. */
  readonly isNew: (line: string) => boolean
  /** Rows of comments that say something new; where code was to be made a comment, those that were code. */
  readonly comments: (item: string) => ReadonlyMap<number, string>
  /** Rows of imports that were not there. */
  readonly imports: () => ReadonlyMap<number, string>
  /** Those that took the place of another, where an item asks for that. */
  readonly replaced: (item: string) => ReadonlyMap<number, string>
  /** Names that were defined in it, and that it is given from elsewhere now. */
  readonly moved: () => ReadonlySet<string>
  /** How it is laid out otherwise; null: it says something else too. */
  readonly layout: () => Layout | null
  /** What became of its line ends, tabs, mode and the like, and of nothing else, with the rows that show it. */
  readonly spacing: () => ReadonlyMap<Spacing, ReadonlyArray<number>>
  /** What an item wants to be taken out of its comments, and was. */
  readonly uncommented: (item: string) => Uncommented
}

/** What lines show that is no code, where the item asks for that; by name, as the lines of a change are. */
export interface BesideCode {
  readonly comments: ReadonlyArray<string>
  /** Of what was taken out of comments. */
  readonly removals: ReadonlyArray<string>
  readonly imports: ReadonlyArray<string>
  readonly layout: ReadonlyArray<string>
  /** The lines around what was taken out of comments; left out: the item asks for nothing of the kind. */
  readonly places?: ReadonlyArray<string>
  /** It does also where the lines hold no code at all. */
  readonly isEnough: boolean
}

const nothing: BesideCode = { comments: [], removals: [], imports: [], layout: [], isEnough: false }

/** Pure but for what `since` reads again. */
export const besideCode = (
  item: string | undefined,
  file: FileNow,
  since: Since | null,
  range: LineRange,
  sha256: (text: string) => string
): BesideCode => {
  if (since === null || item === undefined) return nothing
  const forTools = linesForTools(item, file, since, range)
  const importing = forTools.size > 0 ? since.imports() : forTools
  const imported = new Map([...forTools].filter(([row]) => importing.has(row)))
  const commented = new Map([...forTools].filter(([row]) => !importing.has(row)))
  const isOut = linesToCommentOut(item) !== null
  const isOfComments =
    asksForComments(item) ||
    asksForPackageComment(item, file.path) ||
    asksForCommentsHere(item, file.path) ||
    examplesAskedFor(item) !== null
  const said = isOfComments || isOut ? since.comments(item) : new Map<number, string>()
  // what was made a comment is declared nowhere any more
  const asComments = isOfComments ? commentsAt(item, file, said) : said
  const comments = commentsIn(new Map([...commented, ...asComments]), range, sha256)
  const isComment = comments.length > 0 && isBare(file, since.changes?.tokens, range)
  const asked = importsFor(item, file.path, since, range, sha256)
  const imports = asked.length > 0 ? asked : importNames(imported, range, sha256)
  const isLaidOut = asksForFormatting(item, file.path) && !ordersValues(item, since.changes?.tokens ?? [])
  const layout = isLaidOut ? since.layout() : null
  const spacings = spacingsAskedFor(item, file.path)
  const laidOut = [
    ...(layout === null ? [] : layoutIn(layout, range, sha256)),
    ...(spacings.length === 0 ? [] : spacingIn(since.spacing(), spacings, range, sha256))
  ]
  const less = since.changes !== null && asksForCommentRemoval(item) ? since.uncommented(item) : null
  return {
    comments,
    removals: less === null ? [] : uncommentedIn(less, range, sha256),
    imports,
    layout: laidOut,
    ...(less === null ? {} : { places: placesNear(less.places, range, file.lines.length) }),
    // of Markdown no line is a comment
    isEnough:
      isComment ||
      (forTools.size > 0 && isAllOf(file.lines, range, (line, row) => forTools.has(row) && isAnnotation(line))) ||
      (isMarkdown(file.path) && commented.size > 0) ||
      imports.length + laidOut.length > 0
  }
}

/** `Order members by name`, in a file that has members of its own: people, not parts of a type. */
const ordersValues = (item: string, tokens: ReadonlyArray<string>): boolean =>
  /^(?:sort|order|group|arrange|re-?order) (?:the |all )?members\b/i.test(saidOf(item)) &&
  tokens.some((text) => /(?<![\w$])members(?![\w$])/.test(text))

/** What whoever fills it in reads in its comments: a sentence, and one about what the item asks for where it says what that is. */
const isSaying = (item: string): ((line: string) => boolean) => {
  const asked = wordsIn(item).filter((word) => !ofTemplates.test(word))
  const isOfWhole =
    /^(?:align|clean|improve|polish|reword|rewrite|shorten|simplify|sync\w*|tidy|translate|unify|update)\b[^,;]*\btemplates?\b(?! to (?:ask|mention|require|say)\b)/i.test(
      saidOf(item)
    )
  return (line) => {
    if (/[\u3040-\u30ff\u4e00-\u9fff]/.test(line)) return true
    const words = wordsIn(line)
    return (
      words.length >= 2 &&
      (isOfWhole ||
        asked.length === 0 ||
        words.some((word) => asked.some((one) => one.startsWith(word) || word.startsWith(one))))
    )
  }
}
const wordsIn = (text: string): ReadonlyArray<string> => text.toLowerCase().match(/\p{L}{3,}/gu) ?? []
const ofTemplates =
  /^(?:add|adjust|and|ask|better|bugs?|change|clarify|clean|comments?|edit|expand|extend|features?|fix|for|forms?|from|github|gitlab|improve|instructions?|issues?|make|merge|more|new|our|pull|questions?|reports?|requests?|reword|rewrite|simplify|some|templates?|text|the|tweak|update|with|wording)$/
const isTemplate = (path: string): boolean => /(?:issue|pull_request|merge_request)_template/i.test(path)

const isAllOf = (
  lines: ReadonlyArray<string>,
  { end, start }: LineRange,
  is: (line: string, row: number) => boolean
): boolean => lines.slice(start - 1, end).every((line, at) => line.trim() === "" || is(line, start - 1 + at))

/** Whether lines hold nothing but comments and documentation. */
const isBare = (
  { lines, outline, path }: FileNow,
  tokens: ReadonlyArray<string> | undefined,
  { end, start }: LineRange
): boolean => {
  if (tokens === undefined) return false
  const documented = outline === null ? documentationIn(languageOf(path, lines), lines) : null
  return tokens.slice(start - 1, end).every((text, at) => text === "" || documented?.has(start - 1 + at) === true)
}

/** New lines for a tool, and imports for what they do. */
const linesForTools = (
  item: string,
  { lines, path }: FileNow,
  { changes, isNew }: Since,
  { end, start }: LineRange
): ReadonlyMap<number, string> => {
  if (changes === null) return new Map()
  const language = once(() => languageOf(path, lines))
  const isAsked = isTemplate(path) ? isSaying(item) : linesAskedFor(item, path)
  return new Map(
    lines.slice(start - 1, end).flatMap((line, at) => {
      const row = start - 1 + at
      const isMeant = isCondition(line, language) ? !isForNothing(lines, row) : isAsked?.(line) === true
      return isMeant && isNew(line) ? [[row, line.trim()]] : []
    })
  )
}

/** Whether no line follows on a condition before its end. */
const isForNothing = (lines: ReadonlyArray<string>, row: number): boolean => {
  let next = row + 1
  while (lines[next]?.trim() === "") next++
  return /^\s*#\s*(?:el|end)/.test(lines[next] ?? "")
}

/** New imports in the lines, where they are what the item asks for. */
const importsFor = (
  item: string,
  path: string,
  { changes, imports, moved, replaced }: Since,
  range: LineRange,
  sha256: (text: string) => string
): ReadonlyArray<string> => {
  const asked = importsAskedFor(item, path)
  const named = asked.length === 0 ? [] : importsIn(imports(), range, asked, sha256)
  const use = named.length === 0 ? useAskedFor(item) : null
  const given = use === null ? named : importsInUse(imports(), range, use, moved(), sha256)
  if (given.length > 0) return given
  const exchanged = importNames(replaced(item), range, sha256)
  const missing = exchanged.length > 0 ? null : missingImports(item)
  if (missing === null) return exchanged
  const found = imports()
  const rest = (changes?.tokens ?? []).filter((_, row) => !found.has(row))
  const known = new Map([...found].filter(([, row]) => changes === null || isUsed(row, rest)))
  return importsOfWords(known, range, missing, sha256)
}

/** The first of them that there is says what the lines show. */
const kinds = ["comments", "removals", "imports", "layout"] as const

type Change = LineProof["change"]

/** What the lines show it by, where no code of theirs was changed; null: by their code. */
export const shownBy = (change: Change, beside: BesideCode): (typeof kinds)[number] | null =>
  change === null || change.lines.length > 0 ? null : (kinds.find((kind) => beside[kind].length > 0) ?? null)

/** What that changes of what is said of their code. */
export const besideProof = (
  change: Change,
  beside: BesideCode,
  by: ReturnType<typeof shownBy>
): Pick<LineProof, "places"> & Partial<Pick<LineProof, "change">> => {
  if (change === null || change.lines.length > 0) return {}
  const { places, removals } = beside
  const isNew = by === "removals" || by === "layout"
  return {
    ...(places === undefined || removals.length > 0 ? {} : { places }),
    ...(by === null ? {} : { change: { touched: isNew || change.touched, lines: beside[by] } })
  }
}
