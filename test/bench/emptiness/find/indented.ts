import { indentOf, lineStarts } from "../text.ts"
import type { FoundFunction } from "../types.ts"
import { aboveOf } from "./lines.ts"

export interface IndentedFile {
  readonly code: string
  readonly uncommented: string
  readonly functions: ReadonlyArray<FoundFunction>
}

/**
 * Functions of Ruby and Bash by their layout: from the head to the first line of the same indentation, which must be
 * `end` or `}`. Where something between is indented less, a here-document for example, the function is left out.
 */
export const findByLayout = (language: "ruby" | "bash", text: string): IndentedFile | null => {
  if (text.includes("\r")) return null
  const masked = maskLines(language, text)
  const { head, tail } = shapes[language]
  const lines = masked.uncommented.split("\n")
  const starts = lineStarts(text)
  const functions: Array<FoundFunction> = []
  for (const [index, line] of lines.entries()) {
    const found = head.exec(line)
    if (found === null) continue
    const indent = indentOf(line)
    // the brace on a line of its own
    const isSplit = language === "bash" && !line.includes("{")
    const opened = isSplit ? index + 1 : index
    if (isSplit && lines[opened]?.trimEnd() !== `${indent}{`) continue
    const last = lines.findIndex(
      (other, i) => i > opened && other.trim() !== "" && indentOf(other).length <= indent.length
    )
    if (last === -1 || lines[last]?.trimEnd() !== indent + tail) continue
    const from = (starts[opened + 1] ?? 0) - 1
    const to = (starts[last] ?? 0) + indent.length
    const name = found.groups?.["name"] ?? ""
    const part = { from, to }
    functions.push({
      name,
      above: aboveOf(text, masked.uncommented, starts, index + 1),
      start: index + 1,
      signature: index + 1,
      end: last + 1,
      body: part,
      outer: part,
      form: "block",
      head: line,
      role: name === "initialize" ? "constructor" : "plain"
    })
  }
  return { ...masked, functions }
}

const shapes = {
  // the head of a method must end on its line
  ruby: {
    head: /^\s*(?:(?:private|protected|public|module_function|private_class_method)\s+)?def\s+(?:self\.)?(?<name>\w+[?!]?)(?:\s*\([^()]*(?:\([^()]*\)[^()]*)*\)|\s+[\w*&][^=;()]*)?\s*$/,
    tail: "end"
  },
  bash: { head: /^\s*(?:function\s+)?(?<name>[\w:.-]+)\s*(?:\(\s*\)\s*|(?<=function\s+[\w:.-]+)\s+)\{?\s*$/, tail: "}" }
}

/** Comments blanked, and strings that end on their line; the rest of a line with another quote is blanked in `code`. */
const maskLines = (language: "ruby" | "bash", text: string) => {
  const code: Array<string> = []
  const uncommented: Array<string> = []
  let until: RegExp | null = null
  for (const line of text.split("\n")) {
    const blank = " ".repeat(line.length)
    if (until !== null) {
      const isDocumentation: boolean = until.source.includes("=end")
      code.push(blank)
      uncommented.push(isDocumentation ? blank : line)
      if (until.test(line)) until = null
      continue
    }
    if (language === "ruby" && /^=begin\b/.test(line)) {
      until = /^=end\b/
      code.push(blank)
      uncommented.push(blank)
      continue
    }
    const { bare, stripped } = maskLine(line)
    code.push(bare)
    uncommented.push(stripped)
    const here = /<<[-~]?\s*(["']?)([A-Za-z_]\w*)\1/.exec(stripped)
    if (here !== null && (language === "bash" || /^[A-Z]/.test(here[2] ?? "")))
      until = new RegExp(`^\\s*${here[2]}\\s*$`)
  }
  return { code: code.join("\n"), uncommented: uncommented.join("\n") }
}

const maskLine = (line: string): { readonly bare: string; readonly stripped: string } => {
  let bare = ""
  for (let i = 0; i < line.length; ) {
    const char = line[i] ?? ""
    if (char === "#" && /(?:^|\s)$/.test(line.slice(0, i))) {
      const rest = " ".repeat(line.length - i)
      return { bare: bare + rest, stripped: line.slice(0, i) + rest }
    }
    if (char === '"' || char === "'") {
      const string = /^(?:"(?:[^"\\]|\\.)*"|'[^']*')/.exec(line.slice(i))
      if (string === null) return { bare: bare + " ".repeat(line.length - i), stripped: line }
      bare += char + " ".repeat(string[0].length - 2) + char
      i += string[0].length
    } else if (char === "\\") {
      bare += line.slice(i, i + 2)
      i += 2
    } else {
      bare += char
      i++
    }
  }
  return { bare, stripped: line }
}
