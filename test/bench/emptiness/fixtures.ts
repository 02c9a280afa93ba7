import { readFileSync } from "node:fs"
import type { Language } from "./types.ts"

/** Code that is easily taken for the other kind, and its lines that are cited, from 1. */
export interface Fixture {
  readonly what: string
  readonly path: string
  readonly expected: "accept" | "refuse"
  /** With its marks. */
  readonly code: string
  readonly text: string
  readonly start: number
  readonly end: number
}

/**
 * The fixtures of a language, from its file in `special`: `=== accept A.java: interface`, then the code. Every line of it
 * begins with `>` when it is cited, otherwise with a blank.
 */
export const fixturesOf = (language: Language): ReadonlyArray<Fixture> =>
  readFileSync(new URL(`special/${language}.txt`, import.meta.url), "utf8")
    .split(/^=== /mu)
    .slice(1)
    .map((section) => {
      const [head = "", ...lines] = section.trimEnd().split("\n")
      const [, expected, path, what] = /^(accept|refuse) (\S+): (.+)$/u.exec(head) ?? []
      const cited = lines.flatMap((line, i) => (line.startsWith(">") ? [i + 1] : []))
      const [start] = cited
      const end = cited.at(-1)
      if (path === undefined || what === undefined || start === undefined || end === undefined)
        throw new Error(`special/${language}.txt: "${head}" is no fixture.`)
      return {
        what,
        path,
        expected: expected === "accept" ? "accept" : "refuse",
        code: lines.join("\n"),
        text: `${lines.map((line) => line.slice(1)).join("\n")}\n`,
        start,
        end
      }
    })
