import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { brotliCompressSync, brotliDecompressSync } from "node:zlib"
import type { LanguageRules } from "@proofline/kernel"
import { grammarFile, packedFile, runtimeFiles } from "./grammars.ts"

/** The files that a query is made for, with its text. */
interface Made {
  readonly runtime: string
  readonly grammar: string
}

/**
 * To make a query of its text takes the runtime up to a second: it looks through all that the grammar may come to. What
 * comes of it is the same every time, so the build makes it once and puts it beside the grammar. Null: it is to be made.
 */
export const preparedQuery = (rules: LanguageRules): Uint8Array | null =>
  readPrepared(packedFile(preparedName), rules, {
    runtime: runtimeFiles().wasm,
    grammar: grammarFile(rules.grammar)
  })

/** A query from a file of them all: they are much alike, and so half of what they are apart. */
export const readPrepared = (file: string, rules: LanguageRules, of: Made): Uint8Array | null => {
  if (!existsSync(file)) return null
  const bytes = brotliDecompressSync(readFileSync(file), { chunkSize: 1_048_576 })
  const key = keyOf(rules, of)
  for (let at = 0; at < bytes.length; ) {
    const from = at + keyLength + 4
    const to = from + bytes.readUInt32LE(at + keyLength)
    if (key.equals(bytes.subarray(at, at + keyLength))) return bytes.subarray(from, to)
    at = to
  }
  return null
}

/** A query, and what it was made for. */
export interface Prepared {
  readonly rules: LanguageRules
  readonly of: Made
  readonly query: Uint8Array
}

/** What `readPrepared` reads: of each query its key, its length and itself. */
export const packQueries = (prepared: ReadonlyArray<Prepared>): Uint8Array =>
  brotliCompressSync(
    Buffer.concat(prepared.flatMap(({ of, query, rules }) => [keyOf(rules, of), words(query.byteLength), query]))
  )

export const preparedName = "queries.br"

/** The text of the query of a language, with what no language has to ask for. */
export const queryText = ({ query }: LanguageRules): string => `${query}\n(ERROR) @fault`

/** A prepared query is right for these contents alone. */
const keyOf = (rules: LanguageRules, { grammar, runtime }: Made): Buffer => {
  const hash = createHash("sha256")
  for (const part of [readFileSync(runtime), readFileSync(grammar), queryText(rules)])
    hash.update(createHash("sha256").update(part).digest())
  return hash.digest()
}

const keyLength = 32

/** The memory of a runtime. */
export interface Memory {
  HEAPU8: Uint8Array
  readonly _malloc: (bytes: number) => number
  /** Where the query is that it makes of a text. */
  _ts_query_new: (language: number, text: number, bytes: number, errorPlace: number, errorKind: number) => number
}

/**
 * `struct TSQuery` of the runtime that package.json names: where each of its arrays is (its address, length and capacity),
 * with the bytes of one element. `ts_query_copy` copies these, the language and the count behind it, and nothing else.
 */
const arrays = [
  [0, 1],
  [12, 8],
  [24, 1],
  [36, 8],
  [60, 20],
  [72, 6],
  [84, 8],
  [96, 28],
  [108, 8],
  [120, 2],
  [132, 1],
  [144, 2]
] as const
/** An array of arrays of bytes. */
const quantifiers = 48
const arrayBytes = 12
const languageAt = 156
const countAt = 160
const structBytes = 164

/** What a query is, apart from where it is: the count, then each array with its length before it. */
export const queryAt = ({ HEAPU8 }: Memory, query: number): Uint8Array => {
  const view = new DataView(HEAPU8.buffer)
  const word = (at: number): number => view.getUint32(at, true)
  const parts: Array<Uint8Array> = [words(word(query + countAt) & 0xffff)]
  const put = (at: number, bytes: number): void => {
    const size = word(at + 4)
    parts.push(words(size), HEAPU8.slice(word(at), word(at) + size * bytes))
  }
  for (const [at, bytes] of arrays) put(query + at, bytes)
  const lists = word(query + quantifiers + 4)
  parts.push(words(lists))
  for (let i = 0; i < lists; i++) put(word(query + quantifiers) + i * arrayBytes, 1)
  return Buffer.concat(parts)
}

/** Puts such a query into the memory of a runtime, for a language there; where it is now. */
export const putQuery = (memory: Memory, language: number, query: Uint8Array): number => {
  const from = new DataView(query.buffer, query.byteOffset, query.byteLength)
  let read = 0
  const next = (): number => {
    read += 4
    return from.getUint32(read - 4, true)
  }
  const reserve = (bytes: number): number => {
    const address = memory._malloc(bytes)
    if (address === 0) throw new Error("there is no memory for its query")
    memory.HEAPU8.fill(0, address, address + bytes)
    return address
  }
  const set = (at: number, ...values: ReadonlyArray<number>): void => memory.HEAPU8.set(words(...values), at)
  const take = (at: number, bytes: number): void => {
    const size = next()
    if (size === 0) return
    const address = reserve(size * bytes)
    memory.HEAPU8.set(query.subarray(read, read + size * bytes), address)
    read += size * bytes
    set(at, address, size, size)
  }
  const made = reserve(structBytes)
  set(made + languageAt, language, next())
  for (const [at, bytes] of arrays) take(made + at, bytes)
  const lists = next()
  const address = reserve(Math.max(1, lists) * arrayBytes)
  set(made + quantifiers, address, lists, lists)
  for (let i = 0; i < lists; i++) take(address + i * arrayBytes, 1)
  return made
}

const words = (...values: ReadonlyArray<number>): Uint8Array => {
  const bytes = new DataView(new ArrayBuffer(values.length * 4))
  for (const [i, value] of values.entries()) bytes.setUint32(i * 4, value, true)
  return new Uint8Array(bytes.buffer)
}
