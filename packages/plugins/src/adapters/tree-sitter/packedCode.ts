import { readFileSync } from "node:fs"

/** Compiles code that a build has compressed as Node does code that it reads itself: what it compiled is kept, too. */
export const compilePacked = (module: object, file: string): void => {
  // most starts of a program that has such code load none
  const { brotliDecompressSync } = process.getBuiltinModule("node:zlib")
  const { _compile } = module as { readonly _compile: (code: string, file: string) => void }
  _compile.call(module, brotliDecompressSync(readFileSync(file)).toString(), file)
}
