import { type Style, styleFor, wantsColor } from "./style.ts"

/** What stands in two columns. */
export type Row = readonly [left: string, right: string]

/** What is told of a command. Kept as JSON beside the bundle. */
export interface HelpPage {
  /** How the program is called. */
  readonly program: string
  /** It is of the program itself, not of a command. */
  readonly isRoot: boolean
  readonly description: string
  readonly usage: string
  readonly examples: ReadonlyArray<Row>
  readonly tables: ReadonlyArray<readonly [title: string, rows: ReadonlyArray<Row>]>
}

/** The help of a command: what it is for, how it is used most, and then all there is to say, in columns of `width`. */
export const helpText = (page: HelpPage, style: Style, width: number): string => {
  const table = rowsText(style, width)
  const sections: ReadonlyArray<readonly [title: string, lines: ReadonlyArray<string>]> = [
    ["", wrapped(page.description, width)],
    [
      "Examples",
      page.examples.flatMap(([command, description]) => [
        `  ${style.bold(command)}`,
        ...wrapped(description, width - 6).map((line) => `      ${style.dim(line)}`)
      ])
    ],
    ["Usage", [`  ${page.usage}`]],
    ...page.tables.map(([title, rows]) => [title, table(rows)] as const)
  ]
  return [
    ...sections
      .filter(([, lines]) => lines.length > 0)
      .map(([title, lines]) => (title === "" ? lines : [style.bold(title), ...lines]).join("\n")),
    ...(page.isRoot ? [`Every command tells more of itself: ${page.program} <command> --help`] : [])
  ].join("\n\n")
}

/** The same for who reads it on this stream. */
export const helpFor = (page: HelpPage, stream: NodeJS.WriteStream): string =>
  helpText(page, styleFor(wantsColor(stream)), Math.min(stream.columns || 100, 100))

/** So wide a left column may be; what is longer stands on a line of its own. */
const leftMax = 26

export const rowsText =
  (style: Style, width: number) =>
  (rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
    const left = Math.min(leftMax, Math.max(0, ...rows.map(([name]) => name.length)))
    return rows.flatMap(([name, text]) => {
      const [first = "", ...rest] = wrapped(text, width - left - 4)
      const indent = " ".repeat(left + 4)
      return name.length > left
        ? [`  ${style.green(name)}`, ...[first, ...rest].map((line) => `${indent}${line}`)]
        : [
            `  ${style.green(name)}${" ".repeat(left - name.length)}  ${first}`,
            ...rest.map((line) => `${indent}${line}`)
          ]
    })
  }

/** In lines of at most `width`, as far as its words let it. */
export const wrapped = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(/\s+/).filter((word) => word !== "")) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
