import type { LineRange } from "../../port/index.ts"
import { lineChanges } from "./changes.ts"
import { type Commented, commentsOf } from "./comments.ts"
import { type CutPlace, cutPlaces, isPlaceIn } from "./places.ts"
import { asksForRemoval } from "./removals.ts"

/** Whether an item asks to take comments or documentation of code out, and for nothing else: `Remove the old comment in a.py`. Pure. */
export const asksForCommentRemoval = (item: string): boolean =>
  asksForRemoval(item) && removed.test(item.normalize("NFKC"))

const removed =
  /\b(?:comments?|commented(?:[- ]out)?|doc-?strings?|(?:js|ts|go|rust|java|k|php)-?docs?|todos?|fixmes?)\b|コメント|ドックストリング|\bTODO/i

/** What was taken out of the comments of a file. */
export interface UncommentedFile {
  /** Where whole rows of them were taken out. */
  readonly places: ReadonlyArray<CutPlace>
  /** Rows of code behind which one stood. */
  readonly rows: ReadonlyArray<number>
  /** What stands for each row, comments too. */
  readonly texts: ReadonlyArray<string>
}

/** A version of a file, with what stands for each row without its comments. */
interface Version {
  readonly file: Commented
  readonly tokens: ReadonlyArray<string>
}

/** Null: every comment that was there before is still said. Pure. */
export const uncommented = (now: Version, before: Version): UncommentedFile | null => {
  const [young, old] = [commentsOf(now.file).map(plain), commentsOf(before.file).map(plain)]
  const said = new Set(young)
  if (old.every((text) => said.has(text))) return null
  const texts = textsOf(now, young)
  const real = { ...lineChanges(textsOf(before, old), texts), compared: texts }
  const [exactNow, exactBefore] = [now, before].map(({ file }) => file.lines.map((line) => line.trimEnd()))
  const exact = { ...lineChanges(exactBefore ?? [], exactNow ?? []), compared: exactNow ?? [] }
  const known = new Set(before.tokens)
  return {
    places: cutPlaces(real, exact),
    rows: real.rows.filter((row) => young[row] === "" && now.tokens[row] !== "" && known.has(now.tokens[row] ?? "")),
    texts
  }
}

const plain = (comment: string): string => comment.replace(/\s+/g, "")

const textsOf = ({ tokens }: Version, comments: ReadonlyArray<string>): ReadonlyArray<string> =>
  tokens.map((text, row) => (comments[row] === "" ? text : `${text} #${comments[row]}`))

/** What was taken out of comments there, by name. */
export const uncommentedIn = (
  { places, rows, texts }: UncommentedFile,
  range: LineRange,
  sha256: (text: string) => string
): ReadonlyArray<string> => {
  const name = (row: number): string => `-#${sha256(`${row} ${texts[row] ?? ""}`).slice(0, 8)}`
  const isIn = (row: number): boolean => row >= range.start - 1 && row < range.end
  // a comment belongs to what stands behind it
  const isAt = (place: CutPlace): boolean =>
    isPlaceIn(place, range, texts.length, true) || place.gaps.some(({ behind }) => isIn(behind))
  return [...places.filter(isAt).map(({ row }) => name(row)), ...rows.filter(isIn).map((row) => `${name(row)}.`)]
}
