import { asksEnglish, readEnglish } from "./english.ts"
import { asksJapanese, readJapanese } from "./japanese.ts"
import { type Sentence, without } from "./requests.ts"
import { cut, isJapanese, type Phrase, phrase } from "./text.ts"

/** The requests of a sentence. One that is longer than any person writes is read as a statement. */
const read = (sentence: Phrase): Sentence => {
  if (sentence.text.length > 10_000) return without(sentence.text, "statement")
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

/** A sentence ends with a line that ends like one, and before a line that begins a request. */
const breaks = (line: string, next: string): boolean =>
  next === "" ||
  /[.!?。！？:：]$/u.test(line) ||
  (isJapanese(line)
    ? asks(line) || /(?:ない|こと)$/u.test(line)
    : /^\p{Lu}/u.test(next) && !/[,;]$|\b(?:and|or|the|a|of|to|for|with|in)$/iu.test(line) && asks(next))

const abbreviation = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|approx|no|cf|fig|incl|mr|mrs|dr|st|\p{L})$|^\s*\d{1,3}$/iu

/** The sentences of some lines, as they were read. */
export const readText = (text: string): ReadonlyArray<Sentence> => {
  const words = phrase(text)
  const found: Array<Phrase> = []
  let from = 0
  let line = 0
  const end = (at: number) => {
    const sentence = cut(words, from, at)
    if (sentence.text !== "") found.push(sentence)
    from = at
  }
  for (const { 0: mark, index } of words.masked.matchAll(/[。！？]|[.!?](?=\s|$)|\n/gu)) {
    const next = index + 1
    if (mark === "\n") {
      const following = words.text.slice(next).split("\n", 1)[0] ?? ""
      if (breaks(words.text.slice(line, index).trim(), following.trim())) end(next)
      line = next
    } else if (mark !== "." || !abbreviation.test(words.masked.slice(Math.max(from, index - 12), index))) end(next)
  }
  end(words.text.length)
  return found.map(read)
}
