import type { LineRange } from "../../../port/index.ts"
import { isText } from "../asked/prose.ts"
import { saidOf } from "../asked/said.ts"
import { anyOf, standingIn } from "../asked/words.ts"
import { sayingLines } from "../code/markdown.ts"
import { onceFor } from "../code/once.ts"
import { rowsIn } from "../code/rowsIn.ts"
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
  if (ofPlaceholders.test(saidOf(item))) return null
  const texts = trimmed(lines)
  if (!isText(path)) return placeholderValue(item, path, texts, fresh, { start, end })
  const saying = sayingIn(texts)
  const rows = rowsIn(fresh, { start, end }).filter((row) => saying[row] === true && !isHeading(texts, row))
  const [first] = rows
  return first !== undefined && rows.every((row) => saysLater((texts[row] ?? "").slice(0, longest)))
    ? (texts[first] ?? null)
    : null
}

const trimmed = onceFor((lines: ReadonlyArray<string>) => lines.map((line) => line.trim()))
const sayingIn = onceFor(sayingLines)

/** Also of something that is named before: `- --retry: TBD`, `| --retry | TBD |`. */
const saysLater = (line: string): boolean => {
  const cells = /^\|.*\|/.test(line) ? line.split("|").filter((cell) => cell.trim() !== "") : []
  const said = cells.length > 1 ? cells.slice(1) : [term.exec(line)?.[1] ?? line]
  return isPlaceholder(line) || said.every(isPlaceholder)
}
const term = /^(?:[-*+]|\d+[.)])?\s*(?:\x60[^\x60]+\x60|\*\*[^*]+\*\*|[^:|]{1,60}?)\s*(?::\**|\s[=–—-])\s+(.+)$/

/** All values that are new in data or in a translation stand in for what is still to be written. */
const placeholderValue = (
  item: string,
  path: string,
  texts: ReadonlyArray<string>,
  fresh: ReadonlyArray<number>,
  { end, start }: LineRange
): string | null => {
  const isTranslation = ofTranslation.test(item)
  if (!isTranslation && !data.test(path)) return null
  const values = rowsIn(fresh, { start, end }).flatMap((row) => {
    const value = pair
      .exec((texts[row] ?? "").slice(0, longest))
      ?.slice(1)
      .find((one) => one !== undefined)
    return value === undefined ? [] : [value.trim()]
  })
  const isOpen = (value: string): boolean =>
    mark.test(value) ||
    (isTranslation &&
      ((value === "" && !ofNothing.test(item)) ||
        /^(?:\[[A-Za-z]{2}(?:[-_][A-Za-z]{2})?\]|@@|__)|^(?:to be translated|translate me)\b/i.test(value)))
  return values.length > 0 && values.every(isOpen) ? (values.find((value) => value !== "") ?? '""') : null
}

/** Of a line so many characters say what it holds. */
const longest = 1_000
const ofNothing = /\b(?:blank|clear|empty|none|no|unset)\b|空/i
const ofTranslation = /\b(?:i18n|l10n|locali[sz]\w*|locales?|translat\w*)\b|翻訳/i
const data = /\.(?:arb|json5?|po|properties|resx|strings|toml|xml|ya?ml)$/i
/** A name and its value, by the many ways to write that; `msgstr` of gettext, an element. */
const pair =
  /^(?:msgstr(?:\[\d\])?\s+"(.*)"|<[^<>]+>([^<>]*)<\/[\w:.-]+>|(?:"[^"]+"|'[^']+'|[\w.$-]+)\s*(?::|=>|=)\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s"'{[|>&*][^{[]*?)))\s*[,;]?$/

/** Of reStructuredText and AsciiDoc. */
const isHeading = (texts: ReadonlyArray<string>, row: number): boolean =>
  /^([=~^"'*+#.`:_-])\1{2,}$|^\|?[\s:|-]*--[\s:|-]*$/.test(texts[row + 1] ?? "") || /^={1,6} \S/.test(texts[row] ?? "")

const ofPlaceholders = anyOf(
  [
    standingIn,
    "coming soon|headings?|headlines?|lorem|outlines?|roadmap|tbd|titles?|to-?dos?|toc|(?:not|un)[- ]?(?:yet )?translated|under construction|wip|work in progress"
  ],
  "準備中|雛形|骨子|見出し|目次"
)
