/** A page of the docs for a terminal, from the HTML that we have made of it. */
import { rowsText, wrapped } from "../render/help.ts"
import type { Style } from "../render/style.ts"
import { plainTextOf } from "./searchIndex.ts"

/** Blocks that hold no others, but for lists. */
const block = /<(h[1-6]|p|pre|table|figcaption|ul|ol)\b[^>]*>|<\/(ul|ol)>|<li>|<span class="picture">/g

/** In lines of at most `width` characters, but for code. */
export const terminalText = (html: string, style: Style, width: number): string => {
  let text = ""
  let wasPoint = false
  let depth = 0
  let rest = html
  for (;;) {
    block.lastIndex = 0
    const found = block.exec(rest)
    if (found === null) break
    const [tag, name = "", closed] = found
    const inside = rest.slice(found.index + tag.length)
    if (name === "ul" || name === "ol") depth += 1
    if (closed !== undefined) depth -= 1
    if (name === "ul" || name === "ol" || closed !== undefined) {
      rest = inside
      continue
    }
    const end = endOf(tag, name, inside)
    const isPoint = tag === "<li>"
    // points of a list stand close together
    text += text === "" ? "" : isPoint && wasPoint ? "\n" : "\n\n"
    text += blockText(tag, name, inside.slice(0, end), { depth, style, width })
    wasPoint = isPoint
    rest = inside.slice(end)
  }
  return `${text}\n`
}

/** Where the block ends; a point of a list where its text does. */
const endOf = (tag: string, name: string, inside: string): number => {
  const close = tag === "<li>" ? /<\/li>|<(?:ul|ol|p|pre)\b/ : name === "" ? /<\/span>/ : new RegExp(`</${name}>`)
  return close.exec(inside)?.index ?? inside.length
}

interface Place {
  /** How many lists it stands in. */
  readonly depth: number
  readonly style: Style
  readonly width: number
}

const blockText = (tag: string, name: string, inner: string, { depth, style, width }: Place): string => {
  const indent = "  ".repeat(depth)
  if (/^h[1-6]$/.test(name)) return style.bold(plainTextOf(inner))
  if (name === "pre")
    return codeOf(inner)
      .map((line) => `${indent}    ${line}`.trimEnd())
      .join("\n")
  if (name === "table") return tableText(inner, style, width).join("\n")
  const isPoint = tag === "<li>"
  const [first = "", ...others] = wrapped(plainTextOf(inner), width - indent.length)
  const begin = isPoint ? `${"  ".repeat(Math.max(depth - 1, 0))}- ` : indent
  return [`${begin}${first}`, ...others.map((line) => `${indent}${line}`)].join("\n")
}

/** Line by line, for blanks mean something there. */
const codeOf = (html: string): ReadonlyArray<string> =>
  html
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => {
      const indent = /^ */.exec(line.replace(/<[^>]*>/g, ""))?.[0] ?? ""
      return `${indent}${plainTextOf(line.replace(/ /g, "\u0000")).replaceAll("\u0000", " ").trimStart()}`
    })

/** The first cell on the left, all others beside it. */
const tableText = (html: string, style: Style, width: number): ReadonlyArray<string> => {
  const rows = [...html.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = ""]) =>
    [...row.matchAll(/<t[hd]>([\s\S]*?)<\/t[hd]>/g)].map(([, cell = ""]) => plainTextOf(cell))
  )
  return rowsText(
    style,
    width
  )(rows.map(([first = "", ...others]) => [first, others.filter((cell) => cell !== "").join(" · ")] as const))
}
