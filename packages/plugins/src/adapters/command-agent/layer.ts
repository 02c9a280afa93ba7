import { resolve } from "node:path"
import type { Writable } from "node:stream"
import {
  type AgentRequest,
  type AgentResult,
  Agents,
  type AskingBack,
  type AttemptError,
  failedWith,
  isSessionId,
  type LogUnavailable,
  type PermissionAnswer,
  type PermissionQuestion,
  UnknownAgent,
  type Usage
} from "@proofline/kernel"
import { Deferred, Effect, FiberSet, Layer } from "effect"
import { answerOf } from "../../agents/answer.ts"
import { attemptError } from "../../agents/failure.ts"
import { usageOf, usageOfFile, usageSince } from "../../agents/usage.ts"
import { leadingVariables } from "../../git/environment.ts"
import { AttemptReports, AttemptTokens } from "../../policies/attempts/contract.ts"
import { momentNow } from "../../processes/proc.ts"
import { killLeftovers, type Marker, markerEnvironment } from "../node-process/leftovers.ts"
import {
  type Conversation,
  type Hold,
  type ProcessNotStarted,
  type ProcessResult,
  spawn
} from "../node-process/spawn.ts"
import { fillCommand } from "./command.ts"
import {
  type AttemptFiles,
  isReportWritten,
  makeFiles,
  type Report,
  readReport,
  readUsage,
  removeFiles,
  writeReport
} from "./files.ts"
import { judgedBy } from "./judge.ts"
import { makeLines } from "./lines.ts"
import { type LiveOutput, openLive } from "./liveFiles.ts"
import { type ClientReport, isReadOnly, type Preset, presets } from "./presets.ts"
import { type McpCommand, type Offered, type Renamed, SERVER } from "./server.ts"
import type { AgentSpec } from "./spec.ts"
import { makeSteps, noServer, type Steps, sessionLost } from "./steps.ts"
import { stepsOfLine } from "./told.ts"

export type { Preset as PresetName } from "../../options/index.ts"
export { liveOutput, removeRunFiles, runDirectory } from "./files.ts"
export { type AgentFound, installed, look, pathOf, versionOf } from "./look.ts"
export { supportable } from "./presets.ts"
export type { McpCommand } from "./server.ts"
export type { AgentSpec } from "./spec.ts"

export interface CommandAgentOptions {
  /** The project directory; agents work in it unless they are asked to work elsewhere. */
  readonly root: string
  /** Where Proofline keeps its state; prompt and report files lie below `tmp`. */
  readonly stateDir: string
  readonly agents: Readonly<Record<string, AgentSpec>>
  /**
   * How an agent's client starts the server by which it asks back; null or left out: it is told of none. Whatever the
   * client starts has the attempt's token in `PROOFLINE_TOKEN`.
   */
  readonly mcp?: McpCommand | null
  /** More of the environment of agents, asked for when one starts. */
  readonly environment?: () => Readonly<Record<string, string>>
  /** From TERM to KILL, in ms; 5,000 when left out. */
  readonly grace_ms?: number
}

interface Call {
  readonly command: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly read: (stdout: string) => ClientReport
  /** Of which figures it says what all of its session used. */
  readonly sumsUp?: ReadonlyArray<keyof Usage>
  /** Is given what it prints while it works. */
  readonly hear?: (chunk: Uint8Array) => void
  readonly named?: Renamed | undefined
  /** In the place of the prompt on its standard input. */
  readonly converse?: (input: Writable, hold: Hold) => Conversation
}

/** A command agent has no format of its own: all it prints is its text. */
const plainText = (stdout: string): ClientReport => ({ text: stdout, failure: null, usage: null, session: null })

/** What is known to whoever makes a call. */
interface CallFacts {
  readonly request: AgentRequest
  readonly mcp: McpCommand | null
  /** Where it works, absolute. */
  readonly directory: string
  readonly token: string | undefined
  /** The directory of its files. */
  readonly files: string
  readonly tell: Steps["tell"]
  readonly askPerson: (question: PermissionQuestion) => Promise<PermissionAnswer>
}

/** It goes to a command line, whoever has named it. */
const resumeOf = ({ resume }: AgentRequest): string | null =>
  resume !== undefined && isSessionId(resume.id) ? resume.id : null

const talkingCall = async (
  { acp, permissions = "allow" }: Extract<AgentSpec, { readonly acp: string }>,
  { askPerson, directory, mcp, request, tell, token }: CallFacts
): Promise<Call> => {
  // only where it is spoken: the protocol is a large module
  const { makeConversation } = await import("./acp.ts")
  const env = token === undefined ? [] : [{ name: "PROOFLINE_TOKEN", value: token }]
  const { begin, end, read } = makeConversation({
    prompt: request.prompt,
    directory,
    mcp: mcp === null ? [] : [{ name: SERVER, command: mcp.command, args: [...mcp.args], env }],
    permissions,
    askPerson,
    readOnly: isReadOnly(request.role),
    tell,
    resume: resumeOf(request)
  })
  return { command: acp, env: {}, hear: read, converse: begin, read: end, sumsUp: ["cost_usd"] }
}

const offeredBy = async ({ offer }: Preset, { directory, files, mcp }: CallFacts): Promise<Offered> =>
  mcp === null || offer === undefined ? { env: {} } : await offer({ mcp, directory, files, user: process.env })

const callOf = async (spec: AgentSpec, facts: CallFacts): Promise<Call> => {
  const { mcp, request, tell } = facts
  if ("acp" in spec) return await talkingCall(spec, facts)
  if ("preset" in spec) {
    const preset = presets[spec.preset]
    const asked = { readOnly: isReadOnly(request.role), mcp }
    const offered = await offeredBy(preset, facts)
    // told with its first step: a client that has told nothing has done nothing
    let notes = "refused" in offered ? [noServer(offered.refused)] : []
    return {
      command: preset.command({ ...asked, model: spec.model ?? null, resume: resumeOf(request) }),
      env: { ...preset.env(process.env, asked), ...("env" in offered ? offered.env : {}) },
      named: "env" in offered ? offered.named : undefined,
      read: preset.read,
      ...(preset.sumsUp === true ? { sumsUp: ["input_tokens", "output_tokens", "cost_usd"] } : {}),
      hear: makeLines((line) => {
        for (const step of stepsOfLine(spec.preset, line)) {
          for (const first of [...notes, step]) tell(first)
          notes = []
        }
      })
    }
  }
  const { command, needs_prompt } = fillCommand("judge" in spec ? spec.judge : spec.command)
  return {
    command,
    // No argument can hold a zero byte.
    env: needs_prompt ? { PROOFLINE_PROMPT: request.prompt.replaceAll("\0", "") } : {},
    read: plainText
  }
}

const markerOf = ({ run_id, task_id, attempt, role }: AgentRequest): Marker => ({ run_id, task_id, attempt, role })

/** The part of the contract with agents that lies in the environment. */
const contractEnvironment = (
  root: string,
  stateDir: string,
  request: AgentRequest,
  files: AttemptFiles,
  token: string | undefined
) => ({
  ...markerEnvironment(markerOf(request)),
  PROOFLINE_PROMPT_FILE: files.prompt,
  PROOFLINE_REPORT_FILE: files.report,
  PROOFLINE_USAGE_FILE: files.usage,
  PROOFLINE_ROOT: root,
  PROOFLINE_STATE: resolve(stateDir),
  PROOFLINE_TOKEN: token
})

/** What an agent prints and reports is kept, and its token is not for keeping. */
const withoutToken = (result: AgentResult, token: string | undefined): AgentResult =>
  token === undefined
    ? result
    : {
        ...result,
        answer: result.answer?.replaceAll(token, TOKEN_OMITTED) ?? null,
        stdout: bytesWith(result.stdout, { said: token, meant: TOKEN_OMITTED }),
        stderr: bytesWith(result.stderr, { said: token, meant: TOKEN_OMITTED }),
        steps: bytesWith(result.steps, { said: token, meant: TOKEN_OMITTED })
      }

const TOKEN_OMITTED = "[PROOFLINE_TOKEN]"

const bytesWith = (bytes: Uint8Array, { meant, said }: Renamed): Uint8Array => {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  // one byte is one character, so that nothing else changes
  const latin1 = (name: string) => Buffer.from(name).toString("latin1")
  if (!text.includes(said)) return bytes
  return Buffer.from(
    text.toString("latin1").replaceAll(latin1(said), () => latin1(meant)),
    "latin1"
  )
}

const namedIn = (ended: ProcessResult, named: Renamed): ProcessResult => ({
  ...ended,
  stdout: bytesWith(ended.stdout, named),
  stderr: bytesWith(ended.stderr, named)
})

/** Elsewhere its git must look at the repository of that directory, also when a hook of git has started us. */
const withoutRepository = Object.fromEntries(leadingVariables.map((name) => [name, undefined]))

/** One that was talked with ends when we say so, however: its exit code tells nothing once its turn is over. */
const endOf = (call: Call, client: ClientReport, ended: ProcessResult): ProcessResult =>
  call.converse !== undefined && client.failure === null && ended.ended_by === "itself"
    ? { ...ended, exit_code: 0, signal: null }
    : ended

const outcomeOf = (ended: ProcessResult, error: AttemptError | null): AgentResult["outcome"] => {
  if (ended.ended_by !== "itself") return "TIMEOUT"
  return ended.exit_code === 0 && error === null ? "COMPLETE" : "ERROR"
}

const reportUnreadable = (agent: string, why: string): AttemptError => ({
  code: "agent_report_unreadable",
  message: `The report file that agent "${agent}" wrote cannot be read: ${why}.`,
  terminal: false
})

/** What an agent has left beside what it printed. */
interface Left {
  readonly report: Report
  readonly steps: Uint8Array
  /** Of its usage file. */
  readonly usage: Usage | null
}

/** What the agent's end means. A report file that is there but cannot be read is never passed over for the output. */
const resultOf = (
  agent: string,
  request: AgentRequest,
  call: Call,
  process: ProcessResult,
  { report, steps, usage }: Left
): AgentResult => {
  const stdout = new TextDecoder().decode(process.stdout)
  const stderr = new TextDecoder().decode(process.stderr)
  const client = call.read(stdout)
  const ended = endOf(call, client, process)
  const answer = "unreadable" in report ? null : answerOf(report.text, client.text ?? stdout)
  const error =
    attemptError({
      agent,
      ended_by: ended.ended_by,
      exit_code: ended.exit_code,
      signal: ended.signal,
      timeout_ms: request.timeout_ms,
      idle_timeout_ms: request.idle_timeout_ms,
      has_answer: answer !== null,
      now: Date.now(),
      stdout,
      stderr,
      // A client that reports an error but ends well and answers has got over it.
      client: call.converse === undefined && ended.exit_code === 0 && answer !== null ? null : client.failure
    }) ?? ("unreadable" in report ? reportUnreadable(agent, report.unreadable) : null)
  return {
    outcome: outcomeOf(ended, error),
    exit_code: ended.exit_code,
    signal: ended.signal,
    duration_ms: ended.duration_ms,
    answer,
    stdout: ended.stdout,
    stderr: ended.stderr,
    steps,
    error,
    ...usedIn(call, request, client.usage ?? usage, client.session)
  }
}

/** The session in which it worked, and what this call alone used there. */
const usedIn = (
  { sumsUp = [] }: Call,
  { resume }: AgentRequest,
  usage: Usage | null,
  session: string | null
): Pick<AgentResult, "usage" | "session"> => {
  if (session === null || !isSessionId(session)) return { usage }
  const of = (key: keyof Usage) => (sumsUp.includes(key) ? (usage?.[key] ?? null) : null)
  const before = resume?.id === session ? resume.used : undefined
  // what it does not say this time it may say the next
  const used = usageOf(of("input_tokens"), of("output_tokens"), of("cost_usd")) ?? before
  return { usage: usageSince(usage, before), session: { id: session, ...(used === undefined ? {} : { used }) } }
}

const neverRan = (agent: string, { message, reason }: ProcessNotStarted, call: Pick<Call, "env">): AgentResult => {
  const what = reason === "starter_ended" ? "was lost" : "could not be started"
  const isPrompt = reason === "too_long" && call.env["PROOFLINE_PROMPT"] !== undefined
  const next = isPrompt ? " Its prompt is in it: take it from standard input or {prompt_file}, not {prompt}." : ""
  return failedWith({
    code: "agent_not_started",
    message: `Agent "${agent}" ${what}. ${message}${next}`,
    // the prompt of another task may be shorter
    terminal: !isPrompt && reason !== "no_resources" && reason !== "starter_ended"
  })
}

interface Calling {
  readonly spec: AgentSpec
  readonly request: AgentRequest
  readonly files: AttemptFiles
  readonly token: string | undefined
  readonly live: LiveOutput
  readonly steps: Steps
  readonly askPerson: CallFacts["askPerson"]
  readonly stepped: AskingBack["stepped"]
}

const callOnce = (
  options: CommandAgentOptions,
  agent: string,
  { askPerson, files, live, request, spec, steps, token }: Calling
): Effect.Effect<AgentResult> => {
  const directory = request.directory ?? resolve(options.root)
  const facts: CallFacts = {
    request,
    mcp: options.mcp ?? null,
    directory,
    token,
    files: files.directory,
    tell: steps.tell,
    askPerson
  }
  return Effect.flatMap(
    Effect.promise(async () => ({ call: await callOf(spec, facts), since: momentNow() })),
    ({ call, since }) =>
      spawn({
        command: call.command,
        cwd: directory,
        since,
        env: {
          ...call.env,
          // where the checks lie is not for agents, nor is the log
          PROOFLINE_CHECKS_FROM: undefined,
          PROOFLINE_DATABASE_URL: undefined,
          ...options.environment?.(),
          ...(request.directory === null ? {} : withoutRepository),
          ...contractEnvironment(directory, options.stateDir, request, files, token)
        },
        ...(call.converse === undefined ? { stdin: { file: files.prompt } } : { converse: call.converse }),
        timeout_ms: request.timeout_ms,
        idle_timeout_ms: request.idle_timeout_ms,
        on_output: (stream, chunk) => {
          live.push(stream, chunk)
          if (stream === "stdout") call.hear?.(chunk)
        },
        ...(options.grace_ms === undefined ? {} : { grace_ms: options.grace_ms })
      }).pipe(
        // Also when interrupted: those who left the group of the attempt end with it.
        Effect.ensuring(killLeftovers(markerOf(request), since)),
        Effect.flatMap((ended) =>
          Effect.gen(function* () {
            // a client has a stream of its own for that
            const usage = "preset" in spec ? null : usageOfFile(yield* readUsage(files))
            if ("judge" in spec) return { ...judgedBy(agent, spec.judge, ended), usage }
            const report = yield* readReport(files)
            const said = call.named === undefined ? ended : namedIn(ended, call.named)
            return withoutToken(resultOf(agent, request, call, said, { report, steps: steps.end(), usage }), token)
          })
        ),
        Effect.catchTag("ProcessNotStarted", (cause) => Effect.succeed(neverRan(agent, cause, call)))
      )
  )
}

/** A client that has done nothing yet and gives up may have lost its session; nothing else is tried again here. */
const isSessionLost = ({ spec, request }: Calling, { error, outcome, steps }: AgentResult): boolean =>
  "preset" in spec &&
  resumeOf(request) !== null &&
  outcome === "ERROR" &&
  steps.length === 0 &&
  error?.terminal === false &&
  error.transient !== true

const runWith = (
  options: CommandAgentOptions,
  agent: string,
  calling: Omit<Calling, "steps">
): Effect.Effect<AgentResult> => {
  const steps = makeSteps((chunk) => calling.live.push("steps", chunk), Date.now, calling.stepped)
  const first = { ...calling, steps }
  return Effect.flatMap(callOnce(options, agent, first), (result) => {
    if (!isSessionLost(first, result)) return Effect.succeed(result)
    const { resume: _, ...request } = calling.request
    const timeout_ms = Math.max(1, request.timeout_ms - result.duration_ms)
    steps.tell(sessionLost)
    return Effect.map(callOnce(options, agent, { ...first, request: { ...request, timeout_ms } }), (again) => ({
      ...again,
      duration_ms: result.duration_ms + again.duration_ms
    }))
  })
}

/** While an agent works, a person can be asked. What cannot be asked ends the call, as the log's failure. */
const asking = <A>(
  back: AskingBack,
  work: (askPerson: CallFacts["askPerson"]) => Effect.Effect<A>
): Effect.Effect<A, LogUnavailable> =>
  Effect.scoped(
    Effect.gen(function* () {
      const broken = yield* Deferred.make<never, LogUnavailable>()
      const run = yield* FiberSet.makeRuntimePromise()
      const ask = (question: PermissionQuestion) =>
        Effect.catch(back.permission(question), (failure) => Effect.as(Deferred.fail(broken, failure), "deny" as const))
      // it is interrupted with the call, of which nothing is said any more then
      return yield* Effect.raceFirst(
        work((question) => run(ask(question)).catch(() => "deny" as const)),
        Deferred.await(broken)
      )
    })
  )

const run = Effect.fn("command-agent.run")(function* (
  options: CommandAgentOptions,
  tokens: AttemptTokens["Service"],
  agent: string,
  request: AgentRequest,
  back: AskingBack
): Effect.fn.Return<AgentResult, UnknownAgent | LogUnavailable> {
  const spec = Object.hasOwn(options.agents, agent) ? options.agents[agent] : undefined
  // what only judges is no agent for anything else
  if (spec === undefined || ("judge" in spec && request.role !== "review")) {
    return yield* new UnknownAgent({ agent, known: Object.keys(options.agents).filter((name) => name !== agent) })
  }
  // what only judges asks nothing back
  const token = "judge" in spec ? undefined : yield* tokens.mint(request)
  return yield* Effect.acquireUseRelease(
    makeFiles(options.stateDir, request),
    (files) =>
      Effect.acquireUseRelease(
        Effect.sync(() => openLive(files.directory, token, TOKEN_OMITTED)),
        (live) =>
          asking(back, (askPerson) =>
            runWith(options, agent, { spec, request, files, token, live, askPerson, stepped: back.stepped })
          ),
        (live) => Effect.promise(live.close)
      ),
    removeFiles
  )
})

/** Agents that are programs of this machine: each prompt is one process, started and ended by us. */
export const layer = (options: CommandAgentOptions): Layer.Layer<Agents, never, AttemptTokens> =>
  Layer.effect(
    Agents,
    Effect.map(AttemptTokens, (tokens) => ({
      names: Object.keys(options.agents),
      run: (agent, request, back) => run(options, tokens, agent, request, back)
    }))
  )

/** The report files of the agents that work now, whichever process of the project has started them. */
export const reports = ({ stateDir }: Pick<CommandAgentOptions, "stateDir">): Layer.Layer<AttemptReports> =>
  Layer.succeed(AttemptReports, {
    write: (call, text) => writeReport(stateDir, call, text),
    isWritten: (call) => isReportWritten(stateDir, call)
  })
