import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { CliOutput, Command } from "effect/cli"
import { version } from "../base/version.ts"
import type { HelpPage } from "../render/help.ts"
import { helpPage } from "../render/helpPage.ts"
import { commandLine } from "./commandLine.ts"

/** The words of every command, those of commands within commands too. */
const pathsBelow = (command: Command.Command.Any): ReadonlyArray<ReadonlyArray<string>> => [
  [],
  ...command.subcommands.flatMap(({ commands }) =>
    commands.flatMap((below) => pathsBelow(below).map((path) => [below.name, ...path]))
  )
]

const proofline = commandLine()

const pageOf = Effect.fnUntraced(function* (path: ReadonlyArray<string>) {
  let page: HelpPage | null = null
  const present = (event: CliOutput.Presenter.Event) =>
    Effect.sync(() => {
      if (event._tag === "Help") page = helpPage(event.helpDoc)
    })
  yield* Command.runWith(proofline, { version })([...path, "--help"]).pipe(
    Effect.provideService(CliOutput.Presenter, { present }),
    Effect.ignore
  )
  return page ?? (yield* Effect.die(`\`${path.join(" ")}\` has no help.`))
})

/** What `--help` tells of every command, by its words, as the command line itself tells it. */
export const helpPages: Effect.Effect<Readonly<Record<string, HelpPage>>> = Effect.map(
  Effect.forEach(pathsBelow(proofline), (path) => Effect.map(pageOf(path), (page) => [path.join(" "), page] as const)),
  Object.fromEntries<HelpPage>
).pipe(Effect.provide(NodeServices.layer))
