import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, extname, join } from "node:path"
import { languages } from "../../packages/plugins/src/adapters/tree-sitter/languages/index.ts"
import { honest } from "../plugins/proof/honest.ts"

/** Stubs of Python are types alone. */
const cited = languages.filter(({ name }) => name !== "python-stubs")

/** Work in each language, a text for each file of the tests. */
const worksOf = (extensions: ReadonlyArray<string>): ReadonlyArray<string> =>
  honest.flatMap(({ after }) =>
    Object.entries(after).flatMap(([path, text]) =>
      typeof text === "string" && extensions.includes(extname(path)) ? [text] : []
    )
  )

const declared =
  /\b(?:def|fun|func|fn|function|class|struct|interface|object|enum|trait|module)\s+(\w{3,})|^\w[\w\s*&:<>]*?\b(\w{3,})\s*\(/gm

/** A text in which what is declared has other names. */
const renamed = (text: string, ending: string): string => {
  const names = new Set([...text.matchAll(declared)].flatMap(([, keyed, plain]) => keyed ?? plain ?? []))
  return text.replace(/\w+/g, (word) => (names.has(word) ? `${word}${ending}` : word))
}

/** Writes so many files of sixteen languages, no two alike, of some 80 lines; the same each time. */
export const writeColdFiles = (
  directory: string,
  files: number
): ReadonlyArray<{ readonly path: string; readonly lines: number }> =>
  Array.from({ length: files }, (_, i) => {
    const language = cited[i % cited.length]
    const works = worksOf(language?.extensions ?? [])
    const count = 2 + ((i * 7) % 5)
    const parts = Array.from({ length: count }, (_, k) => {
      const text = renamed(works[(i + k) % works.length] ?? "", `_${i}_${k}`)
      return k === 0 ? text : text.replace(/^<\?php\n|^(?:package|import|using|#include|use) .*\n/gm, "")
    })
    const text = parts.join("\n")
    const path = `${language?.name}/part${i % 40}/file${i}${language?.extensions[0]}`
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
    return { path, lines: text.split("\n").length - 1 }
  })
