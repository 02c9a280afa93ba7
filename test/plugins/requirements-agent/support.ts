import {
  type ActivityFailure,
  type AgentRequest,
  type AgentResult,
  Agents,
  type AnyCommand,
  composePlugins,
  emptySnapshot,
  impl,
  type Plugin,
  UnknownAgent
} from "@proofline/kernel"
import {
  type AcceptanceCriterion,
  type GenerationRequest,
  type Requirement,
  type RequirementDefinition,
  requirementsRules,
  type VerificationRequest
} from "@proofline/plugins/policies/requirements"
import { BlobStore } from "@proofline/plugins/ports"
import { Effect, Layer, type Result } from "effect"
import { completed } from "../requirements/stage.ts"

export const criterion = (id: string, text: string, more: Partial<AcceptanceCriterion> = {}): AcceptanceCriterion => ({
  id,
  criterion: text,
  check: null,
  verify: null,
  ...more
})

export const requirement = (id: string, more: Partial<Requirement> = {}): Requirement => ({
  id,
  name: null,
  description: `What ${id} is about.`,
  acceptance_criteria: [criterion(`${id}.1`, `${id} works`)],
  priority: "required",
  ...more
})

export const definition = (
  requirements: ReadonlyArray<Requirement>,
  more: Partial<RequirementDefinition> = {}
): RequirementDefinition => ({
  name: "feature",
  context: "",
  requirements,
  constraints: [],
  generation: { generator: "agent", tasks: [] },
  verification: { verifier: "agent", trust_agent: false },
  ...more
})

/** A shop that counts its stock. */
export const stock = definition(
  [
    requirement("req_1", {
      name: "Import",
      description: "Stock is imported from CSV files.\nThe first line names the columns.",
      acceptance_criteria: [
        criterion("req_1.1", "A file with a header is read", { check: "npm test -- import" }),
        criterion("req_1.2", "A line with too few columns is refused with its number", {
          verify: "import test/short.csv and read the message"
        })
      ]
    }),
    requirement("req_2", { name: "Report", description: "A report lists what is low.", priority: "optional" })
  ],
  { name: "stock", context: "TypeScript on Node 24, no framework.\n", constraints: ["No new dependencies"] }
)

export const imported = completed("task_1", {
  title: "Read CSV files",
  summary: "Wrote the reader and its tests.",
  covers: ["req_1.1"],
  files: ["src/csv.ts", "test/csv.test.ts"],
  checks: ["npm test -- import"],
  items: [
    {
      item: "The header is read",
      verdict: "proven",
      evidence: "src/csv.ts:3-9",
      reason: null,
      receipt: null,
      weak: []
    }
  ]
})

export const generationRequest = (more: Partial<GenerationRequest> = {}): GenerationRequest => ({
  run_id: "run_1",
  iteration: 1,
  round: 1,
  ask: 1,
  requirements: stock,
  unmet: ["req_1.1", "req_1.2", "req_2.1"],
  completed_tasks: [],
  taken_ids: [],
  previous_feedback: null,
  former: null,
  agent: "command",
  root: "/project",
  timeout_ms: 1_000,
  idle_timeout_ms: null,
  ...more
})

export const verificationRequest = (more: Partial<VerificationRequest> = {}): VerificationRequest => ({
  run_id: "run_1",
  iteration: 1,
  round: 1,
  ask: 1,
  requirements: stock,
  requirement_id: "req_1",
  criteria: [],
  completed_tasks: [],
  former: null,
  agent: "command",
  root: "/project",
  timeout_ms: 1_000,
  idle_timeout_ms: null,
  ...more
})

/** How an agent ended: what it handed in, and what it printed. */
export interface Ended extends Partial<Omit<AgentResult, "stdout">> {
  readonly stdout?: string
}

/** Agents of which one, `command`, ends like this; what it was asked and what was kept are in the lists. */
export const world = (ended: Ended) => {
  const requests: Array<AgentRequest> = []
  const blobs: Array<string> = []
  const layer = Layer.mergeAll(
    Layer.succeed(Agents, {
      names: ["command"],
      run: (agent, request) => {
        requests.push(request)
        const { stdout = "", ...more } = ended
        return agent === "command"
          ? Effect.succeed({
              outcome: "COMPLETE",
              exit_code: 0,
              signal: null,
              duration_ms: 1,
              answer: null,
              stderr: new Uint8Array(),
              steps: new Uint8Array(),
              error: null,
              usage: null,
              ...more,
              stdout: new TextEncoder().encode(stdout)
            })
          : Effect.fail(new UnknownAgent({ agent, known: ["command"] }))
      }
    }),
    Layer.succeed(BlobStore, {
      put: (data) => {
        const text = typeof data === "string" ? data : new TextDecoder().decode(data)
        blobs.push(text)
        return Effect.succeed({ sha256: "0".repeat(64), bytes: Buffer.byteLength(text) })
      },
      get: () => Effect.die("nothing is read")
    })
  )
  return { requests, blobs, layer }
}

/** What the plugin's activity makes of a request, and what it had decided before. */
export const carryOut = <A>(plugin: Plugin, activity: string, input: unknown) => {
  const part = plugin[impl].parts.find((one) => one.kind === "activity" && one.name === activity)
  if (part?.kind !== "activity") throw new Error(`There is no ${activity}.`)
  const { state } = emptySnapshot(composePlugins([requirementsRules, plugin]))
  const dispatched: Array<unknown> = []
  const result = Effect.result(
    part.run(input, {
      item: {
        id: "i",
        run: "run_1",
        key: "k",
        kind: "activity",
        activity,
        task_id: null,
        input: input as never,
        ...labels
      },
      lease: 1,
      worker_id: "w",
      state,
      dispatch: (request) => {
        const command: AnyCommand = request
        // whether it is still waited for is asked first, and recorded nowhere
        if (command._tag !== "requirements.Begin") dispatched.push(command)
        return Effect.succeed(state)
      },
      until: () => Effect.die("nothing is waited for"),
      handsIn: Effect.void,
      drive: () => Effect.die("nothing is driven")
    })
  )
  return Effect.map(result, (result) => ({
    dispatched,
    result: result as unknown as Result.Result<A, ActivityFailure>
  }))
}

const labels = { is_subtask: false, labels: [], priority: 0, not_before: 0 } as const
