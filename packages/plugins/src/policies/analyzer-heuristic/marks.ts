import { isAboutOthers, pieces, says, tailOf } from "./enumeration.ts"
import { asks } from "./read.ts"
import { bare, cut, filesIn, isJapanese, phrase } from "./text.ts"

/** In the place of `Step`: it stands in no text of a user. */
export const stepMark = /^\uE010/u

/** A line in bold or in brackets is a heading too, below those with marks. */
export const otherHeading =
  /^(?:\*\*([^*\n]{1,80}?)(?:\*\*[:：]?|[:：]\*\*)|__([^_\n]{1,80})__[:：]?|【([^】\n]{1,60})】|■\s*([^\n]{1,60}))$/u

const fence = /^\s*(?:```+|~~~+)/u
const bullet = /^(\s*)[・•‣●○◦▪]\s*/u
const counted =
  /^(\s*)(?:(step|phase|手順|ステップ)\s*[#＃]?\s*([0-9０-９]{1,2})\s*[:：.．)）、–—-]|[(（]([0-9０-９]{1,2})[)）]|([０-９]{1,2})[.．)）、]|([0-9]{1,2})[．）、]|([0-9]{1,2})[.)](?=\P{ASCII})|([①-⑳]))\s*/iu
const anyMark = /^\s*(?:[-*+]|\d{1,9}[.)])\s/u
/** Deeper than anybody writes it takes long to read. */
const tooDeep = /^(\s*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+|>[ \t]*){8})(?:(?:[-*+]|\d{1,9}[.)])[ \t]+|>[ \t]*)+/u
/** Marks of a list within a line. */
const inline = [
  /[①-⑳]/gu,
  /(?<![\p{L}\p{N}])[(（]\d{1,2}[)）](?=\s*\S)/gu,
  /(?<=^|[\s:：;,、。])\d{1,2}(?:[)）](?=\s*\S)|\.(?=\s+\S))/gu
]

/** Marks that people write and Markdown does not know, as Markdown has them. */
export const asMarkdown = (text: string): string => {
  let fenced = false
  let listed = false
  return text
    .split("\n")
    .map((line, at, lines) => {
      if (fence.test(line)) fenced = !fenced
      if (fenced || fence.test(line)) return line
      if (isUnderlined(lines, at)) return `${lines[at + 1]?.startsWith("=") ? "#" : "##"} ${line}`
      if (isUnderlined(lines, at - 1)) return ""
      if (otherHeading.test(line.trim())) return `\n${line}\n`
      const points = listed || anyMark.test(line) || /^[\s|>#]/u.test(line) ? null : unfolded(line)
      if (points !== null) return points
      const marked = withMark(line)
      // the words after a list are no words of its last point, unless they go on in the middle of a sentence
      const isAfter = listed && marked.trim() !== "" && !anyMark.test(marked) && beginsAnew(marked)
      listed = anyMark.test(marked) || (listed && marked.trim() !== "" && !isAfter)
      return isAfter ? `\n${marked}` : marked
    })
    .join("\n")
}

/** A sentence, or the place of all points: `in src/a.ts`. Japanese has no capitals, so that each line there may be one. */
const beginsAnew = (line: string): boolean =>
  /^[\p{Lu}\p{Lo}]/u.test(line) ||
  (/^\S/u.test(line) && isJapanese(line)) ||
  /^(?:(?:all|both|each) )?(?:in|into|to|onto|under|inside|within) (?:\uE001|\S*\/)/u.test(phrase(line).masked)

/** A heading that is underlined: `Title` above `=====`. */
const isUnderlined = (lines: ReadonlyArray<string>, at: number): boolean =>
  /^(?:=+|-{2,})\s*$/u.test(lines[at + 1] ?? "") &&
  /^(?![-*+>#=|]|\d+[.)])\S/u.test(lines[at] ?? "") &&
  (lines[at - 1] ?? "").trim() === ""

/** `(1) … (2) …`, `①…②…`, `three functions: a, b and c`: each point on a line of its own; null: there are none. */
const unfolded = (line: string): string | null => {
  for (const mark of line.length > 10_000 ? [] : inline) {
    const found = [...line.matchAll(mark)].filter(
      ({ 0: shown }, i) => digits(shown.replaceAll(/[()（）.]/gu, "")) === i + 1
    )
    const [first, ...others] = found.map(({ index }) => index)
    const last = others.at(-1)
    if (first === undefined || last === undefined) continue
    const until = last + sentenceIn(line.slice(last)).length
    const points = found.map(({ 0: { length }, index }, i) => {
      const said = line.slice(index + length, others[i] ?? until)
      return said.replace(/(?:[\s,;、；.。]|(?<=[\s,;、])(?:and|then|および|及び|と))+$/iu, "").trim()
    })
    const list = shared(points, placed).map((point, i) => `${i + 1}. ${point}`)
    return [line.slice(0, first).trim(), "", ...list, "", line.slice(until).replace(/^[.。!！?？\s]+/u, "")].join("\n")
  }
  const shown = phrase(line)
  const colon = /^[^:：]{1,120}[:：](?=[\s\P{ASCII}])/u.exec(shown.masked)?.[0].length ?? line.length
  const until = colon + sentenceIn(shown.masked.slice(colon)).length
  const lead = line.slice(0, colon)
  const found = asks(lead) && filesIn(lead).length === 0 ? pieces(bare(cut(shown, colon, until))) : []
  if (found.length < 2 || found.some(({ object }) => says.test(object.masked))) return null
  const list = shared(
    found.map(({ object }) => object.text),
    /^/u
  ).map((point) => `- ${point}`)
  return [lead, "", ...list, "", line.slice(until).replace(/^[.。\s]+/u, "")].join("\n")
}

/** A tail that says in which file. */
const placed = /^ (?:in|into|to|onto|on|under|inside|within|at) [^\uE001\s]{0,20}\s?(?:\uE001|\S+\/)/u

/**
 * Points that only name things, each with what stands after the last one and is said of all: `a search box, a filter and
 * an export button in src/app.ts`. After a request it may be about that one alone.
 */
const shared = (points: ReadonlyArray<string>, isOfAll: RegExp): ReadonlyArray<string> => {
  const shown = points.map(phrase)
  if (points.some(asks) || shown.some(isAboutOthers)) return points
  const { others, tail } = tailOf(shown)
  const isShared = tail !== "" && isOfAll.test(phrase(tail).masked)
  return isShared ? others.map(({ text }) => `${text}${tail}`) : points
}

const sentenceIn = (text: string): string => /^.*?(?=[.!?](?:\s|$)|[。！？]|$)/u.exec(text)?.[0] ?? ""

const withMark = (line: string): string => {
  const shown = line.replace(tooDeep, "$1").replace(/^[\u3000\t ]+/u, (blanks) => blanks.replaceAll("\u3000", "  "))
  const [whole, blank = "", step, ...numbers] = counted.exec(shown) ?? []
  if (whole !== undefined)
    return `${blank}${digits(numbers.find(Boolean))}. ${step === undefined ? "" : "\uE010"}${shown.slice(whole.length)}`
  return shown.replace(bullet, "$1- ")
}

export const digits = (number = "1"): number =>
  /[①-⑳]/u.test(number) ? number.charCodeAt(0) - 0x245f : Number(number.normalize("NFKC"))
