import {
  type AnyCommand,
  anEffect,
  brokenByOwnInterrupt,
  type Composition,
  type Engine,
  type Failure,
  isSaid,
  LogUnavailable,
  type RunId,
  reject,
  told as shown
} from "@proofline/kernel"
import { Cause, Effect, Result, Schema, SchemaIssue } from "effect"
import type { Answer, Body } from "./Answer.ts"
import { accepted, malformed, refused, truncated, withUnexpectedFields } from "./answers.ts"
import { unknownFaults, unknownIn, withoutClients } from "./arguments.ts"
import { isTooDeep, tooDeep } from "./depth.ts"
import { isOfObjects } from "./jsonSchemas.ts"
import { declare, type Operation } from "./Operation.ts"
import { maxResponseBytes, truncate } from "./sizeLimit.ts"

type OwnedOperation = NonNullable<ReturnType<Composition["operations"]["get"]>>

/** The run that an operation of a plugin works on. */
interface OfRun {
  readonly engine: Engine["Service"]
  readonly run: RunId
}

/** Operations that plugins declare, each for the session run of whoever asks. Shown from `standard` on. */
export const pluginOperations = ({
  operations,
  view
}: Pick<Composition, "operations" | "view">): ReadonlyArray<Operation<OfRun>> =>
  [...operations.values()].map((operation) => {
    const { answer, args, description, readOnly, title } = operation.options
    const { name } = operation
    const told = tellingBy(answer)
    const declared = { name, title, description, args, answer: told.schema, readOnly, idempotent: readOnly }
    return {
      ...declare({ ...declared, level: "standard" }),
      read: (sent) =>
        Result.map(argumentsOf(args, sent ?? {}), ({ given, unexpected }) => ({
          unexpected,
          run: (of: OfRun) => carryOut(operation, told, view, of, given)
        }))
    }
  })

/**
 * Carries out an operation of a plugin on a run, for whoever looks after the project: no session stands between. It is
 * answered, never refused by failure. Null: no plugin has it.
 */
export const callOnRun = (of: OfRun, name: string, args: unknown): Effect.Effect<Answer, LogUnavailable> | null => {
  if (isTooDeep(args)) return Effect.succeed(tooDeep)
  const request = pluginOperations(of.engine.composition)
    .find((one) => one.name === name)
    ?.read(args)
  if (request === undefined) return null
  if (Result.isFailure(request)) return Effect.succeed(malformed(request.failure, {}))
  const { run, unexpected } = request.success
  return run(of).pipe(
    Effect.map((answer) => withUnexpectedFields(answer, unexpected)),
    Effect.catchTag("Rejection", (rejection) => Effect.succeed(refused(rejection, {}))),
    Effect.map(truncated)
  )
}

/** How what a plugin answers becomes the fields of an answer. */
interface Telling {
  /** Of the fields. */
  readonly schema: Schema.Codec<unknown, unknown>
  readonly fields: (answer: unknown) => Result.Result<Body, Schema.SchemaError>
}

/** An answer is an object: what is none by its schema becomes the field `answer` of one. */
const tellingBy = (schema: Schema.Codec<unknown, unknown>): Telling => {
  const isObject = isOfObjects(schema)
  const encode = Schema.encodeUnknownResult(schema)
  return {
    schema: isObject ? schema : Schema.Struct({ answer: schema }),
    fields: (answer) => Result.map(encode(answer), (encoded) => (isObject ? (encoded as Body) : { answer: encoded }))
  }
}

/** Arguments by the plugin's schema; null is the same as left out. */
const argumentsOf = (
  schema: Schema.Struct<Schema.Struct.Fields> & Schema.Codec<unknown, unknown>,
  sent: unknown
): Result.Result<{ readonly given: unknown; readonly unexpected: ReadonlyArray<string> }, ReadonlyArray<Failure>> => {
  const names = Object.keys(schema.fields)
  const asked = withoutClients(sent)
  const fields = typeof asked === "object" && asked !== null ? Object.entries(asked) : []
  const values = Object.fromEntries(fields.filter(([key, value]) => value !== null && names.includes(key)))
  const unknown = unknownIn(asked, names)
  const decoded = Schema.decodeUnknownResult(schema, { errors: "all" })(values)
  const faults = [
    ...(names.length === 0 ? [] : unknownFaults(unknown, names)),
    ...(Result.isSuccess(decoded) ? [] : faultsOf(decoded.failure).map((fault) => failureOf(values, fault)))
  ]
  return Result.isSuccess(decoded) && faults.length === 0
    ? Result.succeed({ given: decoded.success, unexpected: unknown })
    : Result.fail(faults)
}

type Fault = ReturnType<typeof faultsOf>[number]

const faultsOf = ({ issue }: Schema.SchemaError) => standardFaults(issue).issues

const standardFaults = SchemaIssue.makeFormatterStandardSchemaV1()

/** With its place, under the same codes as of every other operation. */
const failureOf = (values: unknown, { message, path = [] }: Fault): Failure => {
  const keys = path.map((segment) => (typeof segment === "object" ? segment.key : segment))
  const field = keys.map(String).join(".")
  const isMissing = keys.length > 0 && valueAt(values, keys) === undefined
  return {
    key: isMissing ? "field_missing" : "field_invalid",
    item: null,
    fields: { field },
    message: isMissing ? `Field ${field} is missing.` : `Field ${field}: ${message.split("\n").join(" ")}`
  }
}

const valueAt = (value: unknown, keys: ReadonlyArray<PropertyKey>): unknown =>
  keys.reduce<unknown>(
    (at, key) => (typeof at === "object" && at !== null ? (at as Record<PropertyKey, unknown>)[key] : undefined),
    value
  )

const carryOut = Effect.fnUntraced(function* (
  { name, options, owner, slot }: OwnedOperation,
  { fields, schema }: Telling,
  view: Composition["view"],
  { engine, run }: OfRun,
  args: unknown
) {
  const { slices } = yield* engine.load(run)
  const dispatch = (request: AnyCommand) =>
    engine.execute(run, request).pipe(
      Effect.map(({ snapshot }) => view(slot, snapshot.slices)),
      Effect.catchTag("LeaseLost", Effect.die)
    )
  const answer: unknown = yield* Effect.suspend((): ReturnType<typeof options.run> => {
    const running: unknown = options.run(args, { run, state: view(slot, slices), dispatch })
    const wrong = anEffect(running)
    if (wrong !== null) throw new Error(`it answered ${wrong}`)
    return running as ReturnType<typeof options.run>
  }).pipe(
    brokenByOwnInterrupt,
    // without types it may fail with anything
    Effect.catchIf(
      (failure: unknown) => !isSaid(failure) && !(failure instanceof LogUnavailable),
      (failure) => Effect.fail(broken(name, owner, told(failure)))
    ),
    Effect.catchDefect((defect) => Effect.fail(broken(name, owner, told(defect))))
  )
  const found = fields(answer)
  if (Result.isFailure(found)) {
    return yield* broken(name, owner, `its answer is not as it declares it: ${told(found.failure)}`)
  }
  const body = { success: true, ...found.success }
  // what a client gets has to be what was declared, also when it was made shorter
  if (!Schema.is(Schema.toEncoded(schema))(truncate(body))) return yield* tooLarge(name, owner)
  return accepted(body)
})

const told = (failure: unknown): string => {
  // what a promise was rejected with says more than that it was
  const why = Cause.isUnknownError(failure) && failure.cause instanceof Error ? failure.cause : failure
  return (why instanceof Error && why.message !== "" ? why.message : shown(why)).split("\n").join(" ")
}

const tooLarge = (name: string, owner: string) =>
  reject(
    "answer_too_large",
    `The answer of ${name} of plugin ${owner} does not fit into ${maxResponseBytes / 1024} KiB.`,
    "Ask for less, if its arguments let you; else tell a person to let the plugin answer in parts."
  )

/** Of an operation that has not kept its word. */
export const broken = (name: string, owner: string, why: string) =>
  reject(
    "operation_broken",
    `The operation ${name} of plugin ${owner} broke: ${why}`,
    "Go on without it, and tell a person to mend the plugin."
  )
