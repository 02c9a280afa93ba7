import { stripVTControlCharacters } from "node:util"
import type { AttemptError } from "@proofline/kernel"
import { waitNamed, waitUntil } from "./wait.ts"

/** What a client says of its own failure, in fields of its own, or an interface over HTTP with its answer. */
export interface ClientFailure {
  /** HTTP status of the provider; null when it was not told. */
  readonly status: number | null
  readonly message: string
  /** When it can be used again, in ms since 1970, where it has a field for that. */
  readonly until?: number
  /** What keeps it for now, where that is known and need not be read out of the message. */
  readonly transient?: Transient
  /** What is wrong in our own words, which hold nothing secret. */
  readonly told?: string
  /** It ended before it was done: how it ended says more. */
  readonly hasEnded?: true
}

/** Everything the classification looks at. */
export interface EndFacts {
  readonly agent: string
  readonly ended_by: "itself" | "timeout" | "idle"
  readonly exit_code: number | null
  readonly signal: string | null
  readonly timeout_ms: number
  readonly idle_timeout_ms: number | null
  readonly has_answer: boolean
  readonly stdout: string
  readonly stderr: string
  /** Null for a command agent, and for a client that did not fail. */
  readonly client: ClientFailure | null
  /** Ms since 1970. */
  readonly now: number
}

type Terminal = "agent_credentials" | "agent_quota"
type Transient = "agent_overloaded" | "agent_network"

/** Up to this wait, in ms, a transient error is waited for; after a longer one somebody else is asked, or the run stops. */
const LONGEST_WAIT = 10 * 60_000

/** A client complains at the end. What stands further up is the agent's work and may speak of anything. */
const LAST_LINES = 10
/** Of a line, in characters: a complaint is near its start, and a line may be megabytes long. */
const LINE_START = 2_000

const anyOf = (...patterns: ReadonlyArray<string>): string => `(?:${patterns.join("|")})`

const CREDENTIALS = anyOf(
  "(?:invalid|incorrect|missing) (?:x-)?api[ -]?key",
  "(?:x-)?api[ -]?key (?:is )?(?:invalid|not valid|expired|missing)",
  "no api[ -]?key (?:found|set|provided)",
  "not (?:currently )?logged in",
  "please run /login",
  "please set an auth method.*",
  "invalid auth method selected",
  "when using gemini api, you must specify the gemini_api_key.*",
  "failed to authenticate",
  "oauth token (?:has )?(?:expired|been revoked)",
  "authentication_error",
  "invalid_api_key"
)

const QUOTA = anyOf(
  "(?:(?:claude|claude ai|your) )?(?:usage|session|weekly|5-hour) limit reached",
  "you(?:['’]ve| have) (?:hit|reached|exceeded) your (?:[\\w-]+ ){0,2}(?:limit|quota)",
  "you exceeded your current quota",
  "you have exhausted your (?:[\\w-]+ )?(?:capacity|quota)",
  "you(?:['’]re| are) out of (?:extra )?(?:usage|credits)",
  "(?:your )?credit balance is too low",
  "quota (?:exceeded|exhausted)",
  "(?:monthly |daily )?usage limit (?:exceeded|reached)",
  "insufficient[_ ]quota",
  "billing_error"
)

const OVERLOADED = anyOf(
  "overloaded",
  "rate[ _-]?limit(?:ed|s)?\\b",
  "too many requests",
  "resource[ _](?:has been )?exhausted",
  "(?:is )?at capacity",
  "service (?:is )?(?:temporarily )?unavailable",
  "internal[ _]server[ _]error",
  "bad gateway",
  "gateway time-?out",
  "try again later",
  "\\b(?:status|error|http)\\W+(?:code\\W+)?(?:408|429|5\\d\\d)\\b"
)

const NETWORK = anyOf(
  "\\bE(?:CONNREFUSED|CONNRESET|CONNABORTED|NOTFOUND|AI_AGAIN|TIMEDOUT|HOSTUNREACH|NETUNREACH|PIPE)\\b",
  "connection (?:error|refused|reset|closed|timed out|terminated)",
  "(?:unable|failed|could not|cannot) to? ?(?:connect|reach)\\b",
  "fetch failed",
  "network (?:error|failure|is unreachable)",
  "socket hang up",
  "stream disconnected",
  "error sending request",
  "getaddrinfo",
  "dns error",
  "request timed out"
)

/** What clients and their libraries put before the sentence itself. */
const PREFIX = `^\\W*(?:${anyOf(
  "fatal",
  "error",
  "api[ _]error",
  "error code",
  "http(?:/[\\d.]+)?",
  "(?:unexpected |last )?status(?: code)?",
  "failed to authenticate",
  "(?:\\w+\\.)*(?:Authentication|APIStatus|RateLimit|API|ProviderAuth|TerminalQuota)Error"
)}\\b[\\W_]*(?:[45]\\d\\d\\b\\W+)?)*`

/** Not a word more in the same breath: "Invalid API key handling is tested now" is work, "Invalid API key." is not. */
const END_OF_PHRASE = "(?=$|\\s*[^\\w\\s]|\\s+(?:provided|resets|try|upgrade|please|to access|on this)\\b)"

/** A status stands alone or is followed by its name: "401 tests passed" is no refusal. */
const REFUSED = "(?:401|403)(?=\\s*$|\\s*[:{\"'(·.-]|\\s+(?:unauthorized|forbidden|invalid|incorrect|authentication))"
const UNPAID = "402(?=\\s*$|\\s*[:{\"'(·.-]|\\s+payment)"

const typedField = (...values: ReadonlyArray<string>): string =>
  `["'](?:type|code)["']\\s*:\\s*["']${anyOf(...values)}["']`

/** For a line of output: the sentence of a client has to begin it, or to be a field of the provider's error body. */
const lineRules: ReadonlyArray<readonly [Terminal, RegExp]> = [
  ["agent_quota", new RegExp(`${PREFIX}${anyOf(QUOTA + END_OF_PHRASE, UNPAID)}`, "i")],
  ["agent_quota", new RegExp(typedField("insufficient_quota", "billing_error"), "i")],
  ["agent_credentials", new RegExp(`${PREFIX}${anyOf(CREDENTIALS + END_OF_PHRASE, REFUSED)}`, "i")],
  ["agent_credentials", new RegExp(typedField("authentication_error", "invalid_api_key"), "i")]
]

/** For the client's own error field, which is never prose: the sentence may stand anywhere. */
const fieldRules: ReadonlyArray<readonly [Terminal, RegExp]> = [
  ["agent_quota", new RegExp(QUOTA, "i")],
  ["agent_credentials", new RegExp(anyOf(CREDENTIALS, "\\b(?:status|error|http)\\W+(?:code\\W+)?(?:401|403)\\b"), "i")],
  ["agent_credentials", /\b(?:401 unauthorized|403 forbidden)\b/i],
  ["agent_credentials", /^missing environment variable: `\w*(?:key|token)\w*`/i]
]

const firstMatch = <C>(rules: ReadonlyArray<readonly [C, RegExp]>, text: string): C | null =>
  rules.find(([, pattern]) => pattern.test(text))?.[0] ?? null

/** The kinds of failure that no retry can help, as the client itself reports them; null for all others. */
export const terminalOfClient = ({ status, message }: ClientFailure): Terminal | null => {
  const said = firstMatch(fieldRules, message.slice(0, LINE_START))
  if (said !== null) return said
  if (status === 401 || status === 403) return "agent_credentials"
  return status === 402 ? "agent_quota" : null
}

const transientRules: ReadonlyArray<readonly [Transient, RegExp]> = [
  ["agent_network", new RegExp(NETWORK, "i")],
  ["agent_overloaded", new RegExp(OVERLOADED, "i")]
]

/** The kinds of failure for which nothing but the provider or the way to it is to blame, as the client reports them. */
export const transientOfClient = ({ message, status, transient }: ClientFailure): Transient | null => {
  if (transient !== undefined) return transient
  if (status !== null && (status === 408 || status === 429 || status >= 500)) return "agent_overloaded"
  return firstMatch(transientRules, message.slice(0, LINE_START))
}

const lastLines = (text: string): ReadonlyArray<string> =>
  stripVTControlCharacters(text)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
    .slice(-LAST_LINES)
    .map((line) => line.slice(0, LINE_START))

/** The same from what was printed; the last complaint decides. */
export const terminalOfOutput = (stderr: string, stdout: string): Terminal | null => {
  for (const line of [...lastLines(stdout), ...lastLines(stderr)].reverse()) {
    const found = firstMatch(lineRules, line)
    if (found !== null) return found
  }
  return null
}

/** 126 and 127 mean this only when the shell says so itself; a program may end with them for reasons of its own. */
const isNotFound = (exit_code: number | null, stderr: string): boolean =>
  (exit_code === 126 || exit_code === 127) && /^(?:\S*\/)?(?:sh|env): /.test(lastLines(stderr).at(-1) ?? "")

const terminal = (facts: EndFacts): Terminal | "agent_not_found" | null => {
  const byClient = facts.client === null ? null : terminalOfClient(facts.client)
  if (byClient !== null) return byClient
  if (facts.exit_code === 0 || facts.has_answer) return null
  if (isNotFound(facts.exit_code, facts.stderr)) return "agent_not_found"
  return terminalOfOutput(facts.stderr, facts.stdout)
}

const seconds = (ms: number): string => `${ms / 1000} s`

/** How long it says to wait, in ms; null: it does not say. */
const waitOf = ({ client, now, stderr, stdout }: EndFacts): number | null => {
  if (client?.until !== undefined) return waitUntil(client.until, now)
  const texts = client === null ? [...lastLines(stdout), ...lastLines(stderr)].reverse() : [client.message]
  return texts.map((text) => waitNamed(text.slice(0, LINE_START), now)).find((ms) => ms !== null) ?? null
}

const byProvider = (code: Terminal | Transient, facts: EndFacts): AttemptError => {
  const wait = code === "agent_credentials" ? null : waitOf(facts)
  const isTransient = code === "agent_overloaded" || code === "agent_network"
  const until =
    wait === null ? "" : ` It says to wait until ${new Date(facts.now + wait).toISOString().replace(/\.\d+/, "")}.`
  return {
    code,
    message: `${providerMessage(code, facts)}${until}`,
    terminal: !isTransient || (wait ?? 0) > LONGEST_WAIT,
    ...(isTransient ? { transient: true } : {}),
    ...(wait === null ? {} : { retry_after_ms: wait })
  }
}

const providerMessage = (code: Terminal | Transient, facts: EndFacts): string => {
  switch (code) {
    case "agent_overloaded":
      return `The provider of agent "${facts.agent}" is overloaded, or takes no more requests for now.`
    case "agent_network":
      return `Agent "${facts.agent}" cannot reach its provider.`
    case "agent_quota":
      return `The provider of agent "${facts.agent}" has no quota or credit left for it.`
    case "agent_credentials":
      return `The provider of agent "${facts.agent}" refuses its credentials. Log in with the agent's own program, or set its key, and try again.`
  }
}

const notFound = (facts: EndFacts): AttemptError => ({
  code: "agent_not_found",
  message: `The shell cannot run the command of agent "${facts.agent}" (exit code ${facts.exit_code}). Is the program installed, executable and on PATH?`,
  terminal: true
})

const unspoken = (agent: string, told: string): AttemptError => ({
  code: "agent_protocol",
  message: `Agent "${agent}": ${told}`,
  terminal: false
})

/**
 * Why an agent ended badly; null when it did not. Never quotes what the agent printed or how it was called: both may
 * hold secrets.
 */
export const attemptError = (facts: EndFacts): AttemptError | null => {
  if (facts.ended_by === "timeout") {
    const message = `Agent "${facts.agent}" was ended: not done within ${seconds(facts.timeout_ms)}.`
    return { code: "agent_timeout", message, terminal: false }
  }
  if (facts.ended_by === "idle") {
    const message = `Agent "${facts.agent}" was ended: no output for ${seconds(facts.idle_timeout_ms ?? 0)}.`
    return { code: "agent_idle", message, terminal: false }
  }
  const code = terminal(facts)
  if (code !== null) return code === "agent_not_found" ? notFound(facts) : byProvider(code, facts)
  const transient = facts.client === null ? null : transientOfClient(facts.client)
  if (transient !== null) return byProvider(transient, facts)
  // it was ended for that, and its signal or exit code is of our making
  if (facts.client?.told !== undefined && facts.client.hasEnded !== true)
    return unspoken(facts.agent, facts.client.told)
  if (facts.signal !== null) {
    const message = `Agent "${facts.agent}" was ended by ${facts.signal}.`
    return { code: "agent_signal", message, terminal: false }
  }
  if (facts.exit_code !== 0) {
    const message = `Agent "${facts.agent}" exited with code ${facts.exit_code}.`
    return { code: "agent_exit", message, terminal: false }
  }
  if (facts.client !== null) {
    if (facts.client.told !== undefined) return unspoken(facts.agent, facts.client.told)
    const message = `Agent "${facts.agent}" reported an error of its own.`
    return { code: "agent_exit", message, terminal: false }
  }
  return null
}
