import "effect/schema/SchemaJITCompiler/enable"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, Exit, Logger } from "effect"
import { CliError, CliOutput, Command } from "effect/cli"
import { proofline } from "./commandLine.ts"
import { interruptedCode } from "./ending.ts"
import { ending, showProblems } from "./handle.ts"
import { invocation } from "./invocation.ts"
import { sayProblems, wantsColor } from "./output.ts"
import { exitCodes, type Problem } from "./problems.ts"
import { helpText } from "./render/help.ts"
import { styleFor } from "./render/style.ts"
import { takeEnvironment } from "./takenEnvironment.ts"
import { telemetrySettings } from "./telemetry/settings.ts"
import { version } from "./version.ts"

const invalidInvocation = (
  errors: ReadonlyArray<CliError.CliError>,
  path: ReadonlyArray<string>
): ReadonlyArray<Problem> => {
  const hint = `See \`${path.join(" ")} --help\`.`
  const alone = { code: "usage_missing_subcommand", message: `\`${path.join(" ")}\` needs a subcommand.`, hint }
  const problems = errors.map((error): Problem => {
    if (error._tag === "UserError") return error.cause as Problem
    const [near] = "suggestions" in error ? error.suggestions : []
    return {
      code: `usage_${error._tag.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase()}`,
      message: error.message.split("\n")[0] ?? error.message,
      hint: near === undefined ? hint : `Did you mean \`${near}\`? ${hint}`
    }
  })
  return problems.length > 0 ? problems : [alone]
}

const main = (args: ReadonlyArray<string>) =>
  Command.runWith(proofline, { version, renderErrors: false })(args).pipe(
    Effect.catchIf(CliError.isCliError, (error) => {
      const help = error._tag === "ShowHelp"
      if (help && error.errors.length === 0 && error.commandPath.length === 1) return Effect.void
      const path = help ? error.commandPath : ["proofline"]
      // a client takes 2 of a hook for a block, again and again
      ending.code = args[0] === "hook" ? exitCodes.unmet : exitCodes.usage
      return showProblems(
        path[1] ?? "proofline",
        // `evidence` prints one object a line and nothing else
        args.includes("--json") && path[1] !== "evidence",
        invalidInvocation(help ? error.errors : [error], path)
      )
    }),
    Effect.provideService(CliOutput.Presenter, {
      // an invocation that was wrong gets its problems, not a page of help on stdout
      present: (event) =>
        event._tag === "Help" && event.reason === "Implicit" && args.length > 0
          ? Effect.void
          : CliOutput.defaultPresenter.present(event)
    }),
    Effect.provideService(CliOutput.Formatter, {
      ...CliOutput.defaultFormatter({ colors: false }),
      formatHelpDoc: (doc) =>
        helpText(doc, styleFor(wantsColor(process.stdout)), Math.min(process.stdout.columns || 100, 100))
    }),
    Effect.provideService(invocation, args),
    // stdout belongs to documents and reports
    Effect.provideService(Logger.LogToStderr, true),
    Effect.provide(NodeServices.layer)
  )

const commandNames = (): ReadonlySet<string> =>
  new Set(proofline.subcommands.flatMap(({ commands }) => commands.map(({ name }) => name)))

/** Traced, where the environment says where to send that. What that needs is loaded only then. */
const withTelemetry = <A, E, R>(args: ReadonlyArray<string>, command: Effect.Effect<A, E, R>) => {
  const settings = telemetrySettings(process.env)
  if (settings.problems.length > 0) return Effect.andThen(sayProblems(settings.problems, "warning"), command)
  if (!settings.isOn) return command
  // nothing else of the command line: it may be somebody's prompt
  const name = args.find((arg) => commandNames().has(arg)) ?? ""
  return Effect.flatMap(
    Effect.promise(() => import("./telemetry/exporter.ts")),
    ({ traced }) => traced(settings, name, process.env["TRACEPARENT"], command)
  )
}

/** Runs the command line and ends the process with its exit code. Ctrl-C ends agents first; a second one does not wait. */
export const start = (args: ReadonlyArray<string>): void => {
  // a process may start several, one after the other
  ending.code = exitCodes.proven
  takeEnvironment()
  // progress that nobody reads any more does not end a run
  process.stderr.on("error", () => {})
  // a reader of events that went away (`| head`) has seen enough; any other command goes on
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") process.exit(exitCodes.unmet)
    if (args[0] === "events") process.exit(exitCodes.proven)
    // what nobody reads is not checked any more, so it cannot be all right
    if (args[0] === "evidence") process.exit(exitCodes.unmet)
    // any other command ends with its own exit code: nobody reading is no proof
  })
  const fiber = Effect.runFork(withTelemetry(args, main(args)))
  let signals = 0
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (++signals > 1) process.exit(interruptedCode())
      ending.code = interruptedCode()
      fiber.interruptUnsafe()
    })
  }
  fiber.addObserver((exit) => {
    if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
      process.stderr.write(`error: ${broken(Cause.squash(exit.cause))}\n`)
      ending.code = exitCodes.unmet
    }
    // what a pipe has not taken yet would be lost
    process.stdout.write("", () => process.exit(ending.code))
  })
}

const broken = (defect: unknown): string =>
  `Proofline itself failed: ${defect instanceof Error ? defect.message : String(defect)} [internal_error]\n    The log is intact; \`proofline resume\` goes on. Please report this, with PROOFLINE_DEBUG=1 for the place.${
    process.env["PROOFLINE_DEBUG"] && defect instanceof Error ? `\n${defect.stack}` : ""
  }`
