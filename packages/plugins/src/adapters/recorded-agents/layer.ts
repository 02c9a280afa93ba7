import { resolve } from "node:path"
import {
  type AgentRequest,
  type AgentResult,
  Agents,
  EventLog,
  failedWith,
  type LogUnavailable
} from "@proofline/kernel"
import { Clock, Effect, Layer, Stream } from "effect"
import { BlobStore } from "../../port/index.ts"
import { bytesOf, decodeExchange, type Exchange, encodeExchange, exchangeOf, resultOf } from "./exchange.ts"
import { applyPatch, withPatch } from "./patches.ts"

export { filesMissing } from "./patches.ts"

/** An agent that does and says what one of that name did and said in an earlier run. */
export interface PlayedAgent {
  /** The id of the run. */
  readonly replay: string
}

export interface RecordedAgentsOptions {
  /** The project directory; agents work in it unless they are asked to work elsewhere. */
  readonly root: string
  /** Agents of which every exchange is kept. */
  readonly recorded: ReadonlySet<string>
  readonly played: Readonly<Record<string, PlayedAgent>>
}

/** Agents whose exchanges are kept as blobs, and agents that play kept ones. All others are passed on as they are. */
export const layer = (options: RecordedAgentsOptions): Layer.Layer<Agents, never, Agents | BlobStore | EventLog> =>
  Layer.effect(
    Agents,
    Effect.gen(function* () {
      const inner = yield* Agents
      const blobs = yield* BlobStore
      const play = makePlaying(options, yield* EventLog, blobs)
      return {
        names: [...new Set([...inner.names, ...Object.keys(options.played)])],
        run: (agent, request, back) => {
          const played = Object.hasOwn(options.played, agent) ? options.played[agent] : undefined
          if (played !== undefined) return play(played.replay, request)
          return options.recorded.has(agent)
            ? record(options, blobs, agent, request, inner.run(agent, request, back))
            : inner.run(agent, request, back)
        }
      }
    })
  )

const directoryOf = ({ root }: RecordedAgentsOptions, { directory }: AgentRequest): string => directory ?? resolve(root)

const record = Effect.fnUntraced(function* <E>(
  options: RecordedAgentsOptions,
  blobs: BlobStore["Service"],
  agent: string,
  request: AgentRequest,
  work: Effect.Effect<AgentResult, E>
) {
  const [result, seen] =
    request.role === "work"
      ? yield* withPatch(directoryOf(options, request), work)
      : yield* Effect.map(work, (result) => [result, null] as const)
  const exchange = yield* blobs.put(encodeExchange(exchangeOf(agent, request, result, seen)))
  return { ...result, exchange }
})

/** An exchange as the log names it. */
interface Kept {
  readonly role: string
  readonly task_id: string
  readonly attempt: number
  readonly exchange: { readonly sha256: string }
}

/** Of a run that makes tasks of requirements each iteration is a run of its own, which is named after it. */
const playedRun = (replay: string, { run_id }: AgentRequest): string =>
  `${replay}${/-iter\d+$/.exec(run_id)?.[0] ?? ""}`

const makePlaying = (options: RecordedAgentsOptions, log: EventLog["Service"], blobs: BlobStore["Service"]) => {
  /** How often each was asked for. */
  const asked = new Map<string, number>()

  const keptOf = (run: string): Effect.Effect<ReadonlyArray<Kept>, LogUnavailable> =>
    Effect.map(Stream.runCollect(log.read(run)), (events) =>
      [...events].flatMap(({ content, event_type }) =>
        event_type === "AGENT_CALLED" && "exchange" in (content as object) ? [content as unknown as Kept] : []
      )
    )

  const exchangeFor = Effect.fnUntraced(function* (replay: string, request: AgentRequest) {
    const { attempt, role, run_id, task_id } = request
    const run = playedRun(replay, request)
    const key = JSON.stringify([run_id, role, task_id, attempt])
    const before = asked.get(key) ?? 0
    asked.set(key, before + 1)
    const all = (yield* keptOf(run)).filter((one) => one.role === role && one.task_id === task_id)
    const found = all.filter((one) => one.attempt === attempt)[before]
    const what = `${role} of ${task_id}, attempt ${attempt}${before === 0 ? "" : `, call ${before + 1}`}`
    if (found === undefined) return yield* unplayed(`Run ${run} has recorded no exchange for ${what}.`)
    const bytes = yield* blobs
      .get(found.exchange.sha256)
      .pipe(
        Effect.catchTag("BlobMissing", () =>
          unplayed(`The exchange of run ${run} for ${what} is not in the blob store.`)
        )
      )
    return yield* Effect.mapError(decodeExchange(new TextDecoder().decode(bytes)), () =>
      unplayedAs(`The exchange of run ${run} for ${what} is of another version of Proofline.`)
    )
  })

  const changeFiles = Effect.fnUntraced(function* (request: AgentRequest, { files, files_missing }: Exchange) {
    if (files === null) {
      return files_missing === null
        ? null
        : failed("replay_missing", `What the agent changed was not recorded: ${files_missing}`)
    }
    return yield* applyPatch(directoryOf(options, request), bytesOf(files)).pipe(
      Effect.as(null),
      Effect.catch(({ message }) =>
        Effect.succeed(
          failed(
            "replay_conflict",
            `The recorded changes of ${request.task_id}, attempt ${request.attempt}, do not fit the files as they are. ${message}`
          )
        )
      )
    )
  })

  return (replay: string, request: AgentRequest): Effect.Effect<AgentResult, LogUnavailable> =>
    Effect.gen(function* () {
      const since = yield* Clock.currentTimeMillis
      const exchange = yield* exchangeFor(replay, request)
      const fault = yield* changeFiles(request, exchange)
      return fault ?? resultOf(exchange, (yield* Clock.currentTimeMillis) - since)
    }).pipe(Effect.catchTag("Unplayed", ({ message }) => Effect.succeed(failed("replay_missing", message))))
}

/** Why a call cannot be played. */
interface Unplayed {
  readonly _tag: "Unplayed"
  readonly message: string
}

const unplayedAs = (message: string): Unplayed => ({ _tag: "Unplayed", message })
const unplayed = (message: string) => Effect.fail(unplayedAs(message))

/** Playing it again would come to the same. */
const failed = (code: "replay_missing" | "replay_conflict", message: string): AgentResult =>
  failedWith({ code, message, terminal: true })
