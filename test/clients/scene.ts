import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync } from "node:fs"
import { join, resolve } from "node:path"
import { type AgentRequest, type AgentRole, Agents } from "@proofline/kernel"
import type { AgentSpec, PresetName } from "@proofline/plugins/adapters/command-agent"
import { Effect } from "effect"
import { agentsOf, nobody, request } from "../plugins/command-agent/support.ts"
import { directory } from "../plugins/node-process/support.ts"
import { settings, userOf, withOnly } from "./clients.ts"
import { type Play, scriptedModel } from "./scriptedModel.ts"

/** A folder in which the clients were installed with npm. */
export const folder = process.env["PROOFLINE_TEST_CLIENTS"]
export const bin = resolve(folder ?? ".", "node_modules", ".bin")

export const LIMIT_MS = 120_000

export const JSON_ANSWER = '{"summary":"written by the scripted model"}'
export const SPOKEN = `All done.\n\n\`\`\`json\n${JSON_ANSWER}\n\`\`\`\n`
export const NO_ANSWER = "I am done."

/** More than a command line takes, and what a shell or a client may take for its own. */
export const PROMPT = [
  '# Task t-1: "It\'s" a `prompt`, größer als $HOME $(touch run-by-a-shell)',
  "@decorated /slash !bang #hash {prompt} %s \\n 日本語 🙂",
  ...Array.from({ length: 4_000 }, (_, line) => `line ${line} of a prompt that is long`),
  "The end of the prompt."
].join("\n")

/** One client of one user, with an empty project and a scripted model. */
export const scene = (
  client: PresetName,
  play: (root: string) => Play,
  spec: AgentSpec = { preset: client, model: settings[client].model },
  more: Readonly<Record<string, string>> = {}
) =>
  Effect.gen(function* () {
    const place = directory()
    const root = join(place, "project")
    mkdirSync(root)
    const model = yield* scriptedModel(play(root))
    const env = { ...userOf(client, bin, join(place, "home"), model.url), ...more }
    const ask = (role: AgentRole, stateDir = join(root, ".proofline", "state"), more: Partial<AgentRequest> = {}) =>
      withOnly(
        env,
        Effect.flatMap(Agents, (agents) =>
          agents.run("a", request({ role, prompt: PROMPT, timeout_ms: LIMIT_MS, run_id: place, ...more }), nobody)
        ).pipe(Effect.provide(agentsOf({ root, stateDir, agents: { a: spec } })))
      )
    return { place, root, model, env, ask }
  })

/**
 * Everything that runs with something of this place in its command line or its environment. What starts and watches programs
 * for this process lives as long as it does, with the environment of the first that it started.
 */
export const processesOf = (place: string): ReadonlyArray<string> =>
  execFileSync("ps", ["axeww", "-o", "pid=,command="], { encoding: "utf8", maxBuffer: 1e8 })
    .split("\n")
    .filter((line) => line.includes(place) && !/ proofline-(?:starter|watcher) /.test(line))

export const filesIn = (root: string): ReadonlyArray<string> =>
  readdirSync(root).filter((name) => name !== ".proofline")

export const TASKS = `tasks:
  - id: t-1
    name: Add numbers
    instruction: Write add() in src/add.py.
    checklist: ["add() adds"]
    validation: ["add() is there"]
`
const PASSED = {
  data: { judgment: "PASS", checks: [{ criterion: "add() is there", passed: true, details: "It is." }] }
}
const reportOf = (evidence: string) => ({
  task_id: "t-1",
  data: { summary: "add() is there.", checklist: [{ item: "add() adds", status: "done", evidence }] }
})

/**
 * What a model does that has nothing but the answers to go by. A client may ask it before the server has named its tools,
 * and may keep some of them back until they are looked for.
 */
export const reporting =
  (root: string): Play =>
  ({ result, tools, user, uses }) => {
    const isReview = user.includes("# Review of task")
    if (!isReview && uses === 0) {
      return { write: { path: join(root, "src/add.py"), content: "def add(a, b):\n    return a + b\n" } }
    }
    const tool = isReview ? "submit_review" : "complete_task"
    if (!tools.some((name) => name.endsWith(tool))) {
      const isKept = tools.includes("ToolSearch")
      return isKept ? { tool: "ToolSearch", input: { query: `select:mcp__proofline__${tool}` } } : { shell: "true" }
    }
    if (result.includes("Your report was taken.")) return { say: NO_ANSWER }
    if (isReview) return { tool, input: PASSED }
    const isTold = result.includes("checklist_evidence_line_out_of_range")
    return { tool, input: reportOf(isTold ? "src/add.py:1-2" : "src/add.py:40") }
  }

export const slow = `echo "$PROOFLINE_TASK_ID" > started\nwhile :; do sleep 1000; done\n`
