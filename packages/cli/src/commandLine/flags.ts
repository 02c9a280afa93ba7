import * as Path from "node:path"
import {
  duration,
  durationFault,
  durationMs,
  durationText,
  flagName,
  isWhole,
  loopOptions,
  proofOptions,
  type RunOption,
  type RunOptions,
  retryOptions,
  runOptions,
  type Said,
  sayingOfAst,
  splitOptions,
  taskOptions,
  usualText,
  wordsOf
} from "@proofline/plugins/options"
import { Effect, Option, Schema, Struct } from "effect"
import { Argument, CliError, Command, Flag, Param, Primitive } from "effect/cli"
import {
  blobsInvalid,
  blobsVariable,
  databaseUrlInvalid,
  databaseVariable,
  readBlobs,
  readDatabaseUrl
} from "../base/database.ts"
import { noDirectory, noPlaceForDirectory } from "../base/paths.ts"
import type { Problem } from "../base/problems.ts"
import { wordUnknown } from "../base/selection.ts"
import { takenDatabaseUrl } from "../base/takenEnvironment.ts"

export const optional = <A>(flag: Flag.Flag<A>): Flag.Flag<A | undefined> =>
  flag.pipe(Flag.optional, Flag.map(Option.getOrUndefined))
/** A flag that takes a text. */
export const text = (name: string, description: string) =>
  optional(Flag.String(name)).pipe(Flag.withDescription(description))
/** A flag that takes a whole number, from 1. */
export const number = (name: string, description: string) =>
  optional(
    Flag.filter(
      Flag.Int(name),
      (value) => value >= 1,
      () => "a whole number, from 1"
    )
  ).pipe(Flag.withDescription(description))
export const boolean = (name: string) => Flag.Boolean(name).pipe(Flag.withDefault(false))
/** A flag that is given or not. */
export const asked = (name: string, description: string) => boolean(name).pipe(Flag.withDescription(description))
export const optionalArgument = <A>(argument: Argument.Argument<A>) =>
  argument.pipe(Argument.optional, Argument.map(Option.getOrUndefined))

/** A value that does not fit, with its own code and hint. */
const refused = (problem: Problem) =>
  Effect.fail(new CliError.UserError({ cause: problem, userMessage: problem.message }))

/** As a script has it whose variable is not set: not the current directory. */
const emptyPath = (called: string, instead: string): Problem => ({
  code: "path_empty",
  message: `${called} is empty.`,
  hint: `Name ${instead}.`
})

const named = (problem: Problem) => (said: string) => (said === "" ? refused(problem) : Effect.succeed(said))

/** What was said for a flag, which must say something: a variable of a script that is not set would be the empty text. */
const notEmpty = (name: string) => (said: string) =>
  Effect.as(
    named({ code: "name_empty", message: `--${name} is empty.`, hint: `Name it, or leave --${name} out.` })(
      said.trim()
    ),
    said
  )

const textFlag = (name: string) => optional(Flag.String(name).pipe(Flag.mapEffect(notEmpty(name))))

/** A flag that takes what people call something: `--name ""` names nothing. */
export const nameFlag = (name: string, description: string) => textFlag(name).pipe(Flag.withDescription(description))

type PathKind = "directory" | "file"

/** A path as it was said, which shells complete. The library's own would look it up from the current directory: ours count from --cwd. */
const saidPath = <const Kind extends Param.ParamKind>(kind: Kind, name: string, pathKind: PathKind) =>
  Param.makeSingle({
    kind,
    name,
    typeName: pathKind,
    primitiveType: Object.assign(Primitive.Path(pathKind), { parse: (said: string) => Effect.succeed(said) })
  })

/** A flag that takes the name of a file, or of a directory, and has to be given. */
export const neededPath = (name: string, instead = "a file", kind: PathKind = "file") =>
  saidPath(Param.flagKind, name, kind).pipe(Flag.mapEffect(named(emptyPath(`--${name}`, instead))))
/** The same, which may be left out. */
export const path = (name: string, description: string, kind: PathKind = "file") =>
  optional(neededPath(name, `a ${kind}, or leave --${name} out`, kind)).pipe(Flag.withDescription(description))
export const outFlag = path("out", "Write to this file instead of stdout.")
/** An argument that is the name of a file. */
export const fileArgument = (name: string, description: string) =>
  pathArgument(name, description).pipe(Argument.mapEffect(named(emptyPath(`<${name}>`, "a file"))))
/** An argument that may be the name of a file, or something else. */
export const pathArgument = (name: string, description: string) =>
  saidPath(Param.argumentKind, name, "file").pipe(Argument.withDescription(description))

/** A time in ms, at least so many. `was`: a flag of before, which takes a number of ms. */
const milliseconds = (name: string, leastMs = 1, was?: string): Flag.Flag<number> => {
  const asked = Flag.String(name).pipe(
    Flag.withMetavar("duration"),
    Flag.map((text) => text.trim())
  )
  const text =
    was === undefined
      ? asked
      : // the one that is asked for last says what is wrong
        Flag.String(was).pipe(
          Flag.withHidden,
          Flag.map((ms) => `${ms.trim()}ms`),
          Flag.orElse(() => asked)
        )
  return Flag.mapEffect(text, (text) => {
    const ms = durationMs(text, leastMs)
    return ms === undefined ? refused(durationFault(text, `--${name}`)) : Effect.succeed(ms)
  })
}
/** A flag that takes a duration, in ms. */
export const durationFlag = (name: string) => optional(milliseconds(name))

/** Texts of any kind, one each time that the flag is given; some of several words with commas between too. */
const words = (key: string, name: string, known: ReadonlyArray<string>) =>
  Flag.mapEffect(Flag.atLeast(Flag.String(name), 0), (said) => {
    if (said.length === 0) return Effect.succeed(undefined)
    if (known.length === 0) return Effect.forEach(said, notEmpty(name))
    const named = said.flatMap((one) => one.split(",")).map((one) => one.trim())
    const unknown = named.find((one) => !known.includes(one))
    return unknown === undefined
      ? Effect.succeed(known.filter((word) => named.includes(word)))
      : refused(wordUnknown(`${key}_unknown`, name, unknown, known))
  })

/** The flag of an option, called like its key; it takes what the schema allows. */
const flagOf = (key: string, { schema, unit, was }: RunOption): Flag.Flag<unknown> => {
  const name = flagName(key)
  const { ast } = schema
  const fits = Schema.is(schema as Schema.Schema<unknown>)
  if (unit === "ms") return optional(milliseconds(name, fits(0) ? 0 : 1, was))
  if (schema === duration) return optional(Flag.map(milliseconds(name), durationText))
  if (ast._tag === "Arrays") return words(key, name, ast.rest.flatMap(wordsOf))
  const known = wordsOf(ast)
  if (known.length > 0) return optional(Flag.Literals(name, known))
  if (ast._tag === "Boolean") return optional(Flag.Boolean(name))
  if (ast._tag !== "Number") return textFlag(name)
  const number: Flag.Flag<number> = isWhole(ast) ? Flag.Int(name) : Flag.Finite(name)
  return optional(Flag.filter(number, fits, () => sayingOfAst(ast).expects ?? "another number"))
}

/** What it does, and in brackets what is taken when nothing is said. */
const aboutFlag = (option: RunOption): string => {
  const usual = usualText(option)
  return `${option.description.replace(/\.$/, "")}${usual === "" ? "" : ` (${usual})`}.`
}

const flagsOf = <O extends RunOptions>(options: O) =>
  Object.fromEntries(
    Object.entries(options).map(([key, option]) => [
      key,
      flagOf(key, option).pipe(Flag.withDescription(aboutFlag(option)))
    ])
  ) as { readonly [K in keyof O]: Flag.Flag<Said<O>[K]> }

const directory = (problemOf: typeof noDirectory) =>
  neededPath("cwd", "a directory, or leave --cwd out", "directory").pipe(
    Flag.mapEffect((said) => {
      const problem = problemOf(Path.resolve(said), "--cwd")
      return problem === null ? Effect.succeed(said) : refused(problem)
    }),
    Flag.withDescription("The project directory; the current one when left out.")
  )
const cwd = directory(noDirectory)
/** A project directory that is made where it is not there. */
export const newCwd = optional(directory(noPlaceForDirectory))
/** The same, as it was called before too. */
export const cwdOrRoot = Flag.String("root").pipe(
  Flag.withHidden,
  Flag.orElse(() => cwd),
  optional
)
/** Where a project is. */
export const places = {
  cwd: optional(cwd),
  state: path("state", "The state directory; .proofline/state of the project when left out.", "directory")
}
/** A flag that a variable may stand for; what is wrong with it is said of the one that was used. */
const orVariable = <A>(
  name: string,
  [variable, value]: readonly [name: string, value: () => string | undefined],
  read: (said: string) => A | { readonly fault: string },
  fault: (where: string, fault: string) => Problem
) =>
  optional(Flag.String(name)).pipe(
    Flag.mapEffect((flag) => {
      const said = flag ?? value()
      if (said === undefined) return Effect.succeed(undefined)
      const found = read(said)
      return typeof found === "object" && found !== null && "fault" in found
        ? refused(fault(flag === undefined ? variable : `--${name}`, found.fault))
        : Effect.succeed(found as A)
    })
  )
/** Where its log is too. */
export const where = {
  ...places,
  databaseUrl: orVariable(
    "database-url",
    [databaseVariable, takenDatabaseUrl],
    readDatabaseUrl,
    databaseUrlInvalid
  ).pipe(
    Flag.map((read) => read?.url),
    Flag.withMetavar("url"),
    Flag.withDescription(
      "The Postgres that holds the log, for workers on many machines; PROOFLINE_DATABASE_URL when left out. file:PATH reads it from a file."
    )
  ),
  blobs: orVariable(
    "blobs",
    [blobsVariable, () => process.env[blobsVariable] || undefined],
    readBlobs,
    blobsInvalid
  ).pipe(
    Flag.map((read) => read?.blobs),
    Flag.withMetavar("place"),
    Flag.withDescription(
      "Where outputs and other large data are kept: a directory, postgres: (the database of the log, where that is one), or s3://bucket/prefix; PROOFLINE_BLOBS when left out."
    )
  )
}
/** What was there before a run. */
export const before = {
  base: text("base", "Count what was done since this commit as work of the run (the project as it is when it begins).")
}
/** Who works on a run where workers share it. */
export const shared = {
  labels: text(
    "labels",
    "Only workers that offer all of these take the work of the run, with commas between. Where a database holds the log."
  ),
  remote: text(
    "remote",
    "A git remote, by a URL that workers can reach, from which they get the history of the project; it goes through the blobs when left out."
  )
}
export const json = asked("json", "Print one JSON document on stdout, and everything else on stderr.")

export const choice = <const A extends string>(name: string, values: ReadonlyArray<A>) =>
  Flag.Literals(name, values).pipe(optional)

/** Only some commands have the flags of options, of which there are many. */
const once = <A>(make: () => A): (() => A) => {
  const made: Array<A> = []
  return () => {
    if (made.length === 0) made.push(make())
    return made[0] as A
  }
}

/** How agents are run. */
export const how = once(() => flagsOf(runOptions))
/** What counts as proof. */
const proof = () => Struct.pick(how(), Struct.keys(proofOptions))
/** How a task is split. */
export const split = once(() => flagsOf(splitOptions))
/** Of a requirements run. */
export const loop = once(() => flagsOf(loopOptions))
/** For which tasks a run is taken up again. */
export const retry = once(() => flagsOf(retryOptions))
/** Which tasks of a file are run. */
export const tasks = once(() => flagsOf(taskOptions))

/** What a server shows, and under which contract a run begins in it. */
export const served = once(() => ({
  ...proof(),
  agent: text("agent", "What the agent is called; its client's own name when left out."),
  tools: choice("tools", ["core", "standard", "all"]).pipe(
    Flag.withDescription("Which tools are shown: those of an agent's own work, most others too, or all (core).")
  ),
  approvals: asked(
    "approvals",
    "Take the answers of a person over this server too: only for clients that a person works with."
  ),
  contract: text("contract", "The phase contract of a new run: default, full, or a file (the project's own)."),
  intent: text("intent", "What is wanted, where the contract asks."),
  gate: choice("gate", ["auto", "full"]).pipe(Flag.withDescription("With `full` every optional phase runs (auto).")),
  flag: Flag.String("flag").pipe(
    Flag.atLeast(0),
    Flag.withDescription("A flag of the contract, such as no_doc. May be given several times.")
  )
}))

export const port = optional(Flag.Int("port")).pipe(
  Flag.withDescription("The port on 127.0.0.1; 0 takes any that is free (4600, or any when that is taken).")
)

/** To see what runs in the browser. */
export const page = {
  ui: asked("ui", "Serve the page while it runs, and open it; the address goes to stderr."),
  port
}

/** How a run is named. */
export const runWords =
  "The run: its id, the beginning of that or of its last part, or `last`. The newest that fits when left out."
export const runArgument = optionalArgument(Argument.String("run").pipe(Argument.withDescription(runWords)))

/** How a command is used most. */
export const examples = (...all: ReadonlyArray<readonly [command: string, description: string]>) =>
  Command.withExamples(all.map(([command, description]) => ({ command: `proofline ${command}`, description })))

export const argument = (name: string, description: string) =>
  Argument.String(name).pipe(Argument.withDescription(description))

export const followFlag = boolean("follow").pipe(Flag.withAlias("f"))
