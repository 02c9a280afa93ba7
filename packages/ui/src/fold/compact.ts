/**
 * Makes what is kept of a log small. A schema decodes into arrays with room to grow and into objects whose fields lie
 * apart; `JSON.parse` makes both as small as they get. And the events of a task say the same texts again and again.
 */
export const makeCompact = (): Compact => {
  const text = makeTexts()
  const value = (decoded: unknown, stored: unknown): unknown => {
    if (typeof decoded === "string") return text(decoded)
    if (typeof decoded !== "object" || decoded === null) return decoded
    if (Array.isArray(decoded)) return list(decoded, Array.isArray(stored) ? stored : [])
    return isPlain(decoded) ? fields(decoded, isPlain(stored) ? stored : {}) : decoded
  }
  const list = (decoded: ReadonlyArray<unknown>, stored: Array<unknown>): ReadonlyArray<unknown> => {
    if (decoded.length === 0) return nothing
    if (stored.length !== decoded.length) return decoded.map((one) => value(one, undefined))
    for (let i = 0; i < decoded.length; i++) stored[i] = value(decoded[i], stored[i])
    return stored
  }
  const fields = (decoded: Fields, stored: Fields): Fields => {
    const keys = Object.keys(decoded)
    const isSame = keys.length === Object.keys(stored).length && keys.every((key) => Object.hasOwn(stored, key))
    // what is set is a field of its own there already, whatever it is called
    const into = isSame ? stored : { ...decoded }
    for (const key of keys) into[key] = value(decoded[key], stored[key])
    return into
  }
  return { text, content: (decoded, stored) => value(decoded, stored) as typeof decoded }
}

interface Compact {
  /** The same text, as one that was asked for not long ago where there was one. */
  readonly text: (text: string) => string
  /** What was decoded, with the objects and arrays of what was stored as far as they have its shape: those are changed. */
  readonly content: <A>(decoded: A, stored: unknown) => A
}

type Fields = Record<string, unknown>

/** All empty lists: nobody adds to what was folded. */
const nothing: ReadonlyArray<never> = Object.freeze([])

const isPlain = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** So many texts are remembered; the next one in the same place takes it. */
const places = 1 << 12
/** Shorter ones are shared by `JSON.parse`; longer ones would be much to remember. */
const shortest = 11
const longest = 256

const makeTexts = () => {
  const known = new Array<string>(places).fill("")
  return (text: string): string => {
    const { length } = text
    if (length < shortest || length > longest) return text
    let place = length
    // ids, times and digests differ in the end
    for (let i = length - 8; i < length; i++) place = (Math.imul(place, 31) + text.charCodeAt(i)) | 0
    place = (place ^ (place >>> 12)) & (places - 1)
    const found = known[place] as string
    if (found === text) return found
    known[place] = text
    return text
  }
}
