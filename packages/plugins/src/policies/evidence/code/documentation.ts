import type { Language } from "../../../text/languages.ts"

/**
 * What is said in documentation that is no comment, by row from 0: attributes of modules in Elixir (`@doc "…"`). The rows that
 * only begin or end it say nothing. Pure.
 */
export const documentationIn = (
  { name }: Pick<Language, "name">,
  lines: ReadonlyArray<string>
): ReadonlyMap<number, string> => {
  if (name !== "elixir") return new Map()
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
    isOpen = opening === '"""'
    found.set(row, text.replace(/"\s*$/, ""))
  }
  return found
}

const attribute = /^\s*@(?:module|type|short)?doc\s+(?:~[sS])?("""|")(.*)/
