import type { Language } from "../../../text/languages.ts"

/**
 * What is said in documentation that is no comment, by row from 0: attributes of modules in Elixir (`@doc "…"`), strings of Julia. The rows that
 * only begin or end it say nothing. Pure.
 */
export const documentationIn = (
  { name }: Pick<Language, "name">,
  lines: ReadonlyArray<string>
): ReadonlyMap<number, string> => {
  const attribute = attributes[name]
  if (attribute === undefined) return new Map()
  const found = new Map<number, string>()
  let isOpen = false
  for (const [row, line] of lines.entries()) {
    if (isOpen) {
      isOpen = !/^\s*"""/.test(line)
      found.set(row, isOpen ? line.trim() : "")
      continue
    }
    const [said, opening, text = ""] = attribute.exec(line) ?? []
    if (said === undefined) continue
    isOpen = opening === '"""' && !text.includes('"""')
    found.set(row, text.replace(/"\s*$/, ""))
  }
  return found
}

const attributes: Readonly<Record<string, RegExp>> = {
  elixir: /^\s*@(?:module|type|short)?doc\s+(?:~[sS])?("""|")(.*)/,
  julia: /^\s*(?:@doc\s+(?:raw)?)?(""")(.*)/
}
