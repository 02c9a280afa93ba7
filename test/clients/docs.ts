import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** A file that a page shows. */
export interface Snippet {
  readonly language: string
  /** Where a client looks for it: below the project, or below the home directory when it begins with `~/`. */
  readonly path: string
  /** `stdio` or `http`; empty when it is for both. */
  readonly transport: string
  readonly text: string
}

/** Where `proofline serve` is, in what the page shows. */
export const usualAddress = "http://127.0.0.1:4600"

const read = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../docs/${path}`, import.meta.url)), "utf8")

export const page = read("mcp.md")

/** Every file that a page shows; the line that opens one says where it belongs. */
const snippetsOf = (page: string): ReadonlyArray<Snippet> =>
  Array.from(
    page.matchAll(/^```(json|toml|yaml|sh|md) (\S+)(?: (stdio|http))?\n([\s\S]*?)^```$/gm),
    ([, language = "", path = "", transport = "", text = ""]) => ({ language, path, transport, text })
  )

export const snippets: ReadonlyArray<Snippet> = snippetsOf(page)

/** The one configuration for a place. */
export const snippetFor = (path: string, transport = ""): string => {
  const found = snippets.filter((one) => one.path === path && one.transport === transport)
  if (found.length !== 1) throw new Error(`docs/mcp.md shows ${found.length} times ${path} ${transport}.`)
  return found[0]?.text ?? ""
}

/** The command lines of a page, without comments. */
const linesOf = (page: string): ReadonlyArray<string> =>
  Array.from(page.matchAll(/^```sh\n([\s\S]*?)^```$/gm), ([, text = ""]) => text)
    .flatMap((text) => text.split("\n"))
    .map((line) => line.replace(/\s+#.*$/, ""))
    .filter((line) => line !== "")

/** Those that `docs/mcp.md` shows for a program. */
export const commandLines = (program: string): ReadonlyArray<string> =>
  linesOf(page).filter((line) => line.startsWith(`${program} `))

const folder = fileURLToPath(new URL("../../docs/agents", import.meta.url))

/** The pages of the agents: what they show, by their names. */
export const agentPages = Object.fromEntries(
  readdirSync(folder).map((file) => {
    const text = read(`agents/${file}`)
    return [file.replace(/\.md$/, ""), { text, lines: linesOf(text), files: snippetsOf(text) }]
  })
)
