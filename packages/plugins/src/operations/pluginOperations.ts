import { type AnyCommand, type Composition, type Engine, type Failure, type RunId, reject } from "@proofline/kernel"
import { Effect, Result, Schema } from "effect"
import type { Body } from "./Answer.ts"
import { accepted } from "./answers.ts"
import { declare, type Operation } from "./Operation.ts"

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
    return {
      ...declare({ name, title, description, args, answer, readOnly, idempotent: readOnly, level: "standard" }),
      read: (sent) =>
        Result.map(argumentsOf(args, sent ?? {}), ({ given, unexpected }) => ({
          unexpected,
          run: (of: OfRun) => carryOut(operation, view, of, given)
        }))
    }
  })

/** Arguments by the plugin's schema; null is the same as left out. */
const argumentsOf = (
  schema: Schema.Struct<Schema.Struct.Fields> & Schema.Codec<unknown, unknown>,
  sent: unknown
): Result.Result<{ readonly given: unknown; readonly unexpected: ReadonlyArray<string> }, ReadonlyArray<Failure>> => {
  const fields = typeof sent === "object" && sent !== null ? Object.entries(sent) : []
  const known = fields.filter(([key, value]) => value !== null && Object.hasOwn(schema.fields, key))
  const unexpected = fields.flatMap(([key]) => (Object.hasOwn(schema.fields, key) ? [] : [key]))
  const decoded = Schema.decodeUnknownResult(schema, { errors: "all" })(Object.fromEntries(known))
  return Result.isSuccess(decoded)
    ? Result.succeed({ given: decoded.success, unexpected })
    : Result.fail([
        {
          key: "arguments_invalid",
          item: null,
          fields: {},
          message: decoded.failure.message.split("\n").join(" ")
        }
      ])
}

const carryOut = Effect.fnUntraced(function* (
  { name, options, owner, slot }: OwnedOperation,
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
  const answer: unknown = yield* options
    .run(args, { run, state: view(slot, slices), dispatch })
    .pipe(Effect.catchDefect((defect) => Effect.fail(broken(name, owner, defect))))
  return accepted({ success: true, ...(isBody(answer) ? answer : { answer }) })
})

const isBody = (answer: unknown): answer is Body =>
  typeof answer === "object" && answer !== null && !Array.isArray(answer)

const broken = (name: string, owner: string, defect: unknown) =>
  reject(
    "operation_broken",
    `The operation ${name} of plugin ${owner} broke: ${defect instanceof Error ? defect.message : String(defect)}`,
    "Go on without it, and tell a person to mend the plugin."
  )
