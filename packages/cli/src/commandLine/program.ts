import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { CliConfig, CliError, CliOutput, Command, GlobalFlag } from "effect/cli"
import { exitCodes } from "../base/problems.ts"
import { version, versionText } from "../base/version.ts"
import { ending, showProblems } from "../process/handle.ts"
import { invocation } from "../process/invocation.ts"
import { sayProblems } from "../process/output.ts"
import { runToEnd } from "../process/runToEnd.ts"
import { helpFor } from "../render/help.ts"
import { helpPage } from "../render/helpPage.ts"
import { isTraced, telemetrySettings } from "../telemetry/settings.ts"
import { commandLine } from "./commandLine.ts"
import { completions } from "./completions.ts"
import { askedInstead, invalidInvocation, withNegativeValues } from "./invalidInvocation.ts"

/** Without `--help` and `--version`, for which the library would pass over all that is misspelt beside them. */
const commandFlags = CliConfig.make({
  builtIns: GlobalFlag.BuiltIns.filter((flag) => flag !== GlobalFlag.Help && flag !== GlobalFlag.Version).map((flag) =>
    flag === GlobalFlag.Completions ? completions : flag
  )
})

const main = (args: ReadonlyArray<string>) => {
  let known: Parameters<typeof invalidInvocation>[3]
  const run = Command.runWith(commandLine(args[0]), { version, renderErrors: false })
  return run(args).pipe(
    Effect.provideService(CliConfig.CliConfig, commandFlags),
    Effect.catchIf(CliError.isCliError, (error) => {
      const help = error._tag === "ShowHelp"
      const path = help ? error.commandPath : ["proofline"]
      const instead = help ? askedInstead(error.errors, path, args) : null
      if (instead !== null) return run(instead)
      // a client takes 2 of a hook for a block, again and again
      ending.code = args[0] === "hook" ? exitCodes.unmet : exitCodes.usage
      const problems = invalidInvocation(help ? error.errors : [error], path, args, known)
      const json = wantsJson(args)
      return json
        ? Effect.flatMap(
            Effect.promise(() => import("../documents/kindOf.ts")),
            ({ kindOf }) => showProblems(kindOf(path), json, problems)
          )
        : showProblems(path[1] ?? "proofline", json, problems)
    }),
    Effect.provideService(CliOutput.Presenter, {
      // an invocation that was wrong gets its problems, not a page of help on stdout
      present: (event) => {
        if (event._tag !== "Help" || event.reason !== "Implicit") return CliOutput.defaultPresenter.present(event)
        const { flags, globalFlags = [], subcommands = [] } = event.helpDoc
        known = {
          commands: subcommands.flatMap(({ commands }) => commands.map(({ name }) => name)),
          flags: [...flags, ...globalFlags].map(({ name }) => name)
        }
        return Effect.void
      }
    }),
    Effect.provideService(CliOutput.Formatter, {
      ...CliOutput.defaultFormatter({ colors: false }),
      formatVersion: () => versionText,
      formatHelpDoc: (doc) => helpFor(helpPage(doc), process.stdout)
    }),
    Effect.provideService(invocation, args),
    Effect.provide(NodeServices.layer)
  )
}

const commandNames = (): ReadonlySet<string> =>
  new Set(commandLine().subcommands.flatMap(({ commands }) => commands.map(({ name }) => name)))

/** Traced, where the environment says where to send that. What that needs is loaded only then. */
const withTelemetry = <A, E, R>(args: ReadonlyArray<string>, command: Effect.Effect<A, E, R>) => {
  if (!isTraced(args[0])) return command
  const settings = telemetrySettings(process.env)
  if (settings.problems.length > 0) return Effect.andThen(sayProblems(settings.problems, "warning"), command)
  if (!settings.isOn) return command
  // nothing else of the command line: it may be somebody's prompt
  const names = commandNames()
  const name = args.find((arg) => names.has(arg)) ?? ""
  return Effect.flatMap(
    Effect.promise(() => import("../telemetry/exporter.ts")),
    ({ traced }) => traced(settings, name, process.env["TRACEPARENT"], command)
  )
}

/** What stands behind `--` is an argument. */
const wantsJson = (words: ReadonlyArray<string>): boolean => {
  const flags = words.slice(0, [...words, "--"].indexOf("--"))
  return flags.some(
    (word, i) => ["--json", "--format=json"].includes(word) || `${word} ${flags[i + 1]}` === "--format json"
  )
}

/** `help run` and `version` are words that many programs know; no words at all ask for help. */
const plainly = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [first, ...others] = words
  if (first === undefined) return ["--help"]
  if (first === "help" && others.every((word) => !word.startsWith("-"))) return [...others, "--help"]
  return first === "version" && others.length === 0 ? ["--version"] : words
}

/** Runs the command line and ends the process with its exit code. */
export const start = (words: ReadonlyArray<string>): void => {
  const args = withNegativeValues(plainly(words))
  runToEnd(args, () => withTelemetry(args, main(args)))
}
