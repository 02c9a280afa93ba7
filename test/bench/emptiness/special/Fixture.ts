/** Code that is easily taken for the other kind. Every line begins with `>` when it is cited, otherwise with a blank. */
export interface Fixture {
  readonly what: string
  readonly path: string
  readonly expected: "accept" | "refuse"
  readonly code: string
}

const of =
  (expected: Fixture["expected"]) =>
  (path: string, what: string, code: string): Fixture => ({ what, path, expected, code })

export const accepted = of("accept")
export const refused = of("refuse")

/** What every language has to refuse, in its own words: blank lines, comments, imports, a closing bracket. */
export const nothings = (
  path: string,
  parts: {
    /** What the file must begin with. */
    readonly head?: string
    readonly comment: string
    readonly imports?: string
    readonly body: string
    readonly close?: string
  }
): ReadonlyArray<Fixture> => {
  const lines = (text: string, mark: string) => text.split("\n").map((line) => mark + line)
  const head = parts.head === undefined ? [] : lines(parts.head, " ")
  const cite = (before: string, cited: string, after: string): string =>
    [...head, ...lines(before, " "), ...lines(cited, ">"), ...lines(after, " ")].join("\n")
  return [
    refused(path, "only blank lines", cite(parts.body, "\n", parts.body)),
    refused(path, "only a comment", cite(parts.body, parts.comment, parts.body)),
    ...(parts.imports === undefined ? [] : [refused(path, "only imports", cite("", parts.imports, parts.body))]),
    ...(parts.close === undefined
      ? []
      : [
          refused(path, "only a closing bracket", cite(parts.body.split("\n").slice(0, -1).join("\n"), parts.close, ""))
        ])
  ]
}

/** The text without its marks, and the lines that are cited. */
export const cited = ({ code }: Fixture): { readonly text: string; readonly start: number; readonly end: number } => {
  const lines = code
    .replace(/^\n/, "")
    .replace(/\n\s*$/, "")
    .split("\n")
  const marked = lines.flatMap((line, i) => (line.startsWith(">") ? [i + 1] : []))
  return {
    text: `${lines.map((line) => line.slice(1)).join("\n")}\n`,
    start: marked[0] ?? 1,
    end: marked.at(-1) ?? lines.length
  }
}
