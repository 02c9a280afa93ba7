import { asksEnglish, isWhole as isEnglishWhole, readEnglish } from "./english.ts"
import { asksJapanese, isWhole as isJapaneseWhole, readJapanese } from "./japanese.ts"
import type { Sentence } from "./requests.ts"
import { isJapanese, type Phrase, phrase, sentencesOf } from "./text.ts"

/** The requests of a sentence. One that is longer than any person writes is read as a statement. */
const read = (sentence: Phrase): Sentence => {
  if (sentence.text.length > 10_000)
    return { text: sentence.text, kind: "statement", requests: [], ban: null, whole: false }
  return isJapanese(sentence.text) ? readJapanese(sentence) : readEnglish(sentence)
}

/** Whether a line asks for something by itself. */
export const asks = (line: string): boolean => {
  const shown = phrase(line.slice(0, 400))
  const label = /^[^:：\n]{1,60}[:：]\s+/u.exec(shown.masked)?.[0].length ?? 0
  const asked = isJapanese(shown.text) ? asksJapanese : asksEnglish
  return asked(shown) || (label > 0 && asked(phrase(shown.text.slice(label))))
}

export const isLimit = (line: string): boolean => read(phrase(line.slice(0, 400))).kind === "limit"

export const isWhole = (title: string): boolean => (isJapanese(title) ? isJapaneseWhole(title) : isEnglishWhole(title))

/** A sentence ends with a line that ends like one, and before a line that begins a request. */
const breaks = (line: string, next: string): boolean =>
  next === "" ||
  /[.!?。！？:：]$/u.test(line) ||
  (isJapanese(line)
    ? asks(line) || /(?:ない|こと)$/u.test(line)
    : /^\p{Lu}/u.test(next) && !/[,;]$|\b(?:and|or|the|a|of|to|for|with|in)$/iu.test(line) && asks(next))

/** The sentences of some lines, as they were read. */
export const readText = (text: string): ReadonlyArray<Sentence> => sentencesOf(phrase(text), breaks).map(read)
