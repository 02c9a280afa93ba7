import type { Revision, Scenario, Suite } from "./suite.ts"

/** One run of a suite. */
export interface Run {
  readonly suite: Suite
  readonly revision: Revision
  readonly transport: "HTTP" | "stdio"
  /** Proofline's own as it is, or with the tools, resources and prompts that the suite asks for. */
  readonly server: "own" | "fixture"
}

/** What the server is not meant to come through. */
interface Excuse {
  readonly reason: string
  readonly scenarios: ReadonlyArray<string>
  /** The runs it holds for; left out: all. */
  readonly on?: Partial<Run>
  /** The checks that fail, where the others of a scenario pass; left out: whichever. */
  readonly checks?: ReadonlyArray<string>
}

export const excuses: ReadonlyArray<Excuse> = [
  {
    reason:
      "A call is never cut off to be asked for again: it is answered as JSON, or on a stream that stays until the answer.",
    scenarios: ["server-sse-polling"]
  },
  {
    reason:
      "The extension io.modelcontextprotocol/tasks is optional and not offered: tools answer soon, and long work is in the log.",
    scenarios: [
      "tasks-lifecycle",
      "tasks-capability-negotiation",
      "tasks-wire-fields",
      "tasks-request-state-removal",
      "tasks-mrtr-input",
      "tasks-request-headers",
      "tasks-dispatch-and-envelope",
      "tasks-status-notifications",
      "tasks-required-task-error",
      "tasks-mrtr-composition"
    ]
  },
  {
    reason: "Elicitation came with 2025-06-18, whose scenarios are asked because the suites have none for 2025-03-26.",
    scenarios: ["tools-call-elicitation"],
    on: { revision: "2025-03-26", server: "fixture" }
  },
  {
    reason: "It is about the headers Host and Origin, which stdio does not have.",
    scenarios: ["dns-rebinding-protection"],
    on: { transport: "stdio" }
  },
  {
    reason: "It is about headers that repeat what the message says, which stdio does not have.",
    scenarios: ["http-header-validation"],
    on: { transport: "stdio" }
  },
  {
    reason: "It is about headers that repeat what the message says, which stdio does not have.",
    scenarios: ["http-custom-header-server-validation"],
    on: { transport: "stdio", server: "fixture" }
  },
  {
    reason: "These checks are about the status of HTTP, and headers; the errors themselves come over stdio too.",
    scenarios: ["server-stateless"],
    on: { transport: "stdio" },
    checks: [
      "sep-2575-http-server-meta-invalid-400",
      "sep-2575-http-server-unsupported-version-400",
      "sep-2575-http-server-header-mismatch-400",
      "sep-2575-missing-capability-http-400",
      "sep-2575-http-server-method-not-found-404-initialize",
      "sep-2575-http-server-method-not-found-404-ping",
      "sep-2575-http-server-method-not-found-404-logging-setlevel",
      "sep-2575-http-server-method-not-found-404-resources-subscribe",
      "sep-2575-http-server-method-not-found-404-resources-unsubscribe",
      "sep-2575-http-server-method-not-found-404"
    ]
  },
  {
    reason: "These checks call tools that only a server made for the suite has.",
    scenarios: ["server-stateless"],
    on: { server: "own" },
    checks: [
      "sep-2575-server-rejects-undeclared-capability",
      "sep-2575-missing-capability-http-400",
      "sep-2575-http-server-no-independent-requests-on-stream",
      "sep-2575-server-no-log-without-loglevel",
      "sep-2575-server-sends-prompts-list-changed-on-subscription",
      "sep-2575-server-sends-tools-list-changed-on-subscription"
    ]
  },
  {
    reason: "It calls a tool that only a server made for the suite has.",
    scenarios: [
      "tools-call-simple-text",
      "tools-call-image",
      "tools-call-audio",
      "tools-call-embedded-resource",
      "tools-call-mixed-content",
      "tools-call-error",
      "tools-call-with-progress",
      "json-schema-2020-12",
      "http-custom-header-server-validation"
    ],
    on: { server: "own" }
  },
  {
    reason: "It calls a tool or gets a prompt that logs or asks its client, as none of Proofline's does.",
    scenarios: [
      "tools-call-with-logging",
      "tools-call-sampling",
      "tools-call-elicitation",
      "elicitation-sep1034-defaults",
      "elicitation-sep1330-enums",
      "input-required-result-basic-elicitation",
      "input-required-result-basic-sampling",
      "input-required-result-basic-list-roots",
      "input-required-result-request-state",
      "input-required-result-multiple-input-requests",
      "input-required-result-multi-round",
      "input-required-result-missing-input-response",
      "input-required-result-non-tool-request",
      "input-required-result-result-type",
      "input-required-result-tampered-state",
      "input-required-result-capability-check",
      "input-required-result-ignore-extra-params"
    ],
    on: { server: "own" }
  },
  {
    reason: "It reads a resource that only a server made for the suite has.",
    scenarios: ["resources-read-text", "resources-read-binary", "resources-templates-read"],
    on: { server: "own" }
  },
  {
    reason: "It subscribes to a resource that only a server made for the suite has; over HTTP that is refused.",
    scenarios: ["resources-subscribe", "resources-unsubscribe"],
    on: { server: "own", transport: "HTTP" }
  },
  {
    reason: "It gets or completes a prompt that only a server made for the suite has.",
    scenarios: [
      "prompts-get-simple",
      "prompts-get-with-args",
      "prompts-get-embedded-resource",
      "prompts-get-with-image",
      "completion-complete"
    ],
    on: { server: "own" }
  }
]

const holdsFor = ({ on = {} }: Excuse, run: Run): boolean =>
  Object.entries(on).every(([name, value]) => run[name as keyof Run] === value)

/** The excuses of one scenario in one run. */
export const excusesOf = (run: Run, scenario: string): ReadonlyArray<Excuse> =>
  excuses.filter((excuse) => excuse.scenarios.includes(scenario) && holdsFor(excuse, run))

/** What is not as it should be: faults without an excuse, and excuses without a fault. */
export const complaintsAbout = (run: Run, { faults, isPassed, name }: Scenario): ReadonlyArray<string> => {
  const given = excusesOf(run, name)
  const failed = new Set(faults.map(({ check }) => check))
  const stale = given.flatMap(({ checks, reason }) =>
    checks === undefined
      ? isPassed
        ? [`It passes, and is excused: ${reason}`]
        : []
      : checks.filter((check) => !failed.has(check)).map((check) => `${check} passes, and is excused: ${reason}`)
  )
  if (given.some(({ checks }) => checks === undefined)) return stale
  const excused = given.flatMap(({ checks = [] }) => checks)
  const open = faults.filter(({ check }) => !excused.includes(check)).map(({ check, said }) => `${check}: ${said}`)
  const isEmpty = !isPassed && faults.length === 0
  return [...stale, ...open, ...(isEmpty ? ["Nothing of it was checked."] : [])]
}
