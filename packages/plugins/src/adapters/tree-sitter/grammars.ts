import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { brotliDecompressSync } from "node:zlib"

/**
 * The grammars that come with Proofline and their runtime, each with the package it is built into. Only the file itself
 * is published.
 */
export const grammarSources = {
  "tree-sitter-bash.wasm": "@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm",
  "tree-sitter-c.wasm": "@repomix/tree-sitter-wasms/out/tree-sitter-c.wasm",
  "tree-sitter-c-sharp.wasm": "@vscode/tree-sitter-wasm/wasm/tree-sitter-c-sharp.wasm",
  "tree-sitter-cpp.wasm": "@vscode/tree-sitter-wasm/wasm/tree-sitter-cpp.wasm",
  "tree-sitter-go.wasm": "@vscode/tree-sitter-wasm/wasm/tree-sitter-go.wasm",
  "tree-sitter-java.wasm": "@vscode/tree-sitter-wasm/wasm/tree-sitter-java.wasm",
  "tree-sitter-javascript.wasm": "@vscode/tree-sitter-wasm/wasm/tree-sitter-javascript.wasm",
  "tree-sitter-kotlin.wasm": "@tree-sitter-grammars/tree-sitter-kotlin/tree-sitter-kotlin.wasm",
  "tree-sitter-php.wasm": "@vscode/tree-sitter-wasm/wasm/tree-sitter-php.wasm",
  "tree-sitter-python.wasm": "@vscode/tree-sitter-wasm/wasm/tree-sitter-python.wasm",
  "tree-sitter-ruby.wasm": "@vscode/tree-sitter-wasm/wasm/tree-sitter-ruby.wasm",
  "tree-sitter-rust.wasm": "@vscode/tree-sitter-wasm/wasm/tree-sitter-rust.wasm",
  "tree-sitter-scala.wasm": "tree-sitter-scala/tree-sitter-scala.wasm",
  "tree-sitter-swift.wasm": "@repomix/tree-sitter-wasms/out/tree-sitter-swift.wasm",
  "tree-sitter-tsx.wasm": "@vscode/tree-sitter-wasm/wasm/tree-sitter-tsx.wasm",
  "tree-sitter-typescript.wasm": "@vscode/tree-sitter-wasm/wasm/tree-sitter-typescript.wasm",
  "web-tree-sitter.cjs": "web-tree-sitter",
  "web-tree-sitter.wasm": "web-tree-sitter/web-tree-sitter.wasm"
} as const

/** Where this code is: beside it, a published package has the grammars. */
const here = Path.dirname(fileURLToPath(import.meta.url))

/** The file of a grammar: one of ours by its name, any other by its path or `file:` URL. */
export const grammarFile = (grammar: string): string => {
  if (grammar.startsWith("file:")) return fileURLToPath(grammar)
  return grammar in grammarSources ? located(grammar as keyof typeof grammarSources) : grammar
}

/** The runtime of all grammars: its code and its WebAssembly. */
export const runtimeFiles = (): { readonly code: string; readonly wasm: string } => ({
  code: located("web-tree-sitter.cjs"),
  wasm: located("web-tree-sitter.wasm")
})

/** The WebAssembly in a file; those that are published are compressed. */
export const wasmIn = (file: string): Uint8Array<ArrayBuffer> => {
  const bytes = readFileSync(file)
  return file.endsWith(".br") ? brotliDecompressSync(bytes, { chunkSize }) : bytes
}

/** In bytes: what comes in smaller parts is put together of a hundred. */
const chunkSize = 1_048_576

/** Where a published package has a file of the grammars. */
export const packedFile = (name: string): string => Path.join(here, "grammars", name)

const located = (name: keyof typeof grammarSources): string => {
  const published = packedFile(`${name}.br`)
  return existsSync(published) ? published : createRequire(import.meta.url).resolve(grammarSources[name])
}
