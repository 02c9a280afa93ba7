/** The pages of the docs, in the order in which docs/README.md lists them. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { fileURLToPath } from "node:url"
import type { Token, Tokens } from "marked"
import { isForeign, isHeading, plainText, tokensOf } from "./markdown.ts"

export const root = fileURLToPath(new URL("../../../../", import.meta.url))
export const folder = join(root, "docs")

/** The list of all pages, itself one of them. */
export const start = "README.md"

export interface Doc {
  /** From `docs/`, with `/` between folders. */
  readonly path: string
  /** What it is called in the list. */
  readonly title: string
  /** Under which heading of the list it stands; empty for the list itself. */
  readonly kind: string
  readonly text: string
}

/** Every file of the docs, from `docs/`. */
export const filesOfDocs = (): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".md"))
    .toSorted()

/** The links of the list's own points, with the heading above them. */
const listed = (tokens: ReadonlyArray<Token>): ReadonlyArray<Omit<Doc, "text">> => {
  let kind = ""
  return tokens.flatMap((token) => {
    if (isHeading(token) && token.depth === 2) kind = plainText(token.tokens)
    return token.type === "list" ? linksOf(token as Tokens.List).map(({ path, title }) => ({ path, title, kind })) : []
  })
}

const linksOf = (list: Tokens.List): ReadonlyArray<{ readonly path: string; readonly title: string }> =>
  list.items.flatMap(({ tokens }) =>
    tokens.flatMap((token): ReadonlyArray<{ readonly path: string; readonly title: string }> => {
      if (token.type === "list") return linksOf(token as Tokens.List)
      const inner = "tokens" in token && Array.isArray(token.tokens) ? token.tokens : []
      const link = inner.find((one): one is Tokens.Link => one.type === "link")
      if (link === undefined || isForeign(link.href)) return []
      return [{ path: posix.normalize(link.href), title: plainText(link.tokens) }]
    })
  )

export const readDocs = (): ReadonlyArray<Doc> => {
  const text = readFileSync(join(folder, start), "utf8")
  const pages = listed(tokensOf(text))
  return [{ path: start, title: "Documentation", kind: "" }, ...pages].map((one) => ({
    ...one,
    text: existsSync(join(folder, one.path)) ? readFileSync(join(folder, one.path), "utf8") : ""
  }))
}
