/**
 * `pack-grammars.ts DIRECTORY [--smallest]`: puts the grammars there, where built code looks for them, so that a published
 * package brings them and needs none of the packages they come from, and beside them the queries of the languages, prepared.
 * Compressed they are a fifteenth of their size. What is there and not older stays, but for `--smallest`: that takes a
 * minute, and is worth it where they are published.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import * as Path from "node:path"
import { brotliCompressSync, constants } from "node:zlib"
import { minifySync } from "rolldown/utils"
import { makeEngine } from "./src/adapters/tree-sitter/engine.ts"
import { grammarSources } from "./src/adapters/tree-sitter/grammars.ts"
import { languages } from "./src/adapters/tree-sitter/languages/index.ts"
import { type Prepared, packQueries, preparedName, readPrepared } from "./src/adapters/tree-sitter/preparedQuery.ts"

const [directory = "", ...flags] = process.argv.slice(2)
const isSmallest = flags.includes("--smallest")
const { resolve } = createRequire(import.meta.url)
// the highest level, 11, takes 15 times as long to make them a tenth smaller
const compressed = (bytes: Uint8Array): Uint8Array =>
  brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: isSmallest ? 11 : 9,
      // most of them are tables of rows of the same length: what repeats is at distances with the same last bits
      [constants.BROTLI_PARAM_NPOSTFIX]: 2,
      [constants.BROTLI_PARAM_NDIRECT]: 60,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength
    }
  })

/** Whole or not at all: a build may run beside a program that reads them. */
const put = (to: string, content: string | Uint8Array): void => {
  const part = `${to}.${process.pid}`
  writeFileSync(part, content)
  renameSync(part, to)
}

mkdirSync(directory, { recursive: true })
const names = new Set<string>()
for (const [name, source] of Object.entries(grammarSources)) {
  const from = resolve(source)
  const packed = `${name}.br`
  const to = Path.join(directory, packed)
  names.add(packed)
  if (!isSmallest && (statSync(to, { throwIfNoEntry: false })?.mtimeMs ?? 0) > statSync(from).mtimeMs) continue
  const content = readFileSync(from)
  put(to, compressed(name.endsWith(".cjs") ? Buffer.from(minifySync(name, content.toString()).code) : content))
}
const packedIn = (name: string): string => Path.join(directory, `${name}.br`)
const load = makeEngine()
const queries = Path.join(directory, preparedName)
names.add(preparedName)
let isSame = true
const prepared: Array<Prepared> = []
for (const rules of languages) {
  const of = { runtime: packedIn("web-tree-sitter.wasm"), grammar: packedIn(rules.grammar) }
  const known = readPrepared(queries, rules, of)
  isSame &&= known !== null
  prepared.push({ rules, of, query: known ?? (await load(rules)).query() })
}
if (!isSame) put(queries, packQueries(prepared))
for (const name of readdirSync(directory)) {
  if (/\.(?:br|cjs|wasm)$/.test(name) && !names.has(name)) rmSync(Path.join(directory, name))
}
