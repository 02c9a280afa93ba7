import { createRequire } from "node:module"
import { compilePacked } from "@proofline/plugins/adapters/tree-sitter/packedCode"

/** Lets `require` load code that the build has compressed: most of what only one command needs. */
export const readPackedCode = (): void => {
  createRequire(import.meta.url).extensions[".br"] = compilePacked
}
