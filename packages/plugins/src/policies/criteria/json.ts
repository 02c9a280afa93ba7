import { languageOf } from "../../text/languages.ts"
import { scan } from "../../text/scan.ts"
import { at, type ChangedFile, type Finding } from "./file.ts"

/** Where a JSON file does not parse because of its changed lines. Files of tools may hold comments. */
export const jsonFault = (file: ChangedFile): ReadonlyArray<Finding> => {
  const { lines, path, text } = file
  if (!lines.some((_, row) => file.isChanged(row))) return []
  const fault = faultIn(text)
  if (fault === null || isJsonLines(lines)) return []
  if (mayHoldComments(path) && faultIn(plain(text)) === null) return []
  const row = Math.min(fault.row ?? lines.length - 1, lines.length - 1)
  // what is wrong shows at the next sign: on this line or behind it
  const near = [row, row - 1, row + 1].find((one) => file.isChanged(one))
  return near === undefined ? [] : [{ ...at(path, near, lines[near] ?? ""), text: fault.message }]
}

interface JsonFault {
  readonly message: string
  /** From 0; null: at the end. */
  readonly row: number | null
}

const faultIn = (text: string): JsonFault | null => {
  const source = text.replace(/^\ufeff/, "")
  try {
    JSON.parse(source)
    return null
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const position = /at position (\d+)/.exec(message)?.[1]
    return {
      message: `it is no JSON: ${message.replace(/^(.*?),? "[\s\S]*" is not valid JSON$/, "$1").replace(/\s+/g, " ")}`,
      row: position === undefined ? null : source.slice(0, Number(position)).split("\n").length - 1
    }
  }
}

const isJsonLines = (lines: ReadonlyArray<string>): boolean => {
  const documents = lines.filter((line) => line.trim() !== "")
  return documents.length > 1 && documents.every((line) => /^\s*[{[]/.test(line) && faultIn(line) === null)
}

/** Files of tools that read JSON with comments, and those in folders of editors. */
const mayHoldComments = (path: string): boolean =>
  /(?:^|\/)\.[^/]+\//.test(path) ||
  /(?:^|\/)(?:\.[^/]+|[tj]sconfig[^/]*|devcontainer|biome|deno|turbo|nx|project|renovate|angular|api-extractor[^/]*|babel\.config|rush|wrangler|knip|tslint|typedoc|cspell)\.json$/i.test(
    path
  )

/** Without comments and without commas before a closing bracket; what stands in strings stays. */
const plain = (text: string): string => {
  const { code, text: said } = scan(text, languageOf("a.json", []))
  const commas = new Set([...code.matchAll(/,(?=\s*[}\]])/g)].map(({ index }) => index))
  return commas.size === 0 ? said : said.replace(/,/g, (comma, at: number) => (commas.has(at) ? " " : comma))
}
