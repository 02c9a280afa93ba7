// Builds the site of the docs: as one compressed file for `proofline docs`; with `-- DIR` as plain files with all pictures
// into an empty directory, to be put on a server or opened as they are.
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { brotliCompressSync, constants } from "node:zlib"
import { docsFile } from "../../src/assets.ts"
import { shipped, wholeSite } from "./site.ts"

const [asked] = process.argv.slice(2)
if (asked === undefined) {
  const text = Buffer.from(JSON.stringify(shipped()))
  const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_SIZE_HINT } = constants
  // a window that holds all pages: they have much in common
  const packed = brotliCompressSync(text, {
    params: { [BROTLI_PARAM_LGWIN]: 24, [BROTLI_PARAM_SIZE_HINT]: text.length }
  })
  mkdirSync(dirname(docsFile), { recursive: true })
  writeFileSync(`${docsFile}.${process.pid}`, packed)
  renameSync(`${docsFile}.${process.pid}`, docsFile)
  process.stdout.write(`docs: ${Math.round(packed.length / 1_024)} kB\n`)
} else {
  const out = resolve(process.env["INIT_CWD"] ?? ".", asked)
  if (existsSync(out) && readdirSync(out).length > 0) throw new Error(`${out} is not empty.`)
  const files = wholeSite()
  for (const [name, content] of files) {
    mkdirSync(dirname(join(out, name)), { recursive: true })
    writeFileSync(join(out, name), content)
  }
  process.stdout.write(`${out}: ${files.size} files\n`)
}
