/**
 * `pack-grammars.ts DIRECTORY [--smallest]`: puts the grammars there, where built code looks for them, so that a published package brings
 * them and needs none of the packages they come from. Compressed they are a fifteenth of their size. What is there and not
 * older stays, but for `--smallest`: that takes a minute, and is worth it where they are published.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import * as Path from "node:path"
import { brotliCompressSync, constants } from "node:zlib"
import { minifySync } from "rolldown/utils"
import { grammarSources } from "./src/adapters/tree-sitter/grammars.ts"

const [directory = "", ...flags] = process.argv.slice(2)
const isSmallest = flags.includes("--smallest")
const { resolve } = createRequire(import.meta.url)
// the highest level, 11, takes 15 times as long to make them a tenth smaller
const compressed = (bytes: Uint8Array): Uint8Array =>
  brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: isSmallest ? 11 : 9,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength
    }
  })

mkdirSync(directory, { recursive: true })
const names = new Set<string>()
for (const [name, source] of Object.entries(grammarSources)) {
  const from = resolve(source)
  const isCode = name.endsWith(".cjs")
  const packed = isCode ? name : `${name}.br`
  const to = Path.join(directory, packed)
  names.add(packed)
  if (!isSmallest && (statSync(to, { throwIfNoEntry: false })?.mtimeMs ?? 0) > statSync(from).mtimeMs) continue
  // whole or not at all: a build may run beside a program that reads them
  const part = `${to}.${process.pid}`
  if (isCode) writeFileSync(part, minifySync(name, readFileSync(from, "utf8")).code)
  else writeFileSync(part, compressed(readFileSync(from)))
  renameSync(part, to)
}
for (const name of readdirSync(directory)) {
  if (/\.(?:br|cjs|wasm)$/.test(name) && !names.has(name)) rmSync(Path.join(directory, name))
}
