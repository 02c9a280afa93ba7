import { Engine } from "@proofline/kernel"
import {
  type Answer,
  type Args,
  callOnRun,
  type Declaration,
  makeCaller,
  operationBroken,
  operations,
  pluginOperations
} from "@proofline/plugins/operations"
import { Effect, Result } from "effect"
import { pathsOf, type Where } from "../base/paths.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { meantInstead } from "../base/selection.ts"
import { callDocument } from "../documents/others.ts"
import { unlessItEnds } from "../process/ending.ts"
import { printDocument } from "../process/output.ts"
import { checkedComposition } from "../project/checkedPlugins.ts"
import { projectConfig, stdinText } from "../project/files.ts"
import { withExistingStorage } from "../project/storage.ts"
import { withKernel } from "../project/withKernel.ts"
import { runNamed } from "../reading/historyIds.ts"
import { checkContinued, loadRun, noRun } from "../reading/oneRun.ts"
import { readRows } from "../reading/rows.ts"
import { callersProject, serverSetup, withCallersStorage } from "../serving/server.ts"
import { attemptToken } from "../sessions/attemptToken.ts"

export interface CallOptions extends Where {
  readonly operation: string
  readonly arguments?: string | undefined
  /** Of an operation that a plugin declares: the run that it works on, where no session says so. */
  readonly run?: string | undefined
  readonly approvals: boolean
}

/** `proofline call`: one operation, as every other front-end offers it, with the same answer. */
export const call = Effect.fnUntraced(function* (options: CallOptions) {
  const operation = yield* operationOf(options)
  const token = process.env["PROOFLINE_TOKEN"] || null
  if (options.run !== undefined) return yield* callOn(options.run, operation.name, options)
  // a session that ends with this process would have nothing to go on with
  if (token === null && operation.subject !== "project" && !operation.readOnly) {
    return yield* stop(exitCodes.usage, {
      code: "token_missing",
      message: `${operation.name} belongs to the session of an agent, and PROOFLINE_TOKEN holds no token of one.`,
      hint: `Open one with \`proofline session open --agent NAME\` and put its token into PROOFLINE_TOKEN.${isOurs(operation) ? "" : " Or name the run that it is to work on with --run."}`
    })
  }
  const args = yield* argumentsOf(
    options.arguments === "-" ? yield* stdinText("arguments") : (options.arguments ?? "{}")
  )
  const paths = yield* callersProject(options, attemptToken())
  const { answering, caller, check } = yield* serverSetup(paths, { approvals: options.approvals, flag: [] })
  const answer = yield* withCallersStorage(
    paths,
    attemptToken(),
    withKernel(
      paths,
      {},
      Effect.andThen(
        // a log that was changed can be looked at, and an attempt's run has begun already
        operation.subject === "session" && attemptToken() === null ? check : Effect.void,
        Effect.flatMap(makeCaller({ ...caller, token }), (asking) =>
          unlessUnanswered(operation.name, asking.call(operation, args, undefined))
        ).pipe(Effect.provide(answering))
      )
    )
  )
  yield* printDocument(callDocument, { operation: operation.name, ok: answer.ok, answer: answer.body })
  return codeOf(answer)
})

/** A person that is asked meanwhile keeps nobody from asking as it has to be: what was asked wrongly is said first. */
const codeOf = ({ body, isMalformed, kind, ok }: Answer): number => {
  if (ok) return exitCodes.proven
  if (body["error"] === "log_lost") return exitCodes.integrity
  if (isMalformed === true) return exitCodes.usage
  const isOfRequest = kind === "unknown" || body["failures"] !== undefined
  return !isOfRequest && body["needs_person"] === true ? exitCodes.needsPerson : exitCodes.unmet
}

const isOurs = ({ name }: Declaration): boolean => operations.some((own) => own.name === name)

/** An operation of a plugin on a named run, by whoever looks after the project. */
const callOn = Effect.fnUntraced(function* (named: string, name: string, options: CallOptions) {
  if (operations.some((own) => own.name === name)) return yield* runNotTaken(`${name} is one of Proofline's own.`)
  // an agent works on its own run, and on no other
  if (process.env["PROOFLINE_TOKEN"]) return yield* runNotTaken("PROOFLINE_TOKEN says whose work this is.")
  const args = yield* argumentsOf(
    options.arguments === "-" ? yield* stdinText("arguments") : (options.arguments ?? "{}")
  )
  const paths = pathsOf(options)
  const run = yield* runNamed(named, yield* readRows(paths), paths)
  const none = noRun(run, paths)
  const asked = Effect.gen(function* () {
    yield* loadRun(run, paths)
    yield* checkContinued(run)
    const engine = yield* Engine
    return yield* unlessUnanswered(name, callOnRun({ engine, run }, name, args) ?? none)
  })
  const answer = yield* withExistingStorage(paths, none, withKernel(paths, {}, asked))
  yield* printDocument(callDocument, { operation: name, ok: answer.ok, answer: answer.body })
  return codeOf(answer)
})

/** An operation of a plugin that waits for what never comes, or ends the process, is broken as by an exception. */
const unlessUnanswered = <A, E, R>(name: string, answering: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Engine, ({ composition }) => {
    const owner = composition.operations.get(name)?.owner
    if (owner === undefined) return answering
    const { code, hint, message } = operationBroken(
      name,
      owner,
      "the process ended, or had nothing left to do, before it has answered."
    )
    return unlessItEnds(stop(exitCodes.unmet, { code, message, hint }))(answering)
  })

const runNotTaken = (why: string) =>
  stop(exitCodes.usage, {
    code: "run_not_taken",
    message: `--run names the run that an operation of a plugin works on. ${why}`,
    hint: "Leave --run out; operations of Proofline's own take `run_id` among their arguments, where they take one."
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
