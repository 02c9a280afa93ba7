import type { TextView } from "@proofline/plugins/frontends/http/api"

/** A stretch of what an agent printed, in bytes `from` until `next` of `total`; at most `mostLines` lines are kept. */
export interface Stretch {
  readonly from: number
  readonly next: number
  readonly total: number
  readonly text: string
  readonly is_live: boolean
  /** What follows was let go to make room for something earlier: it has to be asked for again. */
  readonly is_cut: boolean
}

export const mostLines = 2_000
const mostCharacters = 512 * 1_024

export const stretchOf = (view: TextView): Stretch => keptEnd({ ...view, is_cut: false })

/** With what was printed since. A piece that does not follow begins anew: what is shown never has a hole. */
export const withMore = (stretch: Stretch, view: TextView): Stretch =>
  view.from === stretch.next
    ? keptEnd({ ...view, from: stretch.from, text: stretch.text + view.text, is_cut: false })
    : stretchOf(view)

/** With what was printed before; of the end as much is let go as does not fit. */
export const withEarlier = (stretch: Stretch, view: TextView): Stretch => {
  if (view.next < stretch.from || view.from >= stretch.from) return stretch
  // the piece may reach into what is here already
  const before = dropBytes(view.text, view.next - stretch.from)
  return keptBeginning({ ...stretch, from: view.from, text: before + stretch.text })
}

const encoder = new TextEncoder()
const bytesOf = (text: string): number => encoder.encode(text).length

/** Without its last bytes; a character that they cut goes too. */
const dropBytes = (text: string, bytes: number): string => {
  let end = text.length
  for (let left = bytes; left > 0 && end > 0; ) {
    const char = String.fromCodePoint(text.codePointAt(end - (isTrail(text, end - 1) ? 2 : 1)) ?? 0)
    end -= char.length
    left -= bytesOf(char)
  }
  return text.slice(0, end)
}

const isTrail = (text: string, at: number): boolean => at > 0 && /[\udc00-\udfff]/.test(text[at] ?? "")

const keptEnd = (stretch: Stretch): Stretch => {
  const { text } = stretch
  let at = Math.max(startOfLast(text, mostLines), text.length - mostCharacters)
  if (isTrail(text, at)) at++
  return at <= 0 ? stretch : { ...stretch, from: stretch.from + bytesOf(text.slice(0, at)), text: text.slice(at) }
}

const keptBeginning = (stretch: Stretch): Stretch => {
  const { text } = stretch
  let at = Math.min(endOfFirst(text, mostLines), mostCharacters)
  if (isTrail(text, at)) at--
  if (at >= text.length) return stretch
  return { ...stretch, next: stretch.next - bytesOf(text.slice(at)), text: text.slice(0, at), is_cut: true }
}

/** Where the last `count` lines begin. */
const startOfLast = (text: string, count: number): number => {
  // a line feed at the very end begins no line
  let at = text.endsWith("\n") ? text.length - 1 : text.length
  for (let lines = 0; lines < count; lines++) {
    if (at <= 0) return 0
    at = text.lastIndexOf("\n", at - 1)
    if (at < 0) return 0
  }
  return at + 1
}

/** Where the first `count` lines end, their line feeds included. */
const endOfFirst = (text: string, count: number): number => {
  let at = 0
  for (let lines = 0; lines < count; lines++) {
    const found = text.indexOf("\n", at)
    if (found < 0) return text.length
    at = found + 1
  }
  return at
}
