import { assert, describe, it } from "@effect/vitest"
import {
  attemptError,
  type EndFacts,
  terminalOfClient,
  terminalOfOutput,
  transientOfClient
} from "../../../packages/plugins/src/agents/failure.ts"

const ended = (facts: Partial<EndFacts>): EndFacts => ({
  agent: "a",
  ended_by: "itself",
  exit_code: 1,
  signal: null,
  timeout_ms: 90_000,
  idle_timeout_ms: 1_500,
  has_answer: false,
  stdout: "",
  stderr: "",
  client: null,
  now: Date.parse("2026-11-24T12:00:00Z"),
  ...facts
})

const codeOf = (facts: Partial<EndFacts>) => {
  const error = attemptError(ended(facts))
  return error === null ? null : `${error.code}${error.terminal ? "!" : ""}`
}

describe("a line of output", () => {
  it.each([
    "Invalid API key · Please run /login",
    "Not logged in · Please run /login",
    "Error: not logged in",
    "Please run /login",
    "error: Missing API key.",
    "Error: 401 Unauthorized",
    "401 Unauthorized",
    "API Error: 403 Forbidden",
    'API Error: 401 {"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}',
    "Failed to authenticate. API Error: 401 Invalid bearer token",
    "ERROR: unexpected status 401 Unauthorized: Missing bearer or basic authentication in header",
    "openai.AuthenticationError: Error code: 401 - {'error': {'message': 'Incorrect API key provided: x', 'code': 'invalid_api_key'}}",
    "Incorrect API key provided: sk-x. You can find your API key at the provider.",
    "[API Error: API key not valid. Please pass a valid API key.]",
    "Please set an Auth method in your settings.json or specify GEMINI_API_KEY",
    "Invalid auth method selected.",
    "When using Gemini API, you must specify the GEMINI_API_KEY environment variable.",
    "HTTP 401",
    "\u001b[31mError: Invalid API key\u001b[0m"
  ])("refuses credentials: %s", (line) => {
    assert.strictEqual(terminalOfOutput(line, ""), "agent_credentials")
    assert.strictEqual(terminalOfOutput("", `working\n${line}\n\n`), "agent_credentials")
  })

  it.each([
    "Claude AI usage limit reached|1749924000",
    "You've hit your usage limit. Upgrade to Pro or try again at 3 PM.",
    "You’ve hit your limit · resets 3pm",
    "ERROR: You've reached your weekly usage limit.",
    "Credit balance is too low",
    "Error: Your credit balance is too low to access the API. Please go to Plans & Billing.",
    "Error: insufficient_quota",
    "litellm.RateLimitError: RateLimitError: You exceeded your current quota, please check your plan",
    "Error code: 429 - {'error': {'message': 'x', 'type': 'insufficient_quota'}}",
    "Quota exceeded. Check your plan and billing details.",
    "402 Payment Required",
    "5-hour limit reached ∙ resets 3pm"
  ])("tells of a spent quota: %s", (line) => {
    assert.strictEqual(terminalOfOutput(line, ""), "agent_quota")
  })

  it.each([
    "Permission denied",
    "unauthorized",
    "The endpoint is unauthorized for guests now",
    "401 tests passed",
    "line 403 is too long",
    "Fixed the 401 Unauthorized response of the login page",
    "AssertionError: expected 200, got 401",
    "Error: expected status 401 but got 200",
    "Invalid API key handling is tested now",
    "Added a test for an invalid API key.",
    "Not logged in users are sent to /login",
    "I implemented the usage limit reached banner",
    "Quota exceeded banner added",
    "the user is not logged in",
    "error: permission denied: /etc/passwd",
    "npm ERR! code E401x",
    "429 Too Many Requests",
    "API Error: 500 Internal Server Error",
    "API Error: 429 rate_limit_error",
    "Error: connect ECONNREFUSED 127.0.0.1:4010",
    "port 401",
    "4010 files changed"
  ])("may be tried again: %s", (line) => {
    assert.isNull(terminalOfOutput(line, line))
  })

  it("counts only among the last ones", () => {
    const work = Array.from({ length: 10 }, (_, index) => `work ${index}`).join("\n")
    assert.strictEqual(terminalOfOutput(`Invalid API key\n${work.replace("work 0\n", "")}`, ""), "agent_credentials")
    assert.isNull(terminalOfOutput(`Invalid API key\n${work}`, ""))
  })

  it("may be megabytes long", () => {
    for (const piece of ["error: ", "a.", "!", "error 500 ", '"type": "', " "]) {
      assert.isNull(terminalOfOutput(`${piece.repeat(1_000_000)}x`, ""))
    }
  })
})

describe("a client's own error", () => {
  it.each([
    { status: 401, message: "", code: "agent_credentials" },
    { status: 403, message: "Request not allowed", code: "agent_credentials" },
    { status: 402, message: "", code: "agent_quota" },
    { status: 400, message: "Your credit balance is too low to access the API.", code: "agent_quota" },
    { status: 429, message: "You exceeded your current quota", code: "agent_quota" },
    { status: 403, message: "insufficient_quota", code: "agent_quota" },
    {
      status: null,
      message: "exceeded retry limit, last status: 401 Unauthorized, request id: x",
      code: "agent_credentials"
    },
    { status: null, message: "OAuth token has expired. Please run /login", code: "agent_credentials" },
    { status: null, message: "Missing environment variable: `OPENAI_API_KEY`.", code: "agent_credentials" },
    { status: null, message: "Missing environment variable: `EDITOR`.", code: null },
    { status: null, message: "exceeded retry limit, last status: 429 Too Many Requests", code: null },
    { status: 429, message: "Rate limited, slow down", code: null },
    { status: 500, message: "Internal server error", code: null },
    { status: null, message: "", code: null },
    { status: null, message: "Permission to edit the file was denied", code: null }
  ])("$status $message → $code", ({ status, message, code }) => {
    assert.strictEqual(terminalOfClient({ status, message }), code)
  })
})

describe("what keeps a client from its provider", () => {
  it.each([
    { status: 529, message: "API Error: 529 Overloaded", code: "agent_overloaded" },
    { status: 429, message: "Rate limited, slow down", code: "agent_overloaded" },
    {
      status: null,
      message: "exceeded retry limit, last status: 429 Too Many Requests",
      code: "agent_overloaded"
    },
    { status: null, message: "API Error: Internal server error", code: "agent_overloaded" },
    { status: null, message: "The selected model is at capacity. Please try another one.", code: "agent_overloaded" },
    { status: null, message: "API Error: Connection error.", code: "agent_network" },
    {
      status: null,
      message: "stream disconnected before completion: error sending request for url (http://x/)",
      code: "agent_network"
    },
    { status: null, message: "[API Error: exception TypeError: fetch failed sending request]", code: "agent_network" },
    { status: null, message: "Unable to connect. Is the computer able to access the url?", code: "agent_network" },
    { status: null, message: "connect ECONNREFUSED 127.0.0.1:4010", code: "agent_network" },
    { status: 400, message: "prompt is too long", code: null },
    { status: null, message: "Permission to edit the file was denied", code: null },
    { status: null, message: "", code: null }
  ])("$status $message → $code", ({ status, message, code }) => {
    assert.strictEqual(transientOfClient({ status, message }), code)
  })

  it.each([
    { name: "no wait is named", message: "API Error: 529 Overloaded", ms: undefined, terminal: false },
    { name: "a short one", message: "Rate limited. Please retry in 34.07s.", ms: 34_070, terminal: false },
    { name: "a long one", message: "Too many requests. Try again in 2 hours.", ms: 7_200_000, terminal: true }
  ])("is waited for unless that is too long: $name", ({ message, ms, terminal }) => {
    const error = attemptError(ended({ client: { status: 429, message } }))
    assert.deepStrictEqual(
      [error?.code, error?.transient, error?.retry_after_ms, error?.terminal],
      ["agent_overloaded", true, ms, terminal]
    )
  })

  it("is not told where it is none", () => {
    for (const until of [0, Number.NaN, 1e300, Number.POSITIVE_INFINITY]) {
      const error = attemptError(ended({ client: { status: 402, message: "", until } }))
      assert.strictEqual(error?.message, 'The provider of agent "a" has no quota or credit left for it.')
      assert.isUndefined(error?.retry_after_ms)
    }
  })

  it("is told with its time", () => {
    const message = "You've hit your session limit · resets 3:45pm (UTC)"
    const error = attemptError(ended({ client: { status: 429, message } }))
    assert.deepInclude(error, { code: "agent_quota", terminal: true, retry_after_ms: 13_500_000 })
    assert.include(error?.message, "until 2026-11-24T15:45:00Z")
    const until = Date.parse("2026-11-25T00:00:00Z")
    assert.include(attemptError(ended({ client: { status: 402, message, until } }))?.message, "2026-11-25T00:00:00Z")
  })
})

describe("the error of an attempt", () => {
  it.each<{ name: string; facts: Partial<EndFacts>; code: string | null }>([
    { name: "is none when it ended well", facts: { exit_code: 0 }, code: null },
    {
      name: "is none when it ended well, whatever it printed",
      facts: { exit_code: 0, stderr: "Invalid API key" },
      code: null
    },
    { name: "is the exit code", facts: { exit_code: 3 }, code: "agent_exit" },
    { name: "is the signal", facts: { exit_code: null, signal: "SIGSEGV" }, code: "agent_signal" },
    {
      name: "is the limit, whatever else",
      facts: { ended_by: "timeout", stderr: "Invalid API key" },
      code: "agent_timeout"
    },
    { name: "is the silence", facts: { ended_by: "idle", exit_code: 0 }, code: "agent_idle" },
    { name: "is terminal for credentials", facts: { stderr: "Invalid API key" }, code: "agent_credentials!" },
    { name: "is terminal for a quota", facts: { stdout: "Credit balance is too low" }, code: "agent_quota!" },
    {
      name: "is not terminal when there is an answer",
      facts: { stderr: "Invalid API key", has_answer: true },
      code: "agent_exit"
    },
    {
      name: "is a missing program",
      facts: { exit_code: 127, stderr: "sh: 1: agent: not found" },
      code: "agent_not_found!"
    },
    {
      name: "is a missing program in another shell's words",
      facts: { exit_code: 127, stderr: "sh: line 1: agent: command not found" },
      code: "agent_not_found!"
    },
    {
      name: "is a program that cannot be run",
      facts: { exit_code: 126, stderr: "sh: 1: ./agent: Permission denied" },
      code: "agent_not_found!"
    },
    {
      name: "is a missing interpreter",
      facts: { exit_code: 127, stderr: "/usr/bin/env: ‘node’: No such file or directory" },
      code: "agent_not_found!"
    },
    {
      name: "is the exit code when the program chose 127",
      facts: { exit_code: 127, stderr: "./agent.sh: 3: tool: not found" },
      code: "agent_exit"
    },
    { name: "is the exit code when 127 comes without a word", facts: { exit_code: 127 }, code: "agent_exit" },
    {
      name: "is what it was ended for",
      facts: {
        exit_code: null,
        signal: "SIGTERM",
        client: { status: null, message: "", told: "It speaks version 7." }
      },
      code: "agent_protocol"
    },
    {
      name: "is how it ended before it was done",
      facts: {
        exit_code: null,
        signal: "SIGSEGV",
        client: { status: null, message: "", told: "It ended.", hasEnded: true }
      },
      code: "agent_signal"
    },
    { name: "is what the client says", facts: { client: { status: 401, message: "" } }, code: "agent_credentials!" },
    {
      name: "is what the client says, even when it exits well",
      facts: { exit_code: 0, client: { status: 500, message: "" } },
      code: "agent_overloaded"
    }
  ])("$name", ({ facts, code }) => {
    assert.strictEqual(codeOf(facts), code)
  })

  it("never repeats what was printed", () => {
    const secret = "sk-secret-0123456789"
    for (const facts of [
      { stderr: `Incorrect API key provided: ${secret}` },
      { stdout: `Error: 401 Unauthorized ${secret}` },
      { exit_code: 127, stderr: `sh: 1: ${secret}: not found` },
      { client: { status: 401, message: secret } },
      { exit_code: 2, stderr: secret }
    ]) {
      const error = attemptError(ended(facts))
      assert.isNotNull(error)
      assert.notInclude(JSON.stringify(error), secret)
    }
  })

  it("speaks in seconds", () => {
    assert.strictEqual(
      attemptError(ended({ ended_by: "timeout" }))?.message,
      'Agent "a" was ended: not done within 90 s.'
    )
    assert.strictEqual(attemptError(ended({ ended_by: "idle" }))?.message, 'Agent "a" was ended: no output for 1.5 s.')
  })
})
