import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** A configuration that docs/mcp.md shows. */
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

export const page = readFileSync(fileURLToPath(new URL("../../docs/mcp.md", import.meta.url)), "utf8")

/** Every configuration of the page; the line that opens one says where it belongs. */
export const snippets: ReadonlyArray<Snippet> = Array.from(
  page.matchAll(/^```(json|toml) (\S+)(?: (stdio|http))?\n([\s\S]*?)^```$/gm),
  ([, language = "", path = "", transport = "", text = ""]) => ({ language, path, transport, text })
)

/** The one configuration for a place. */
export const snippetFor = (path: string, transport = ""): string => {
  const found = snippets.filter((one) => one.path === path && one.transport === transport)
  if (found.length !== 1) throw new Error(`docs/mcp.md shows ${found.length} times ${path} ${transport}.`)
  return found[0]?.text ?? ""
}

/** The command lines that the page shows for a program, without comments. */
export const commandLines = (program: string): ReadonlyArray<string> =>
  Array.from(page.matchAll(/^```sh\n([\s\S]*?)^```$/gm), ([, text = ""]) => text)
    .flatMap((text) => text.split("\n"))
    .map((line) => line.replace(/\s+#.*$/, ""))
    .filter((line) => line.startsWith(`${program} `))
