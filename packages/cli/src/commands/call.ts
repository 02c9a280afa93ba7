import { type Args, type Declaration, makeCaller, operations, pluginOperations } from "@proofline/plugins/operations"
import { Effect, Result } from "effect"
import { callDocument } from "../documents/others.ts"
import { printDocument } from "../output.ts"
import type { Where } from "../paths.ts"
import { exitCodes, stop } from "../problems.ts"
import { meantInstead } from "../selection.ts"
import { attemptToken } from "./attemptToken.ts"
import { projectConfig, stdinText } from "./files.ts"
import { checkedComposition } from "./plugins.ts"
import { callersProject, serverSetup, withCallersStorage } from "./server.ts"
import { withKernel } from "./shared.ts"

export interface CallOptions extends Where {
  readonly operation: string
  readonly arguments?: string | undefined
  readonly approvals: boolean
}

/** `proofline call`: one operation, as every other front-end offers it, with the same answer. */
export const call = Effect.fnUntraced(function* (options: CallOptions) {
  const operation = yield* operationOf(options)
  const token = process.env["PROOFLINE_TOKEN"] || null
  // a session that ends with this process would have nothing to go on with
  if (token === null && operation.subject !== "project") {
    return yield* stop(exitCodes.usage, {
      code: "token_missing",
      message: `${operation.name} belongs to the session of an agent, and PROOFLINE_TOKEN holds no token of one.`,
      hint: "Open one with `proofline session open --agent NAME` and put its token into PROOFLINE_TOKEN."
    })
  }
  const args = yield* argumentsOf(
    options.arguments === "-" ? yield* stdinText("arguments") : (options.arguments ?? "{}")
  )
  const paths = yield* callersProject(options, attemptToken())
  const { answering, caller, check } = yield* serverSetup(paths, { approvals: options.approvals, flag: [] })
  const { body, ok } = yield* withCallersStorage(
    paths,
    attemptToken(),
    withKernel(
      paths,
      {},
      Effect.andThen(
        // a log that was changed can be looked at, and an attempt's run has begun already
        operation.subject === "session" && attemptToken() === null ? check : Effect.void,
        Effect.flatMap(makeCaller({ ...caller, token }), (asking) => asking.call(operation, args, undefined)).pipe(
          Effect.provide(answering)
        )
      )
    )
  )
  yield* printDocument(callDocument, { operation: operation.name, ok, answer: body })
  if (body["error"] === "log_lost") return exitCodes.integrity
  return ok ? exitCodes.proven : body["needs_person"] === true ? exitCodes.needsPerson : exitCodes.unmet
})

/** One of Proofline's own, or one that a plugin of the project declares. */
const operationOf = Effect.fnUntraced(function* (options: CallOptions) {
  const named = (known: ReadonlyArray<Declaration>) => known.find(({ name }) => name === options.operation)
  const own = named(operations)
  if (own !== undefined) return own
  const ofPlugins = yield* declaredByPlugins(options)
  const found = named(ofPlugins)
  if (found !== undefined) return found
  const names = [...operations, ...ofPlugins].map(({ name }) => name)
  return yield* stop(exitCodes.usage, {
    code: "operation_unknown",
    message: `There is no operation ${JSON.stringify(options.operation.slice(0, 100))}.`,
    hint: `${meantInstead(options.operation, names)}There are ${names.join(", ")}.`
  })
})

const declaredByPlugins = Effect.fnUntraced(function* (options: CallOptions) {
  const paths = yield* callersProject(options, attemptToken())
  const project = yield* projectConfig(paths)
  return project.plugins.length === 0 ? [] : pluginOperations(yield* checkedComposition(paths, project))
})

const argumentsOf = (text: string) =>
  Effect.suspend(() => {
    const parsed = Result.try((): unknown => JSON.parse(text))
    const value = Result.isSuccess(parsed) ? parsed.success : null
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? Effect.succeed(value as Args)
      : Effect.fail(
          stop(exitCodes.usage, {
            code: "arguments_invalid",
            message: "The arguments are no object of JSON.",
            hint: `Write them like this: '{"task_id": "login"}'.`
          })
        )
  })
