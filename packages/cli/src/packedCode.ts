import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { brotliDecompressSync } from "node:zlib"

/** Lets `require` load code that the build has compressed: what few commands need. */
export const readPackedCode = (): void => {
  createRequire(import.meta.url).extensions[".br"] = (module, file) => {
    // what Node calls itself for `.js`; it keeps what it compiled of this, too
    const { _compile } = module as NodeJS.Module & { _compile(code: string, file: string): void }
    _compile.call(module, brotliDecompressSync(readFileSync(file)).toString(), file)
  }
}
