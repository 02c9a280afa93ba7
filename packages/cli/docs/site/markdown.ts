/** What is read of the pages of the docs: headings, links, text. One parser for the site and for the tests of the docs. */
import { marked, type Token, type Tokens } from "marked"

export type { Token }

export interface Heading {
  readonly depth: number
  readonly text: string
  /** Its address in the page. */
  readonly anchor: string
}

export const tokensOf = (text: string): ReadonlyArray<Token> => marked.lexer(text)

/** Every token, those in others too, in the order of the text. */
export const everyToken = (tokens: ReadonlyArray<Token>): ReadonlyArray<Token> => {
  const found: Array<Token> = []
  marked.walkTokens([...tokens], (token) => {
    found.push(token)
  })
  return found
}

/** What is read of a token, without its marks. */
export const plainText = (tokens: ReadonlyArray<Token>): string =>
  tokens
    .map((token) => {
      if (token.type === "br") return " "
      if (token.type === "codespan" || token.type === "escape") return token.text as string
      if ("tokens" in token && Array.isArray(token.tokens)) return plainText(token.tokens)
      return token.type === "html" || token.type === "image" ? "" : "text" in token ? unescaped(String(token.text)) : ""
    })
    .join("")

const unescaped = (text: string): string =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")

/** The addresses of headings as GitHub makes them, so that a link holds in both places. */
export const slugger = (): ((text: string) => string) => {
  const seen = new Map<string, number>()
  return (text) => {
    const plain = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, "")
      .replace(/\s/g, "-")
    const before = seen.get(plain) ?? 0
    seen.set(plain, before + 1)
    return before === 0 ? plain : `${plain}-${before}`
  }
}

export const isHeading = (token: Token): token is Tokens.Heading => token.type === "heading"

export const headingsOf = (tokens: ReadonlyArray<Token>): ReadonlyArray<Heading> => {
  const slug = slugger()
  return tokens.filter(isHeading).map(({ depth, tokens: inner }) => {
    const text = plainText(inner)
    return { depth, text, anchor: slug(text) }
  })
}

/** Where links and pictures of a page lead, as they are written. */
export const targetsOf = (tokens: ReadonlyArray<Token>): ReadonlyArray<string> =>
  everyToken(tokens).flatMap((token) => (token.type === "link" || token.type === "image" ? [String(token.href)] : []))

/** It leads out of the repository. */
export const isForeign = (target: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(target)
