import { readdirSync, readFileSync } from "node:fs"

/** A part of a fixture file: what stands behind `%%`, and the lines up to the next. */
export interface Part {
  readonly head: string
  readonly text: string
  /** What stands behind `%=` in it: what is expected of the text. */
  readonly expected: ReadonlyArray<string>
}

/** The parts of a fixture file, in order. */
export const partsOf = (file: URL): ReadonlyArray<Part> =>
  readFileSync(file, "utf8")
    .split(/^%% /m)
    .slice(1)
    .map((part) => {
      const [head = "", ...lines] = part.split("\n")
      const expected = lines.filter((line) => line.startsWith("%= ")).map((line) => line.slice(3))
      return { head, expected, text: lines.filter((line) => !line.startsWith("%= ")).join("\n") }
    })

/** Short texts, each on a line; one of several lines goes on behind `| `. */
export const listOf = (text: string): ReadonlyArray<string> =>
  text
    .replace(/\n$/, "")
    .split(/\n(?!\|(?:[ \n]|$))/)
    .map((one) => one.replaceAll(/\n\| ?/g, "\n"))

/** The fixture files of a folder, by their names without an extension. */
export const fixturesIn = (folder: URL): ReadonlyArray<readonly [name: string, parts: ReadonlyArray<Part>]> =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".txt"))
    .sort()
    .map((name) => [name.slice(0, -".txt".length), partsOf(new URL(name, folder))] as const)
