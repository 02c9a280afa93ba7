import { describe, expect, it } from "vitest"
import { project } from "../cli/proofline.ts"
import { serving } from "../cli/serveClient.ts"
import { servingFixture } from "./serving.ts"
import { conform, type Revision, type Scenario, scenariosOf } from "./suite.ts"

type Reasons = Readonly<Record<string, string>>

const because = (reason: string, ...scenarios: ReadonlyArray<string>): Reasons =>
  Object.fromEntries(scenarios.map((scenario) => [scenario, reason]))

/** What no server of Proofline is meant to come through, each with the reason. */
const notOffered: Readonly<Record<Revision, Reasons>> = {
  "2025-11-25": because(
    "A call is never cut off to be asked for again: it is answered as JSON, or on a stream that stays until the answer.",
    "server-sse-polling"
  ),
  "2026-07-28": because(
    "The extension io.modelcontextprotocol/tasks is optional and not offered: tools answer soon, and long work is in the log.",
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
  )
}

const inBoth: Reasons = {
  ...because(
    "It calls a tool that only a server made for the suite has.",
    "tools-call-simple-text",
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
    "tools-call-error",
    "tools-call-with-progress",
    "json-schema-2020-12"
  ),
  ...because(
    "It reads a resource that only a server made for the suite has.",
    "resources-read-text",
    "resources-read-binary",
    "resources-templates-read"
  ),
  ...because(
    "It gets a prompt that only a server made for the suite has.",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
    "completion-complete"
  )
}

/** What `proofline serve` as it is cannot come through besides, because the suite asks for what is its own. */
const itsOwn: Readonly<Record<Revision, Reasons>> = {
  "2025-11-25": {
    ...inBoth,
    ...because(
      "It calls a tool that logs or asks its client, as none of Proofline's does.",
      "tools-call-with-logging",
      "tools-call-sampling",
      "tools-call-elicitation",
      "elicitation-sep1034-defaults",
      "elicitation-sep1330-enums"
    ),
    ...because(
      "It subscribes to a resource that only a server made for the suite has.",
      "resources-subscribe",
      "resources-unsubscribe"
    )
  },
  "2026-07-28": {
    ...inBoth,
    ...because(
      "It calls a tool or gets a prompt that asks its client first, as none of Proofline's does.",
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
    ),
    ...because(
      "Some of it is tried with tools that only a server made for the suite has.",
      "server-stateless",
      "http-custom-header-server-validation"
    )
  }
}

/** What was neither passed nor excused, and what is excused though it passes by now. */
const expectConformance = (revision: Revision, scenarios: ReadonlyArray<Scenario>, excused: Reasons): void => {
  expect(scenarios.map(({ name }) => name).sort()).toEqual([...scenariosOf(revision)].sort())
  const failed = scenarios.filter(({ isPassed, name }) => !isPassed && !Object.hasOwn(excused, name))
  expect(Object.fromEntries(failed.map(({ faults, name }) => [name, faults]))).toEqual({})
  const passed = scenarios.filter(({ isPassed }) => isPassed).map(({ name }) => name)
  expect(Object.keys(excused).filter((name) => passed.includes(name))).toEqual([])
  expect(Object.keys(excused).filter((name) => !scenariosOf(revision).includes(name))).toEqual([])
}

describe.each(["2025-11-25", "2026-07-28"] as const)("given revision %s and the official suite", (revision) => {
  it("when it asks Proofline's server with its own tools, then every scenario passes that applies", async () => {
    const served = await servingFixture(project({}))
    expectConformance(revision, await conform(served, revision, project({})), notOffered[revision])
  })

  it("when it asks `proofline serve` as it is, then every scenario passes that needs nothing of the suite's own", async () => {
    const served = await serving(project({}))
    const excused = { ...notOffered[revision], ...itsOwn[revision] }
    expectConformance(revision, await conform(served, revision, project({})), excused)
  })
})
