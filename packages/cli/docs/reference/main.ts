// Writes docs/reference/ from the code: `npm run docs`.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { referencePages, root } from "./pages.ts"

const folder = join(root, "docs/reference")
const pages = await Effect.runPromise(referencePages)
mkdirSync(folder, { recursive: true })
for (const { name, text } of pages) writeFileSync(join(folder, `${name}.md`), text)
for (const file of readdirSync(folder)) {
  if (!pages.some(({ name }) => `${name}.md` === file)) rmSync(join(folder, file))
}
process.stdout.write(`docs/reference: ${pages.length} pages\n`)
