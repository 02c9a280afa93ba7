import { Option } from "effect"
import type { HelpDoc } from "effect/cli"
import type { Style } from "./style.ts"

/** Flags that every command takes. Others that the library brings are accepted and not spoken of. */
const everywhere: Readonly<Record<string, string>> = {
  help: "Show this help.",
  version: "Show the version of Proofline.",
  completions: "Print a script that completes commands and flags in this shell."
}

type Row = readonly [left: string, right: string]

/** The help of a command: what it is for, how it is used most, and then all there is to say, in columns of `width`. */
export const helpText = (doc: HelpDoc.HelpDoc, style: Style, width: number): string => {
  const {
    args = [],
    commandPath = [],
    description,
    examples = [],
    flags,
    globalFlags = [],
    subcommands = [],
    usage
  } = doc
  const isRoot = commandPath.length < 2
  const shared = globalFlags.filter(({ name }) => everywhere[name] !== undefined && (isRoot || name === "help"))
  const table = rowsText(style, width)
  const sections: ReadonlyArray<readonly [title: string, lines: ReadonlyArray<string>]> = [
    ["", wrapped(description, width)],
    [
      "Examples",
      examples.flatMap((example) => [
        `  ${style.bold(example.command)}`,
        ...wrapped(example.description ?? "", width - 6).map((line) => `      ${style.dim(line)}`)
      ])
    ],
    ["Usage", [`  ${usage}`]],
    ...subcommands.map(
      ({ commands, group = "Commands" }) =>
        [group, table(commands.map(({ description, name }): Row => [name, description]))] as const
    ),
    [
      "Arguments",
      table(
        args.map(
          ({ description, name, required, variadic }): Row => [
            `<${name}>${variadic ? " …" : ""}`,
            `${Option.getOrElse(description, () => "")}${required ? "" : " May be left out."}`
          ]
        )
      )
    ],
    [
      "Flags",
      table([
        ...flags.map(flagRow),
        ...shared.map((flag) => flagRow({ ...flag, description: Option.some(everywhere[flag.name] ?? "") }))
      ])
    ]
  ]
  return [
    ...sections
      .filter(([, lines]) => lines.length > 0)
      .map(([title, lines]) => (title === "" ? lines : [style.bold(title), ...lines]).join("\n")),
    ...(isRoot ? [`Every command tells more of itself: ${commandPath[0] ?? "proofline"} <command> --help`] : [])
  ].join("\n\n")
}

const flagRow = ({ aliases, description, name, type }: HelpDoc.FlagDoc): Row => [
  `${[`--${name}`, ...aliases].join(", ")}${type === "boolean" ? "" : ` ${type}`}`,
  Option.getOrElse(description, () => "")
]

/** So wide a left column may be; what is longer stands on a line of its own. */
const leftMax = 26

const rowsText =
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
const wrapped = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(/\s+/).filter((word) => word !== "")) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
