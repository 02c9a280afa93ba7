import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { daily } from "../often.ts"
import { json, type ModelServer, modelServer, type Play, stream, streams } from "../plugins/language-models/server.ts"
import { withAgent } from "./agent.ts"
import { achieved, asked, expectReplay } from "./asked.ts"
import { bigTask, gitStage, logOf, ofType, writes } from "./chunkStage.ts"
import { afterwards, project, proofline } from "./proofline.ts"
import { plans, stage as requirementsStage } from "./requirementsStage.ts"

const key = "sk-cli-0123456789abcdefghij"

const serve = async (play: Play): Promise<ModelServer> => {
  const server = await modelServer(play)
  afterwards(server.close)
  return server
}

const block = (answer: object | string): string =>
  `Here it is:\n\n\`\`\`\n${typeof answer === "string" ? answer : JSON.stringify(answer)}\n\`\`\`\n`

/** Every file below a directory in which a text stands. */
const holding = (dir: string, text: string): ReadonlyArray<string> =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => Path.join(one.parentPath, one.name))
    .filter((file) => readFileSync(file, "latin1").includes(text))

const apis = ["openai", "anthropic"] as const
const specOf = (api: (typeof apis)[number], { url }: ModelServer) => ({
  api,
  model: "tiny",
  base_url: url,
  key_env: "MODEL_KEY"
})

/** Refuses the first request, and says the key in that; answers all others. */
const echoing = (api: (typeof apis)[number], answer: (prompt: string) => string): Play => {
  let isRefused = false
  return (response, asked) => {
    if (!isRefused) {
      isRefused = true
      return json(
        429,
        { error: { message: `Too many requests with ${key}` } },
        { "retry-after-ms": "1" }
      )(response, asked)
    }
    answering(api, answer)(response, asked)
  }
}

const answering =
  (api: (typeof apis)[number], answer: (prompt: string) => string): Play =>
  (response, asked) =>
    stream(streams[api](answer(asked.body.messages[0].content)))(response, asked)

describe.each(daily(apis, 2))("a model behind %s", (api) => {
  it("plans and verifies requirements, and its key is nowhere", async () => {
    const planned = new Set<string>()
    const server = await serve(
      echoing(api, (prompt) => {
        const [, requirement_id] = /"requirement_id": "([^"]+)"/.exec(prompt) ?? []
        if (requirement_id === undefined) {
          const plan = prompt.includes("wrote task_1") ? "plan-2.yaml" : "plan-1.yaml"
          planned.add(plan)
          return block(plans[plan])
        }
        const status = { requirement_id, met: true, evidence: "$ ls\nnotes" }
        return block({ requirement_status: [status], all_requirements_met: true })
      })
    )
    const config = { planner: "thinker", agents: { thinker: specOf(api, server) } }
    const dir = requirementsStage({ "proofline.yaml": JSON.stringify(config) })
    const run = ["run-requirements", "requirements.yaml", ...withAgent]
    const done = await achieved(run, dir, { MODEL_KEY: key })
    expect(done.data.status).toBe("completed")
    expect([...planned]).toEqual(["plan-1.yaml", "plan-2.yaml"])
    expect(server.asked.map(({ headers }) => headers.authorization ?? headers["x-api-key"])).toContain(
      api === "openai" ? `Bearer ${key}` : key
    )
    expect(holding(dir, "role: generate")).toEqual([])
    expect(done.stdout + done.stderr).not.toContain(key)
    expect(holding(dir, key)).toEqual([])
    await expectReplay(dir)
  })

  it("splits a task and reviews its parts, is recorded, and played without it", async () => {
    const server = await serve(
      answering(api, (prompt) =>
        prompt.includes("is_decomposable")
          ? block({
              is_decomposable: true,
              decomposition_reason: "two",
              subtasks: [1, 2].map((n) => ({
                prompt: `part ${n}`,
                dependencies: [],
                acceptance_criteria: [`${n} is there`]
              }))
            })
          : block({ judgment: "PASS", checks: [{ criterion: "1", passed: true, details: `by ${key}` }] })
      )
    )
    const config = { planner: "thinker", agents: { thinker: specOf(api, server), critic: specOf(api, server) } }
    const on = gitStage(
      { "task-001-sub-1": [writes("a.js")], "task-001-sub-2": [writes("b.js")] },
      { "proofline.yaml": JSON.stringify(config), ".gitignore": ".proofline\n" }
    )
    const how = ["chunk", bigTask, "--analyzer", "agent", "--reviewer", "critic", "--record"]
    const done = await achieved([...how, ...on.agent], on.dir, { MODEL_KEY: key })
    expect(done.data.status).toBe("completed")
    expect(on.calls().map(({ role }) => role)).toEqual(["work", "work"])
    const called = ofType(logOf(on.dir), "AGENT_CALLED").map(({ content }) => [content.role, content.agent])
    expect(called).toContainEqual(["analyze", "thinker"])
    expect(called).toContainEqual(["review", "critic"])
    expect(done.stdout + done.stderr).not.toContain(key)
    expect(holding(on.room, key)).toEqual([])
    await expectReplay(on.dir)
    const before = server.asked.length
    on.git("clean", "-fdq")
    const again = await achieved(["chunk", bigTask, "--analyzer", "agent", "--agent", "replay:last"], on.dir)
    expect(again.data.status).toBe("completed")
    expect(server.asked).toHaveLength(before)
  })
})

describe("a planner that cannot be asked", () => {
  it("is replaced by the agent that works", async () => {
    const dir = requirementsStage({
      "proofline.yaml": JSON.stringify({
        planner: "thinker",
        agents: { thinker: { model: "tiny", key_env: "MODEL_KEY" } }
      })
    })
    const done = await achieved(["run-requirements", "requirements.yaml", ...withAgent], dir, {
      MODEL_KEY: ""
    })
    expect(done.data.status).toBe("completed")
    expect(done.stderr).toContain("MODEL_KEY, which is not set")
  })
})

describe("a model that is to work", () => {
  const tasks = { tasks: [{ id: "a", name: "A", instruction: "Write it.", checklist: ["Add a.txt"] }] }
  const works = { command: "true" }
  const small = { model: "tiny", base_url: "http://127.0.0.1:9/v1" }
  it.each<[string, object, ReadonlyArray<string>]>([
    ["by the file", { agent: "small", agents: { small } }, []],
    ["by the command line", { agents: { small, works } }, ["--agent", "small"]],
    ["as a fallback", { agent: "works", fallback: ["small"], agents: { small, works } }, []],
    ["in a list", { agents: ["works", "small"] }, []]
  ])("is refused before anything begins, named %s", async (_, config, flags) => {
    const dir = project({ "proofline.yaml": JSON.stringify(config), "tasks.yaml": JSON.stringify(tasks) })
    const refused = await asked(["run", "tasks.yaml", ...flags], dir)
    expect(refused.code).toBe(2)
    if (!Array.isArray((config as { agents: unknown }).agents)) expect(refused.refused).toEqual(["agent_invalid"])
    expect(existsSync(Path.join(dir, ".proofline", "state", "proofline.db"))).toBe(false)
  })

  it("is not taken for the only agent", async () => {
    const dir = project({
      "proofline.yaml": JSON.stringify({ agents: { small } }),
      "tasks.yaml": JSON.stringify(tasks)
    })
    expect((await asked(["run", "tasks.yaml"], dir)).refused).toEqual(["agent_missing"])
    expect((await asked(["run", "tasks.yaml", "--agent", "auto"], dir, { PATH: "/nowhere" })).refused).toEqual([
      "no_agent_installed"
    ])
  })
})

describe("what a file says of a model", () => {
  it.each<[object, string]>([
    [{ model: "m", api_key: key }, "agent_key_literal"],
    [{ model: "m", key }, "agent_key_literal"],
    [{ model: "m", key_env: key }, "agent_key_env_invalid"],
    [{ model: "m", key_env: "A", key_file: "b" }, "agent_invalid"],
    [{ model: "m", base_url: `http://me:${key}@host/` }, "agent_url_invalid"],
    [{ model: "m", base_url: `http://host/?key=${key}` }, "agent_url_invalid"],
    [{ model: "m", base_url: "host" }, "agent_url_invalid"],
    [{ base_url: "http://host" }, "agent_invalid"],
    [{ preset: "claude", key_env: "A" }, "agent_invalid"],
    [{ command: "x", max_tokens: 5 }, "agent_invalid"]
  ])("is refused where it is %j: %s", async (small, code) => {
    const dir = project({
      "proofline.yaml": JSON.stringify({ agent: "works", agents: { small, works: { command: "true" } } })
    })
    const { code: exit, refused, stderr, stdout } = await asked(["validate", "proofline.yaml"], dir)
    expect(exit).toBe(2)
    expect(refused).toContain(code)
    expect(stdout + stderr).not.toContain(key)
  })
})

describe("agents", () => {
  it("lists models, how they are asked and for what, and asks them", async () => {
    const server = await serve((response, asked) =>
      asked.path.includes("chat")
        ? stream(streams.openai("proofline-hears-you"))(response, asked)
        : json(401, { error: { type: "authentication_error", message: `Wrong key ${key}` } })(response, asked)
    )
    const models = {
      small: { model: "tiny", base_url: server.url, key_file: "key.txt" },
      other: { model: "big", api: "anthropic", base_url: server.url, key_file: "key.txt" },
      unset: { model: "big", key_env: "NOT_SET_AT_ALL" }
    }
    const dir = project({ "proofline.yaml": JSON.stringify({ agents: models }), "key.txt": `${key}\n` })
    const { data, stderr, stdout } = await asked(["agents", "--ask"], dir, { PATH: "/usr/bin:/bin" })
    const found = Object.fromEntries(data.agents.map((one: { readonly name: string }) => [one.name, one]))
    const host = new URL(server.url).host
    expect(found["small"]).toMatchObject({
      kind: "model",
      driven_by: `language model tiny, OpenAI-compatible at ${host}`,
      roles: ["review", "analyze", "generate", "verify"],
      supports: ["steps", "tokens"],
      answers: true,
      problem: null
    })
    expect(found["other"]).toMatchObject({
      driven_by: `language model big, Anthropic Messages API at ${host}`,
      answers: false,
      problem: expect.stringContaining("refuses its credentials")
    })
    expect(found["unset"]).toMatchObject({ answers: null, problem: expect.stringContaining("NOT_SET_AT_ALL") })
    expect(stdout + stderr).not.toContain(key)
    const lines = await proofline(["agents"], dir, { PATH: "/usr/bin:/bin" })
    expect(lines.stdout).toContain("for review, analyze, generate, verify")
    rmSync(Path.join(dir, "key.txt"))
    writeFileSync(Path.join(dir, "key.txt"), "")
    expect((await proofline(["agents"], dir)).stdout).toMatch(/✗ small {2}The key file .* is empty\./)
  })
})
