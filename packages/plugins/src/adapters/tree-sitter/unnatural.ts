/**
 * Whether nobody wrote a text as source: very deep brackets, or very many characters that are no words on one line or one
 * after the other. Grammars take time on such texts that grows faster than they do.
 */
export const isUnnatural = (text: string): boolean => {
  let depth = 0
  let inLine = 0
  let inRow = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === lineFeed) inLine = 0
    if (code <= blank) continue
    if (isWord(code)) {
      inRow = 0
      continue
    }
    if (isRuler(text, at)) continue
    if (++inRow > maxInRow || ++inLine > maxInLine) return true
    if (opening.has(code)) depth++
    else if (closing.has(code)) depth = Math.max(0, depth - 1)
    if (depth > maxDepth) return true
  }
  return false
}

const maxDepth = 2_000
const maxInRow = 1_000
const maxInLine = 5_000

const lineFeed = 10
const blank = 32
const codesOf = (chars: string): ReadonlySet<number> => new Set([...chars].map((char) => char.charCodeAt(0)))
const opening = codesOf("([{")
const closing = codesOf(")]}")

const isWord = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95 || code > 127

const ruler = new Set("-=*#/~.")

/** Part of a line that is drawn in a comment, e.g. `//-----`. */
const isRuler = (text: string, at: number): boolean => ruler.has(text[at] ?? "") && text[at - 1] === text[at]
