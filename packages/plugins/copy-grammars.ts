// Puts the grammars beside the built code that reads them, so that the published package brings them and needs none of
// the packages they come from.
import { copyFileSync, mkdirSync } from "node:fs"
import { createRequire } from "node:module"
import { grammarSources } from "./src/adapters/tree-sitter/grammars.ts"

const to = new URL("dist/adapters/tree-sitter/grammars/", import.meta.url)
mkdirSync(to, { recursive: true })
const { resolve } = createRequire(import.meta.url)
for (const [name, source] of Object.entries(grammarSources)) copyFileSync(resolve(source), new URL(name, to))
