import { fileSpans, filesIn } from "@proofline/kernel"

export { filesIn }

/** Stands for every character of code, of a quotation or of an address. */
const literal = "\uE000"
/** The same for the name of a file. */
const named = "\uE001"
/** The same for what stands in brackets. */
const aside = "\uE002"

/** Some words of the prompt, and the same characters with everything that means itself made unreadable. */
export interface Phrase {
  readonly text: string
  readonly masked: string
}

const literals =
  /`[^`\n]{1,400}`|"[^"\n]{1,400}"|“[^”\n]{1,400}”|「[^」\n]{1,400}」|『[^』\n]{1,400}』|(?<![\p{L}\p{N}])'[^'\n]{1,200}'(?![\p{L}\p{N}])|https?:\/\/[^\s<>"'`、。）」』]+(?<![.,;:!?)])/gu
const brackets = /(?<before>[\w\uE000\uE001]?)(?<inside>[(（][^()（）\n]{0,400}[)）])/gu

/** Words and commas in code, quotations, addresses, names of files and brackets never decide anything. */
export const phrase = (text: string): Phrase => {
  const filled = text.replace(literals, (found) =>
    (filesIn(found)[0] === found.slice(1, -1) ? named : literal).repeat(found.length)
  )
  const units = filled.split("")
  for (const { end, start } of fileSpans(filled)) units.fill(named, start, end)
  let masked = units.join("")
  // twice: brackets may stand in brackets
  for (let depth = 0; depth < 2; depth++)
    masked = masked.replace(brackets, (_, before: string, inside: string) =>
      // `area(r)` is a name
      before === "" ? aside.repeat(inside.length) : before + literal.repeat(inside.length)
    )
  return { text, masked }
}

export const cut = ({ masked, text }: Phrase, start: number, end: number = text.length): Phrase => {
  const shown = text.slice(start, end)
  const from = start + shown.length - shown.trimStart().length
  const to = from + shown.trim().length
  return { text: text.slice(from, to), masked: masked.slice(from, to) }
}

/** What stands between separators. */
export const splitAt = (list: Phrase, separators: RegExp): ReadonlyArray<Phrase> => {
  const found: Array<Phrase> = []
  let from = 0
  for (const { 0: mark, index } of list.masked.matchAll(separators)) {
    found.push(cut(list, from, index))
    from = index + mark.length
  }
  return [...found, cut(list, from)]
}

/** Without the punctuation at its end. */
export const bare = (words: Phrase): Phrase =>
  cut(words, 0, words.text.replace(/[\s.,;:!?…。．、，！？：]+$/u, "").length)

/** Without what stands in brackets. */
export const withoutAsides = (masked: string): string => masked.replaceAll(/\s*\uE002+/gu, "")

export const isFileName = (masked: string): boolean => /^\uE001+$/u.test(masked.trim())

/** A name that is no word of the language: code, a file, an identifier. */
export const isExact = (masked: string): boolean =>
  /^[`]?[\uE000\uE001]|^[\w$]*[\w$)][_/(][\w$]*|^\/\w|^[a-z]+[A-Z]\w*$|^[A-Z][a-z]+[A-Z]\w*$/u.test(masked)

export const isJapanese = (text: string): boolean =>
  /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u.test(text.slice(0, 2_000))

export const oneLine = (text: string): string => text.replaceAll(/\s+/gu, " ").trim()

export const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)
