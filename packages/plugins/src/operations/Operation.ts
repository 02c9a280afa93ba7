import type { Failure, LogUnavailable, Rejection } from "@proofline/kernel"
import { type Effect, Result, Schema } from "effect"
import type { Answer } from "./Answer.ts"
import { type ReadArguments, readerOf } from "./arguments.ts"

/** How many operations a client is shown: `standard` holds `core`, and `all` holds both. */
export type Level = "core" | "standard" | "all"

/**
 * What agents and people may ask for. Every front-end (MCP, HTTP, command line) offers these; names and arguments are a
 * contract with agents. Sources: checklist and evidence, progress tools.
 */
export interface Declaration {
  /** snake_case. */
  readonly name: string
  readonly title: string
  /** For the agent, in a few sentences. */
  readonly description: string
  /** At which level it is shown: every list is context that a model pays for. */
  readonly level: Level
  /** Whose it is: of an agent's session, of one attempt of a run, or of whoever looks after the project. */
  readonly subject: "session" | "attempt" | "project"
  /** Changes nothing, not even the log. */
  readonly readOnly: boolean
  /** The same request twice is the same as once. */
  readonly idempotent: boolean
  /** Every argument with its description, the token of a session among them. */
  readonly args: Schema.Constraint
  /** Fields that every successful answer has; there are more. */
  readonly answer: Schema.Codec<unknown, unknown>
}

/** An operation as a service carries it out; `Context` is what that knows of whoever asks. */
export interface Operation<in Context> extends Declaration {
  /** Reads the arguments as a client sent them (without the token), or gives everything that is wrong with them. */
  readonly read: (sent: unknown) => Result.Result<Request<Context>, ReadonlyArray<Failure>>
}

/** An operation with its arguments. */
export interface Request<in Context> {
  readonly run: Run<Context>
  /** Paths of fields that are ignored. */
  readonly unexpected: ReadonlyArray<string>
}

export type Run<in Context> = (context: Context) => Effect.Effect<Answer, Rejection | LogUnavailable>

type Declared<S extends Args> = Omit<Declaration, "args" | "level" | "subject"> & {
  /** Without the token. */
  readonly args: S
  /** `core` when left out. */
  readonly level?: Level
  /** `session` when left out. */
  readonly subject?: Declaration["subject"]
}

type Args = Schema.Struct<Schema.Struct.Fields> & Schema.Codec<unknown, unknown>

/** What is said of an operation; `arguments` are its own, without the token. */
export const declare = <S extends Args>(declared: Declared<S>): Declaration & { readonly arguments: S } => ({
  level: "core",
  subject: "session",
  ...declared,
  args: Schema.Struct({ ...declared.args.fields, session_token }),
  arguments: declared.args
})

/** An operation, declared once: what is said of it, what it is asked with, and what it does. */
export const operation = <Context, S extends Args>({
  run,
  ...declared
}: Declared<S> & {
  readonly run: (context: Context, args: S["Type"]) => ReturnType<Run<Context>>
}): Operation<Context> & {
  readonly arguments: S
} => ({ ...declare(declared), read: reading(readerOf(declared.args), run) })

/** Reads arguments, and carries out what was asked with them. */
export const reading =
  <Context, A>(
    read: ReadArguments<A>,
    run: (context: Context, args: A) => ReturnType<Run<Context>>
  ): Operation<Context>["read"] =>
  (sent) =>
    Result.map(read(sent), ({ args, unexpected }) => ({ unexpected, run: (context) => run(context, args) }))

/** The same operation, carried out by another service. */
export const carriedOutBy = <Context, S extends Args>(
  declared: Declaration & { readonly arguments: S },
  run: (context: Context, args: S["Type"]) => ReturnType<Run<Context>>
): Operation<Context> => ({ ...declared, read: reading(readerOf(declared.arguments), run) })

/** Operations by their names. */
export const byName = <Context>(
  operations: ReadonlyArray<Operation<Context>>
): ReadonlyMap<string, Operation<Context>> => new Map(operations.map((one) => [one.name, one]))

const session_token = Schema.optionalKey(
  Schema.String.annotate({ description: "Token of another session than this connection's own; usually left out." })
)

/** An object of any fields. Clients sometimes send it as a text of JSON; it is read. */
export const Data = Schema.Record(Schema.String, Schema.Unknown)

export const text = (description: string) => Schema.String.annotate({ description })
