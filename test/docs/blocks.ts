/** The blocks of code that pages show, and what is said of how each is tried. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { filesOfDocs, root } from "../../packages/cli/docs/site/docs.ts"
import { everyToken, type Token, tokensOf } from "../../packages/cli/docs/site/markdown.ts"

/** How a block is tried when it is not as usual; said in a comment before it. */
export type Directive =
  | { readonly _tag: "usual" }
  /** It cannot be run here. */
  | { readonly _tag: "not run"; readonly because: string }
  /** A test of its own runs it. */
  | { readonly _tag: "run by"; readonly test: string }
  /** What stands before it, in TypeScript. */
  | { readonly _tag: "with"; readonly code: string }
  /** Its commands end with these codes, the last for all that follow. */
  | { readonly _tag: "ends with"; readonly codes: ReadonlyArray<number>; readonly because: string }

export interface Block {
  /** From the root of the repository. */
  readonly page: string
  /** From 1; of its first fence. */
  readonly line: number
  readonly language: string
  /** Where the file belongs that it shows; empty: it is none. */
  readonly file: string
  readonly text: string
  readonly directive: Directive
}

const usual: Directive = { _tag: "usual" }

const said = /^<!--\s*block:\s*(not run|run by|ends with|with)(?:\s+([^:]+?))?(?::\s*([\s\S]+?))?\s*-->/

/** Throws when a comment for a block cannot be read: one that is misspelt would let it go untried. */
export const directiveOf = (comment: string): Directive => {
  if (!/^<!--\s*block\b/.test(comment)) return usual
  const [, kind, what = "", because = ""] = said.exec(comment) ?? []
  if (kind === "not run" && because.length >= 10) return { _tag: "not run", because }
  if (kind === "run by" && what.endsWith(".test.ts")) return { _tag: "run by", test: what }
  if (kind === "with" && because !== "") return { _tag: "with", code: because }
  const codes = what.split(/,\s*/).map(Number)
  if (kind === "ends with" && because.length >= 10 && codes.every(Number.isInteger))
    return { _tag: "ends with", codes, because }
  throw new Error(`This says nothing of a block: ${comment}`)
}

/** Every block of a text, those in lists too. */
export const blocksIn = (text: string, page: string): ReadonlyArray<Block> => {
  let at = 0
  let directive: Directive = usual
  return everyToken(tokensOf(text)).flatMap((token: Token): ReadonlyArray<Block> => {
    if (token.type === "html") {
      directive = directiveOf(String(token.raw).trim())
      return []
    }
    // what stands between them is no block, and no comment is meant for a later one
    if (token.type !== "code") {
      if (token.type !== "space") directive = usual
      return []
    }
    const first = String(token.raw).split("\n")[0] ?? ""
    at = text.indexOf(first, at)
    const line = text.slice(0, at).split("\n").length
    at += first.length
    const own = directive
    directive = usual
    const [language = "", file = ""] = String(token.lang ?? "").split(" ")
    return [{ page, line, language, file, text: `${token.text}\n`, directive: own }]
  })
}

/** The pages whose blocks are tried. */
export const pages: ReadonlyArray<string> = ["README.md", ...filesOfDocs().map((name) => `docs/${name}`)]

export const blocksOf = (page: string): ReadonlyArray<Block> => blocksIn(readFileSync(join(root, page), "utf8"), page)

/** The command lines of a block: each with its comment taken off, those that go on joined. */
export const commandsIn = (text: string): ReadonlyArray<string> =>
  text
    .replace(/\\\n\s*/g, "")
    .split("\n")
    .map((line) => line.replace(/(^|\s)#(?:\s.*)?$/, "").trim())
    .filter((line) => line !== "")

/** Whether something here runs it as it stands. */
export const isTried = ({ directive }: Block): boolean => directive._tag !== "not run" && directive._tag !== "run by"
