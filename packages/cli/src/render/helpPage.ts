import { Option } from "effect"
import type { HelpDoc } from "effect/cli"
import type { HelpPage, Row } from "./help.ts"

/** Flags that every command takes. Others that the library brings are accepted and not spoken of. */
const everywhere: Readonly<Record<string, string>> = {
  help: "Show this help.",
  version: "Show the version of Proofline.",
  completions: "Print a script that completes commands and flags in this shell."
}

/** What is told of a command, by its declaration. */
export const helpPage = (doc: HelpDoc.HelpDoc): HelpPage => {
  const { args = [], commandPath = [], examples = [], flags, globalFlags = [], subcommands = [] } = doc
  const isRoot = commandPath.length < 2
  const shared = globalFlags.filter(({ name }) => everywhere[name] !== undefined && (isRoot || name === "help"))
  return {
    program: commandPath[0] ?? "proofline",
    isRoot,
    description: doc.description,
    usage: doc.usage,
    examples: examples.map(({ command, description = "" }) => [command, description]),
    tables: [
      ...subcommands.map(
        ({ commands, group = "Commands" }) =>
          [group, commands.map(({ description, name }): Row => [name, description])] as const
      ),
      [
        "Arguments",
        args.map(
          ({ description, name, required, variadic }): Row => [
            `<${name}>${variadic ? " …" : ""}`,
            `${Option.getOrElse(description, () => "")}${required ? "" : " May be left out."}`
          ]
        )
      ],
      [
        "Flags",
        [
          ...flags.map(flagRow),
          ...shared.map((flag) => flagRow({ ...flag, description: Option.some(everywhere[flag.name] ?? "") }))
        ]
      ]
    ]
  }
}

const flagRow = ({ aliases, description, name, type }: HelpDoc.FlagDoc): Row => [
  `${[`--${name}`, ...aliases].join(", ")}${type === "boolean" ? "" : ` ${type}`}`,
  Option.getOrElse(description, () => "")
]
