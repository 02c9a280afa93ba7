import type { LineRange, SourceOutline } from "../../port/index.ts"
import { countIn, rowsOf } from "./code.ts"

/**
 * The names that an item asks to import, or to pass on, in a file that it names, where it asks for nothing else: `Import
 * A_B and C_D in src/names.py`. They must be written as code (`two_words`, `TwoWords`, `name()`, or between backticks):
 * `Import users` asks for something else. Where a language passes on what it imports, as Python does, the item may say
 * export too. Empty: it asks for no import. Pure.
 */
export const importsAskedFor = (item: string, path: string): ReadonlyArray<string> => {
  const [, verb = "", asked = "", places = ""] = form.exec(item.normalize("NFKC").trim()) ?? []
  if (places === "" || (/^(?:re-?)?exp/i.test(verb) && !/\.pyi?$/.test(path))) return []
  const names = asked.split(/\s*,\s*(?:and\s+)?|\s+and\s+/).map(
    (name) =>
      codeName
        .exec(name.replace(/^the\s+/, ""))
        ?.slice(1)
        .find((one) => one !== undefined) ?? ""
  )
  return names.every((name) => name !== "") ? names : []
}

/** Verb, names, and places alone: a module or a file by its path or between backticks. */
const form =
  /^((?:re-?)?(?:import|export)|expose)\s+(\S.*?)((?:\s+(?:in|into|from|to|at)\s+(?:the\s+)?(?:(?:module|file|package)\s+)?(?=\S*[./`_])[`\w./-]+(?:\s+(?:again|too))?,?)+)\.?$/i
const codeName = /^(?:`([\w$.]+)(?:\(\))?`|([\w$.]+)\(\)|([\w$]*(?:_[\w$]|[a-z\d][A-Z]|[A-Z][A-Z]|[A-Z][a-z])[\w$]*))$/

/** A version of a file. */
export interface Importing {
  /** With their ends. */
  readonly lines: ReadonlyArray<string>
  readonly outline: SourceOutline | null
}

/** Rows, from 0, of imports that the file did not hold before, with what they say. */
export const newImports = (now: Importing, before: Importing): ReadonlyMap<number, string> => {
  const said = new Set(before.lines.map(oneSpaced))
  return new Map(importsOf(now).filter(([, text]) => !said.has(text)))
}

const oneSpaced = (text: string): string => text.trim().replace(/\s+/g, " ")

const importsOf = ({ lines, outline }: Importing): ReadonlyArray<readonly [row: number, text: string]> => {
  if (outline === null) return []
  const { what } = rowsOf(lines, outline)
  return lines.flatMap((line, row) => {
    const text = oneSpaced(line)
    return /[\w$]/.test(text) && countIn(what.imports, row, row) > 0 ? [[row, text] as const] : []
  })
}

/** New imports in these lines, where all that is asked for stands in them; else none. */
export const importsIn = (
  imports: ReadonlyMap<number, string>,
  { end, start }: LineRange,
  asked: ReadonlyArray<string>,
  sha256: (text: string) => string
): ReadonlyArray<string> => {
  const found = [...imports].flatMap(([row, text]) => (row >= start - 1 && row < end ? [text] : []))
  const names = new Set(found.flatMap((text) => text.match(/[\w$]+/g) ?? []))
  const isAll = asked.length > 0 && asked.every((name) => names.has(name.split(".").at(-1) ?? name))
  return isAll ? found.map((text) => `@${sha256(text).slice(0, 8)}`) : []
}
