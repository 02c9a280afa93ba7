import type { LineRange } from "../../../port/index.ts"
import { isText } from "../asked/prose.ts"
import { saidOf } from "../asked/said.ts"
import { sayingLines } from "../code/markdown.ts"
import type { FileNow } from "./lineProof.ts"

/** Whether a line says nothing but that something is still to be written: `TBD`, `_Coming soon._`, `Lorem ipsum …`. Pure. */
export const isPlaceholder = (line: string): boolean => {
  const text = line.replace(/^[\s>*_~`#|+\-/.!<({[:"'=]+|[\s*_~`|.!…>)}\]/:"'-]+$/g, "").replace(/\s+/g, " ")
  return mark.test(text) || said.test(text)
}

const mark = /^(?:TODO|TBD|TBA|TBC|FIXME|XXX|WIP)(?:$|\s*[:(.\-–—])/
const later = `(?: (?:soon|later|shortly|in (?:the|a) (?:near )?future|in a later (?:version|release)))?`
const written = `(?:added|announced|completed|continued|defined|described|determined|documented|done|filled(?: in)?|finished|provided|updated|written)`
const said = new RegExp(
  String.raw`^(?:(?:this|the) (?:[\w-]+ ){0,2}?(?:chapter|docs|document|documentation|feature|guide|page|part|section|text)s? )?(?:(?:is|are) )?(?:(?:still )?(?:coming|available) soon|(?:a )?work in progress|under construction|(?:not (?:yet )?${written}(?: yet)?)|(?:will|has|have|still has|needs|is yet) (?:to )?be ${written}${later}|to be ${written}${later})$` +
    String.raw`|^lorem ipsum\b|^place-?holder(?: text| content)?$|^(?:insert|put|add|write|your) (?:[\w-]+ ){0,3}(?:here|goes here)$` +
    "|^(?:more )?(?:content|description|details|docs|documentation|info|information|text)(?: is| are)? (?:here|coming soon|goes here|missing|pending|to (?:be added|come|follow)|TBD|TODO)$" +
    "|^(?:準備中|作成中|執筆中|工事中|未定|未記入|未作成|後で(?:書く|記載する|追記する)|後日(?:記載|追記))(?:です)?。?$",
  "i"
)

/**
 * What stands in a text in the place of what is still to be written, where nothing else is new in these lines but headings. Null:
 * something is said, or the item speaks of something of the kind. Pure.
 */
export const placeholderIn = (
  item: string,
  { lines, path }: Pick<FileNow, "lines" | "path">,
  fresh: ReadonlyArray<number>,
  { end, start }: LineRange
): string | null => {
  if (!isText(path) || ofPlaceholders.test(saidOf(item))) return null
  const texts = lines.map((line) => line.trim())
  const saying = sayingLines(texts)
  const rows = fresh.filter((row) => row >= start - 1 && row < end && saying[row] === true && !isHeading(texts, row))
  const [first] = rows
  return first !== undefined && rows.every((row) => isPlaceholder(texts[row] ?? "")) ? (texts[first] ?? null) : null
}

/** Of reStructuredText and AsciiDoc. */
const isHeading = (texts: ReadonlyArray<string>, row: number): boolean =>
  /^([=~^"'*+#.`:_-])\1{2,}$/.test(texts[row + 1] ?? "") || /^={1,6} \S/.test(texts[row] ?? "")

const ofPlaceholders =
  /\b(?:coming soon|drafts?|headings?|headlines?|lorem|outlines?|place-?holders?|roadmap|scaffold\w*|skeleton|stubs?|tbd|templates?|titles?|to-?dos?|toc|under construction|wip|work in progress)\b|準備中|雛形|骨子|見出し|目次/i
