import type { Writable } from "node:stream"
import {
  type AnyMessage,
  type ClientContext,
  client,
  type InitializeResponse,
  type McpServer,
  methods,
  type NewSessionRequest,
  type PermissionOptionKind,
  PROTOCOL_VERSION,
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type StopReason,
  type Stream,
  type ToolKind
} from "@agentclientprotocol/sdk"
import type { AgentStep, PermissionAnswer, PermissionQuestion, Usage } from "@proofline/kernel"
import type { ClientFailure } from "../../agents/failure.ts"
import { figures, usageOf, usageSum } from "../../agents/usage.ts"
import type { Permissions } from "../../options/index.ts"
import type { Conversation, Hold } from "../node-process/spawn.ts"
import { makeLines } from "./lines.ts"
import { barrier, makePast, type Past } from "./past.ts"
import { sessionLost } from "./steps.ts"
import { type Fields, fields, stepsOfUpdate } from "./told.ts"

export interface Talk {
  readonly prompt: string
  /** Where it works, absolute. */
  readonly directory: string
  readonly mcp: ReadonlyArray<McpServer>
  readonly permissions: Permissions
  /** What a person answers. Never rejects. */
  readonly askPerson: (question: PermissionQuestion) => Promise<PermissionAnswer>
  /** It must change nothing: it is allowed what only reads. */
  readonly readOnly: boolean
  readonly tell: (step: AgentStep) => void
  /** The session to go on with; null: it begins one. */
  readonly resume: string | null
}

/** What came of a conversation. */
export interface Said {
  /** Null: the turn did not come to its end. */
  stop: StopReason | null
  /** What it said after the last tool. */
  text: string
  usage: Usage | null
  failure: ClientFailure | null
  session: string | null
}

export interface AcpConversation {
  readonly begin: (input: Writable, hold: Hold) => Conversation
  /** Is given what the agent prints. */
  readonly read: (chunk: Uint8Array) => void
  /** What came of it, once the agent has ended. */
  readonly end: () => Said
}

/** How a session that is loaded tells what the user said in it. */
const userSaid: SessionUpdate["sessionUpdate"] = "user_message_chunk"

/** A program that does not speak the protocol says nothing, and need not be waited for; ms. */
const handshakeMs = 60_000

/** How agents mark what needs a login: the code of the protocol. */
const authRequired = -32_000

/** One prompt to an agent that speaks the Agent Client Protocol, version 1, over its standard input and output. */
export const makeConversation = (talk: Talk): AcpConversation => {
  const said: Said = { stop: null, text: "", usage: null, failure: null, session: null }
  /** Until then it tells what was before. */
  let isPrompted = false
  const note = (cause: unknown): void => {
    said.failure ??=
      cause instanceof RequestError
        ? { status: cause.code === authRequired ? 401 : null, message: messageOf(cause) }
        : cause instanceof Unspoken
          ? { status: null, message: "", told: cause.message }
          : endedEarly
  }
  let arrived: (message: AnyMessage) => void = () => {}
  let close = (): void => {}
  /** Our requests: what is asked, by id. */
  const unanswered = new Map<unknown, string>()
  let askBarrier = (): void => {}
  const past = makePast(() => askBarrier())
  const updated = (params: Fields): void => {
    const update = fields(params["update"])
    const isResumed = talk.resume !== null && said.session === talk.resume
    // nobody but us says anything in its turn: what a user said there is told of the past
    if (isPrompted && isResumed && update["sessionUpdate"] === userSaid) {
      said.text = ""
      void past.begin()
    }
    if (!isPrompted || past.isTold()) {
      if (update["sessionUpdate"] === userSaid || stepsOfUpdate(update).length > 0) past.heard()
    } else if (isResumed || talk.resume === null || params["sessionId"] !== talk.resume) heard(talk, said, update)
  }
  /** As it came: what it used is in no stable version of the protocol yet. */
  let lastResult: unknown = null
  // what is no message of the protocol is noise: programs print warnings
  const read = makeLines((line) => {
    const message = parsed(line)
    if (message === null) return
    if ("method" in message && !("id" in message)) {
      // read here: one that is not as it should be is passed over, and there may be millions
      if (message.method === methods.client.session.update) updated(fields(message.params))
      return
    }
    if (!("method" in message)) {
      const asked = unanswered.get(message.id)
      if (!unanswered.delete(message.id)) return
      // read here: what comes behind it in the same piece is no past any more
      if (asked === barrier) past.answered()
      else if ("result" in message) lastResult = message.result
    }
    arrived(message)
  })
  const begin = (input: Writable, hold: Hold): Conversation => {
    const stream: Stream = {
      readable: new ReadableStream({
        start: (controller) => {
          let isOpen = true
          arrived = (message) => {
            if (isOpen) controller.enqueue(message)
          }
          close = () => {
            past.end()
            if (isOpen) controller.close()
            isOpen = false
          }
        }
      }),
      writable: new WritableStream({
        write: (message) =>
          new Promise((resolve) => {
            if ("method" in message && "id" in message) unanswered.set(message.id, message.method)
            input.write(`${JSON.stringify(message)}\n`, () => resolve())
          })
      })
    }
    let isCancelled = false
    const connection = client({ name: "proofline" })
      .onRequest(methods.client.session.requestPermission, ({ params }) =>
        isCancelled ? cancelled : permitted(talk, params, hold, () => isCancelled)
      )
      .connect(stream)
    const { agent } = connection
    askBarrier = () => void agent.request(barrier, {}).catch(() => {})
    let session: string | null = null
    const turn = async (): Promise<void> => {
      const answer = await within(
        agent.request(methods.agent.initialize, {
          protocolVersion: PROTOCOL_VERSION,
          clientInfo: { name: "proofline", version: "1" },
          // it has files and terminals of its own
          clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false }
        }),
        "initialize"
      )
      if (answer.protocolVersion !== PROTOCOL_VERSION) {
        throw new Unspoken(`It speaks version ${answer.protocolVersion} of the protocol, not ${PROTOCOL_VERSION}.`)
      }
      const opened = await open(agent, answer, talk, past)
      session = opened
      said.session = opened
      if (isCancelled) return
      isPrompted = true
      const ended = await agent.request(methods.agent.session.prompt, {
        sessionId: opened,
        prompt: [{ type: "text", text: talk.prompt }]
      })
      said.stop = ended.stopReason
      said.usage = usageOfTurn(lastResult, said.usage)
    }
    const done = turn()
      .catch(note)
      .finally(() => close())
    return {
      done,
      cancel: async () => {
        isCancelled = true
        if (session !== null) await agent.notify(methods.agent.session.cancel, { sessionId: session }).catch(() => {})
        await done
      }
    }
  }
  return {
    begin,
    read,
    end: () => {
      close()
      const { stop } = said
      if (stop === null) return { ...said, failure: said.failure ?? endedEarly }
      const told = stopped[stop]
      return { ...said, failure: said.failure ?? (told === undefined ? null : { status: null, message: "", told }) }
    }
  }
}

/** Goes on with a session where the agent can and still has it, and begins one otherwise. */
const open = async (
  agent: ClientContext,
  { agentCapabilities }: InitializeResponse,
  { directory, mcp, resume, tell }: Talk,
  past: Past
): Promise<string> => {
  const place: NewSessionRequest = { cwd: directory, mcpServers: [...mcp] }
  const { load, resume: takeUp } = methods.agent.session
  const isTakenUp = Boolean(agentCapabilities?.sessionCapabilities?.resume)
  if (resume !== null && (isTakenUp || agentCapabilities?.loadSession === true)) {
    const known = { ...place, sessionId: resume }
    try {
      await (isTakenUp
        ? within(agent.request(takeUp, known), "session/resume")
        : within(agent.request(load, known).then(past.begin), "session/load"))
      return resume
    } catch (cause) {
      // it does not know it any more; one that wants a login says so again
      if (!(cause instanceof RequestError)) throw cause
      tell(sessionLost)
    }
  }
  const opened = await within(agent.request(methods.agent.session.new, place), "session/new")
  return opened.sessionId
}

/** Why a turn ended before the work did; nothing: it did not. */
const stopped: Readonly<Record<StopReason, string | undefined>> = {
  end_turn: undefined,
  max_tokens: "It stopped: the limit of tokens of its model was reached.",
  max_turn_requests: "It stopped: it had asked its model as often as it may in one turn.",
  refusal: "It stopped: its model refused to go on.",
  cancelled: "It stopped: its turn was cancelled."
}

const parsed = (line: string): AnyMessage | null => {
  if (!line.startsWith("{")) return null
  try {
    const value = JSON.parse(line)
    return value.jsonrpc === "2.0" ? value : null
  } catch {
    return null
  }
}

const within = async <A>(answer: Promise<A>, method: string): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const why = `It did not answer \`${method}\` of the Agent Client Protocol within ${handshakeMs / 1000} s.`
    timer = setTimeout(() => reject(new Unspoken(why)), handshakeMs)
  })
  return await Promise.race([answer, late]).finally(() => clearTimeout(timer))
}

/** The program does not speak the protocol as it should. */
class Unspoken extends Error {}

const endedEarly: ClientFailure = {
  status: null,
  message: "",
  told: "It ended before it had answered the prompt.",
  hasEnded: true
}

const messageOf = ({ data, message }: RequestError): string =>
  data === undefined ? message : `${message} ${JSON.stringify(data)}`

/** Kinds of tools that change nothing. */
const reads: ReadonlySet<ToolKind> = new Set(["read", "search", "think", "fetch"])

type ToolCall = RequestPermissionRequest["toolCall"]

/** Whether it may be allowed to somebody who must change nothing: what only reads, and the tools of our server. */
const isHarmless = (call: ToolCall, server: string | undefined): boolean =>
  reads.has(call.kind ?? "other") || isOfServer(call, server)

const isOfServer = (call: ToolCall, server: string | undefined): boolean =>
  (call.kind ?? "other") === "other" &&
  server !== undefined &&
  (toolName(call) || `${call.title ?? ""} ${call.toolCallId}`).includes(server)

/** As some agents tell it, whose titles show what it is called with alone; empty: it is not told. */
const toolName = ({ _meta }: ToolCall): string => {
  const name = fields(_meta)["toolName"]
  return typeof name === "string" ? name : ""
}

/** What a person reads: of a tool of which nothing else is known, its name too. */
const titleOf = (call: ToolCall): string => {
  const title = call.title ?? call.toolCallId
  const name = toolName(call)
  return (call.kind ?? "other") !== "other" || title.includes(name) ? title : `${name}: ${title}`
}

const cancelled: RequestPermissionResponse = { outcome: { outcome: "cancelled" } }

/** By what an option means, the best first. */
const optionKinds: Readonly<Record<PermissionAnswer, ReadonlyArray<PermissionOptionKind>>> = {
  allow: ["allow_once", "allow_always"],
  always: ["allow_always", "allow_once"],
  deny: ["reject_once", "reject_always"]
}

/** Chosen by what an option means, never by its name or place. */
const permitted = async (
  talk: Talk,
  { options, toolCall }: RequestPermissionRequest,
  hold: Hold,
  isCancelled: () => boolean
): Promise<RequestPermissionResponse> => {
  const decided = await decidedOf(talk, toolCall, hold)
  if (isCancelled()) return cancelled
  const kinds = optionKinds[decided]
  const option = kinds.map((kind) => options.find((one) => one.kind === kind)).find((one) => one !== undefined)
  const answer = option === undefined ? "not_answered" : decided === "deny" ? "denied" : "allowed"
  talk.tell({ type: "permission", title: titleOf(toolCall), answer })
  return option === undefined ? cancelled : { outcome: { outcome: "selected", optionId: option.optionId } }
}

const decidedOf = async (
  { askPerson, mcp, permissions, readOnly }: Talk,
  toolCall: ToolCall,
  hold: Hold
): Promise<PermissionAnswer> => {
  const server = mcp[0]?.name
  if (permissions === "deny" || (readOnly && !isHarmless(toolCall, server))) return "deny"
  // nobody is asked whether it may report to us
  if (permissions === "allow" || isOfServer(toolCall, server)) return "allow"
  const release = hold()
  return await askPerson(questionOf(toolCall)).finally(release)
}

/** Characters of what a tool is called with that a person is shown. */
const maxDetail = 2_000

const questionOf = (call: ToolCall): PermissionQuestion => ({
  title: titleOf(call).slice(0, maxDetail),
  tool: call.kind ?? "",
  detail: detailOf(call.rawInput).slice(0, maxDetail),
  files: (call.locations ?? []).slice(0, 20).map(({ path }) => path)
})

const detailOf = (input: unknown): string => {
  if (input === undefined || input === null) return ""
  return typeof input === "string" ? input : JSON.stringify(input)
}

const heard = ({ tell }: Talk, said: Said, update: Fields): void => {
  const cost = fields(update["cost"])
  if (update["sessionUpdate"] === "usage_update" && cost["currency"] === "USD") {
    said.usage = usageOf(said.usage?.input_tokens ?? null, said.usage?.output_tokens ?? null, figures(cost, "amount"))
  }
  if (update["sessionUpdate"] === "agent_message_chunk") {
    const used = (tokens: string) => figures(update, `_meta.usage.${tokens}`)
    said.usage = usageSum([said.usage, usageOf(used("inputTokens"), used("outputTokens"), null)])
  }
  for (const step of stepsOfUpdate(update)) {
    if (step.type === "text") said.text += step.text
    if (step.type === "tool") said.text = ""
    tell(step)
  }
}

const usagePaths = {
  input: ["usage.inputTokens", "usage.cachedReadTokens", "usage.cachedWriteTokens"],
  output: ["usage.outputTokens", "usage.thoughtTokens"]
} as const

/**
 * Tokens come with the end of the turn, from agents that tell them, and from one of them in fields of its own; from
 * another with each answer of its model. What it cost comes while it works.
 */
const usageOfTurn = (ended: unknown, before: Usage | null): Usage | null =>
  usageOf(
    figures(ended, ...usagePaths.input) ??
      figures(ended, "_meta.quota.token_count.input_tokens") ??
      before?.input_tokens ??
      null,
    figures(ended, ...usagePaths.output) ??
      figures(ended, "_meta.quota.token_count.output_tokens") ??
      before?.output_tokens ??
      null,
    before?.cost_usd ?? null
  )
