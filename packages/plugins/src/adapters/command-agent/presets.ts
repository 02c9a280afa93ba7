import type { AgentRole, Usage } from "@proofline/kernel"
import { Option, Schema } from "effect"
import type { ClientFailure } from "../../agents/failure.ts"
import { figures, usageOf, usageSum } from "../../agents/usage.ts"
import type { Preset as PresetName } from "../../options/index.ts"
import { shellQuote } from "./command.ts"
import { type McpCommand, type Offered, type Offering, SERVER } from "./server.ts"

/** What a client says at its end, in its own stream format. */
export interface ClientReport {
  /** Its result text; null when it gave none. */
  readonly text: string | null
  /** Null when it did not fail, as far as it says. */
  readonly failure: ClientFailure | null
  /** Null when it does not say what it used. */
  readonly usage: Usage | null
  /** Its session; null when it names none. */
  readonly session: string | null
}

/**
 * What can be had of an agent beside its answer. `model`: which one can be chosen; `mcp`: it can ask back while it works; `steps`: what it does
 * is seen; `permissions`: what it asks to be allowed is answered; `tokens` and `cost`: it says what it used;
 * `resume`: another attempt goes on with its session.
 */
export const supportable = ["model", "mcp", "steps", "permissions", "tokens", "cost", "resume"] as const
export type Support = (typeof supportable)[number]

interface Asked {
  readonly readOnly: boolean
  /** The server to be offered beside those that the user has; null: none. Nothing secret is in it. */
  readonly mcp: McpCommand | null
}

export interface Preset {
  /** The program; `--version` says which one it is. */
  readonly program: string
  readonly supports: ReadonlyArray<Support>
  /** It says what all of its session used, not the call alone. */
  readonly sumsUp?: true
  /** One unattended prompt, read from standard input; edits are allowed in the workspace unless `readOnly`. */
  readonly command: (options: Asked & { readonly model: string | null; readonly resume: string | null }) => string
  /** Changes to the environment the user has; undefined takes a variable away. */
  readonly env: (user: NodeJS.ProcessEnv, options: Asked) => Readonly<Record<string, string | undefined>>
  /** For a client that takes a server neither from its command line nor from its environment. Never fails. */
  readonly offer?: (offering: Offering) => Promise<Offered>
  readonly read: (stdout: string) => ClientReport
}

/** Who judges or plans must not touch what is judged. */
export const isReadOnly = (role: AgentRole): boolean => role !== "work"

/** The lines of a stream that are JSON of a known shape, in order; other lines are noise. */
const lines = <A>(stdout: string, schema: Schema.Decoder<A>): ReadonlyArray<A> => {
  const decode = Schema.decodeUnknownOption(Schema.fromJsonString(schema))
  return stdout.split(/\r?\n/).flatMap((line) => (line.startsWith("{") ? Option.toArray(decode(line)) : []))
}

/** The last name of a session under this key. */
const sessionIn = (stdout: string, key: string): string | null => {
  const session = lines(stdout, Schema.Record(Schema.String, Schema.Unknown)).findLast(
    (line) => typeof line[key] === "string"
  )?.[key]
  return typeof session === "string" ? session : null
}

/** `exec`: the client itself leads the group, so it hears TERM first and its signals are not turned into codes. */
const commandLine = (...words: ReadonlyArray<string | null>): string =>
  ["exec", ...words.filter((word) => word !== null)].join(" ")

const resumeFlag = (flag: string, resume: string | null): string | null =>
  resume === null ? null : `${flag} ${shellQuote(resume)}`

const modelFlag = (flag: string, model: string | null): string | null =>
  model === null ? null : `${flag} ${shellQuote(model)}`

/** The state directory may lie outside the workspace; a client that may edit there only has to be let in here too. */
const REPORT_DIRECTORY = `"\${PROOFLINE_REPORT_FILE%/*}"`

const ClaudeResult = Schema.Struct({
  type: Schema.Literal("result"),
  result: Schema.optionalKey(Schema.NullOr(Schema.String)),
  is_error: Schema.optionalKey(Schema.Boolean),
  api_error_status: Schema.optionalKey(Schema.NullOr(Schema.Number)),
  // of the whole conversation; whatever is wrong with them, the result counts
  usage: Schema.optionalKey(Schema.Unknown),
  total_cost_usd: Schema.optionalKey(Schema.Unknown)
})

/** Told whenever it changes how much of a limit is left. */
const ClaudeLimit = Schema.Struct({
  type: Schema.Literal("rate_limit_event"),
  rate_limit_info: Schema.Struct({
    status: Schema.String,
    // in seconds since 1970
    resetsAt: Schema.optionalKey(Schema.NullOr(Schema.Number))
  })
})

const untilOf = (stdout: string): { readonly until?: number } => {
  const info = lines(stdout, ClaudeLimit).at(-1)?.rate_limit_info
  return info?.status === "rejected" && info.resetsAt != null ? { until: info.resetsAt * 1_000 } : {}
}

const claude: Preset = {
  program: "claude",
  supports: ["model", "mcp", "steps", "tokens", "cost", "resume"],
  command: ({ mcp, model, readOnly, resume }) =>
    commandLine(
      "claude -p --output-format stream-json --verbose",
      resumeFlag("--resume", resume),
      readOnly
        ? "--permission-mode default --disallowedTools Edit,Write,NotebookEdit"
        : `--permission-mode acceptEdits --add-dir ${REPORT_DIRECTORY}`,
      // It asks before it runs a command that has a variable in it, and here nobody can say yes.
      readOnly ? null : `--append-system-prompt "PROOFLINE_REPORT_FILE is $PROOFLINE_REPORT_FILE"`,
      ...(mcp === null
        ? []
        : [
            `--mcp-config ${shellQuote(JSON.stringify({ mcpServers: { [SERVER]: { type: "stdio", ...mcp } } }))}`,
            `--allowedTools ${shellQuote(`mcp__${SERVER}__*`)}`
          ]),
      modelFlag("--model", model)
    ),
  env: (user) => ({
    // By default it tries a refused key for more than 100 s.
    ...(user["CLAUDE_CODE_MAX_RETRIES"] === undefined ? { CLAUDE_CODE_MAX_RETRIES: "2" } : {}),
    // Set when Proofline is started from a session of Claude Code; the client then refuses to start another one.
    CLAUDECODE: undefined,
    CLAUDE_CODE_ENTRYPOINT: undefined
  }),
  read: (stdout) => {
    const result = lines(stdout, ClaudeResult).at(-1)
    const session = sessionIn(stdout, "session_id")
    if (result === undefined) return { text: null, failure: null, usage: null, session }
    const text = result.result ?? null
    const usage = usageOf(
      figures(result, "usage.input_tokens", "usage.cache_creation_input_tokens", "usage.cache_read_input_tokens"),
      figures(result, "usage.output_tokens"),
      figures(result, "total_cost_usd")
    )
    // With `is_error` the result text is the error message. `subtype` says "success" even then.
    return result.is_error === true
      ? {
          text: null,
          failure: { status: result.api_error_status ?? null, message: text ?? "", ...untilOf(stdout) },
          usage,
          session
        }
      : { text, failure: null, usage, session }
  }
}

const CodexMessage = Schema.Struct({
  type: Schema.Literal("item.completed"),
  item: Schema.Struct({ type: Schema.Literal("agent_message"), text: Schema.String })
})
const CodexFailed = Schema.Struct({
  type: Schema.Literal("turn.failed"),
  error: Schema.Struct({ message: Schema.String })
})

/** What is read from a cache is part of `input_tokens`. */
const CodexCompleted = Schema.Struct({ type: Schema.Literal("turn.completed"), usage: Schema.Unknown })

/** Texts and lists of texts as TOML has them. */
const codexSetting = (name: string, value: string | ReadonlyArray<string>): string =>
  `-c ${shellQuote(`mcp_servers.${SERVER}.${name}=${JSON.stringify(value)}`)}`

const codex: Preset = {
  program: "codex",
  supports: ["model", "mcp", "steps", "tokens", "resume"],
  sumsUp: true,
  command: ({ mcp, model, readOnly, resume }) =>
    commandLine(
      "codex exec --json --skip-git-repo-check",
      readOnly ? "-s read-only" : `-s workspace-write --add-dir ${REPORT_DIRECTORY}`,
      ...(mcp === null
        ? []
        : [
            codexSetting("command", mcp.command),
            codexSetting("args", mcp.args),
            // it hands on no other variables than those it is told
            codexSetting("env_vars", ["PROOFLINE_TOKEN"]),
            codexSetting("default_tools_approval_mode", "approve")
          ]),
      modelFlag("-m", model),
      // its own command takes no option of the sandbox
      resumeFlag("resume", resume),
      "-"
    ),
  env: () => ({}),
  read: (stdout) => {
    const message = lines(stdout, CodexMessage).at(-1)
    // `error` lines are also written for a lost connection that is tried again; only this one is the end.
    const failed = lines(stdout, CodexFailed).at(-1)
    const completed = lines(stdout, CodexCompleted).at(-1)
    return {
      text: message?.item.text ?? null,
      failure: failed === undefined ? null : { status: null, message: failed.error.message },
      usage: usageOf(figures(completed, "usage.input_tokens"), figures(completed, "usage.output_tokens"), null),
      session: sessionIn(stdout, "thread_id")
    }
  }
}

/** The texts of the last unbroken run of text events: what was said after the last tool was used. */
const lastRun = (events: ReadonlyArray<{ readonly text: string | null }>, glue: string): string | null => {
  const last = events.findLastIndex((event) => event.text !== null)
  if (last < 0) return null
  const before = events.slice(0, last).findLastIndex((event) => event.text === null)
  return events
    .slice(before + 1, last + 1)
    .map((event) => event.text)
    .join(glue)
}

const GeminiResult = Schema.Struct({
  type: Schema.Literal("result"),
  status: Schema.optionalKey(Schema.String),
  error: Schema.optionalKey(Schema.Struct({ message: Schema.optionalKey(Schema.String) })),
  stats: Schema.optionalKey(Schema.Unknown)
})
const GeminiEvent = Schema.Struct({
  type: Schema.Literals(["message", "tool_use", "tool_result"]),
  role: Schema.optionalKey(Schema.String),
  content: Schema.optionalKey(Schema.String)
})

/** What it thought is part of the total alone. */
const geminiUsage = (result: unknown): Usage | null => {
  const total = figures(result, "stats.total_tokens")
  const input = figures(result, "stats.input_tokens")
  const output = figures(result, "stats.output_tokens")
  return usageOf(input, total === null ? output : Math.max(total - (input ?? 0), output ?? 0), null)
}

const gemini: Preset = {
  program: "gemini",
  supports: ["model", "mcp", "steps", "tokens", "resume"],
  command: ({ model, readOnly, resume }) =>
    commandLine(
      "gemini --output-format stream-json",
      // Without somebody to ask, the default mode offers no tool that writes or runs anything.
      readOnly ? "--approval-mode default" : "--approval-mode yolo",
      modelFlag("-m", model),
      resumeFlag("--resume", resume)
    ),
  // In a folder it does not trust it refuses to run unattended.
  env: (user) => (user["GEMINI_CLI_TRUST_WORKSPACE"] === undefined ? { GEMINI_CLI_TRUST_WORKSPACE: "true" } : {}),
  offer: async (offering) => (await import("./geminiHome.ts")).geminiHome(offering),
  read: (stdout) => {
    const result = lines(stdout, GeminiResult).at(-1)
    const said = lines(stdout, GeminiEvent).map(({ type, role, content }) => ({
      text: type === "message" && role === "assistant" ? (content ?? "") : null
    }))
    return {
      // The text comes in pieces.
      text: lastRun(said, ""),
      failure: result?.status === "error" ? { status: null, message: result.error?.message ?? "" } : null,
      usage: geminiUsage(result),
      session: sessionIn(stdout, "session_id")
    }
  }
}

const OpencodeEvent = Schema.Struct({
  type: Schema.Literals(["text", "tool_use", "step_start", "step_finish"]),
  part: Schema.optionalKey(
    Schema.Struct({
      text: Schema.optionalKey(Schema.String),
      tokens: Schema.optionalKey(Schema.Unknown),
      cost: Schema.optionalKey(Schema.Unknown)
    })
  )
})
const decodeObject = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))
const OpencodeError = Schema.Struct({
  type: Schema.Literal("error"),
  error: Schema.Struct({
    name: Schema.optionalKey(Schema.String),
    data: Schema.optionalKey(
      Schema.Struct({ message: Schema.optionalKey(Schema.String), statusCode: Schema.optionalKey(Schema.Number) })
    )
  })
})

/** Its agent `plan` still runs every command. The rules of this variable come last, also for its helpers. */
const opencodeReadOnly = (permission: string | undefined): string => {
  const {
    edit: _edit,
    bash: _bash,
    ...others
  } = Option.getOrElse(decodeObject(permission), (): Readonly<Record<string, unknown>> => ({}))
  return JSON.stringify({ ...others, edit: "deny", bash: "deny" })
}

/**
 * The settings beside the files of the user, which it merges. What the user has set here stays; what cannot be read, e.g.
 * for its comments, stays as it is, and no server is offered then.
 */
const opencodeSettings = (set: string | undefined, mcp: McpCommand | null): string | undefined => {
  // what it would have to ask for is refused; by default it ends there, without an answer and with exit code 0
  const own =
    set === undefined ? { experimental: { continue_loop_on_deny: true } } : Option.getOrNull(decodeObject(set))
  if (own === null) return set
  if (mcp === null) return set ?? JSON.stringify(own)
  const others = (own as { readonly mcp?: object }).mcp
  const server = { type: "local", command: [mcp.command, ...mcp.args], enabled: true }
  return JSON.stringify({ ...own, mcp: { ...others, [SERVER]: server } })
}

const opencode: Preset = {
  program: "opencode",
  supports: ["model", "mcp", "steps", "tokens", "cost", "resume"],
  command: ({ model, readOnly, resume }) =>
    commandLine(
      "opencode run --format json",
      readOnly ? "--agent plan" : null,
      modelFlag("-m", model),
      resumeFlag("--session", resume)
    ),
  env: (user, { mcp, readOnly }) => ({
    OPENCODE_CONFIG_CONTENT: opencodeSettings(user["OPENCODE_CONFIG_CONTENT"], mcp),
    ...(readOnly ? { OPENCODE_PERMISSION: opencodeReadOnly(user["OPENCODE_PERMISSION"]) } : {})
  }),
  read: (stdout) => {
    const error = lines(stdout, OpencodeError).at(-1)?.error
    const events = lines(stdout, OpencodeEvent)
    const said = events.map(({ type, part }) => ({ text: type === "text" ? (part?.text ?? "") : null }))
    return {
      text: lastRun(said, "\n"),
      failure:
        error === undefined
          ? null
          : {
              status: error.name === "ProviderAuthError" ? 401 : (error.data?.statusCode ?? null),
              message: error.data?.message ?? ""
            },
      session: sessionIn(stdout, "sessionID"),
      // one for every step
      usage: usageSum(
        events
          .filter(({ type }) => type === "step_finish")
          .map(({ part }) =>
            usageOf(
              figures(part, "tokens.input", "tokens.cache.read", "tokens.cache.write"),
              figures(part, "tokens.output", "tokens.reasoning"),
              figures(part, "cost")
            )
          )
      )
    }
  }
}

export const presets: Readonly<Record<PresetName, Preset>> = { claude, codex, gemini, opencode }
