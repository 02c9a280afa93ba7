import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { connect } from "./mcpClient.ts"
import { documentOf, project, proofline, start, until } from "./proofline.ts"
import { valid } from "./schemas.ts"
import { expectReplay, newestLog, newestRun, planOf, refused, submit } from "./sessionStage.ts"

const source = "src/auth.py"
const files = { [source]: "SALT = 'x'\n" }
const explored = { explored_files: [source], findings: [`${source}: there is no login`] }

const opened = async (dir: string, agent: string, ...flags: ReadonlyArray<string>) => {
  const finished = await proofline(["session", "open", "--agent", agent, ...flags, "--json"], dir)
  expect(finished.code, finished.stderr).toBe(0)
  expect(finished.stderr).toBe("")
  expect(valid("session.output", documentOf(finished))).toEqual([])
  return documentOf(finished).data as { run_id: string; session_id: string; token: string; expires_at: string }
}

/** Every file below in which these bytes are. */
const holding = (dir: string, text: string): ReadonlyArray<string> =>
  readdirSync(dir, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(Path.join(dir, name)).isFile())
    .filter((name) => readFileSync(Path.join(dir, name)).includes(text))

/** Everything an agent can ask for. */
const everything = [
  ["get_next_action", {}],
  ["get_my_task", {}],
  ["get_my_task_progress", {}],
  ["submit_phase", { data: explored }],
  ["check_write_target", { file_path: source }],
  ["complete_task", { task_id: "a", data: { summary: "x", checklist: [] } }],
  ["update_task_status", { task_id: "a", status: "in_progress" }],
  ["create_tasks", { tasks: [{ title: "x" }] }],
  ["report_completed", { result: "failed" }]
] as const

describe("session open", () => {
  it("given an agent, shows its token once and keeps only the hash of it", async () => {
    const dir = project(files)
    const shown = await proofline(["session", "open", "--agent", "ann"], dir)
    expect(shown.code, shown.stderr).toBe(0)
    const token = /Token, shown only here: (\S+)\n/.exec(shown.stdout)?.[1] ?? ""
    expect(token.length).toBeGreaterThanOrEqual(43)
    expect(shown.stdout.split(token).length).toBe(2)

    const server = await connect(dir)
    const said = await server.call("submit_phase", { data: explored, session_token: token })
    expect(said.ok, JSON.stringify(said.body)).toBe(true)
    // somebody looks while the server has everything open, and once more when it is gone
    expect(holding(dir, token)).toEqual([])
    await server.close()
    expect(holding(dir, token)).toEqual([])
    // an agent that knows its own token serves nothing in the name of a person
    const stolen = await proofline(["serve", "--port", "0", "--json"], dir, { PROOFLINE_TOKEN: token })
    expect(stolen.code).toBe(2)
    expect(documentOf(stolen).data.problems).toMatchObject([{ code: "token_of_session" }])
    for (const command of [["session", "list"], ["events"], ["history"], ["status"]]) {
      expect((await proofline(command, dir)).stdout).not.toContain(token)
    }
    const events = await newestLog(dir)
    expect(events.filter(({ event_type }) => event_type === "SESSION_OPENED")).toMatchObject([
      { content: { agent: "ann", token_sha256: createHash("sha256").update(token).digest("hex"), of_process: false } }
    ])
    await expectReplay(dir)
  })

  it.each([
    [["session", "open"], "usage_missing_option"],
    [["session", "open", "--agent", "ann", "--ttl", "soon"], "duration_invalid"],
    [["session", "revoke", "ses_x"], "session_run_missing"],
    [["answer", "yes"], "session_run_missing"]
  ])("given %j where nothing is, says what to do and makes nothing", async (args, code) => {
    const dir = project(files)
    const finished = await proofline([...args, "--json"], dir)
    expect(finished.code).toBe(2)
    expect(documentOf(finished).data.problems).toMatchObject([{ code, hint: expect.stringMatching(/\S/) }])
    expect(finished.stderr).not.toMatch(/\n\s+at /)
    expect(existsSync(Path.join(dir, ".proofline"))).toBe(false)
  })

  it.each([
    ["session", "open", "--agent", "a\nb"],
    ["mcp", "--agent", ""]
  ])("given an agent that cannot be called so, %s refuses it", async (...args) => {
    const dir = project(files)
    const finished = await proofline(args, dir)
    expect(finished).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("[agent_name_invalid]") })
    expect(existsSync(Path.join(dir, ".proofline"))).toBe(false)
  })
})

describe("session revoke", () => {
  it("given a token, refuses everything from then on, and nothing of it is recorded", async () => {
    const dir = project(files)
    const ann = await opened(dir, "ann")
    const server = await connect(dir)
    const as = { session_token: ann.token }
    expect((await server.call("submit_phase", { data: explored, ...as })).ok).toBe(true)
    const revoked = await proofline(["session", "revoke", ann.session_id, "--json"], dir)
    expect(revoked.code, revoked.stderr).toBe(0)
    expect(valid("session.output", documentOf(revoked))).toEqual([])
    const before = await newestLog(dir)
    for (const [tool, args] of everything) {
      const body = refused(await server.call(tool, { ...args, ...as }), "session_closed")
      expect(body.message).toContain("revoked")
    }
    expect(await newestLog(dir)).toEqual(before)
    // twice is once
    expect((await proofline(["session", "revoke", ann.session_id], dir)).stdout).toContain("is closed")
    expect(await newestLog(dir)).toEqual(before)
    await server.close()
    await expectReplay(dir)
  })
})

describe("session end", () => {
  it("given a connected client, tells it that the run is over, and the next server begins a new one", async () => {
    const dir = project(files)
    const server = await connect(dir, { args: ["--agent", "ann"] })
    await submit(server, explored, "READY_PLAN")
    await submit(server, planOf("auth", source, "login"), "READY_IMPL")
    const { run_id } = await newestRun(dir)
    const ended = await proofline(["session", "end", "--json"], dir)
    expect(ended.code, ended.stderr).toBe(0)
    expect(valid("session.output", documentOf(ended))).toEqual([])
    expect(await newestRun(dir)).toMatchObject({ run_id, status: "cancelled" })

    const next = (await server.call("get_next_action")).body
    expect(next).toMatchObject({ action: "report_completion", instruction: expect.stringContaining("ended") })
    expect(next).not.toHaveProperty("task")
    for (const [tool, args] of everything) {
      if (["get_next_action", "get_my_task", "get_my_task_progress", "report_completed"].includes(tool)) continue
      refused(await server.call(tool, args), "run_over")
    }
    expect((await server.call("check_write_target", { file_path: source })).body).toMatchObject({ allowed: false })
    const left = await server.call("report_completed", { result: "failed", summary: "A person ended it" })
    expect(left.ok, JSON.stringify(left.body)).toBe(true)
    await server.close()

    const another = await connect(dir)
    expect((await another.call("get_next_action")).body).toMatchObject({ phase: "EXPLORATION" })
    expect((await another.call("get_my_task_progress")).body).toEqual({ tasks: [] })
    const now = await newestRun(dir)
    expect(now.status).toBe("running")
    expect(now.run_id).not.toBe(run_id)
    await another.close()
    for (const run of [run_id, now.run_id]) {
      expect((await proofline(["replay", run, "--json"], dir)).code, run).toBe(0)
    }
  })
})

describe("what is shown of a session run", () => {
  const begun = async () => {
    const dir = project(files)
    const server = await connect(dir, { args: ["--agent", "ann"] })
    await submit(server, explored, "READY_PLAN")
    await submit(server, planOf("auth", source, "login", "logout"), "READY_IMPL")
    await server.call("create_tasks", {
      tasks: [
        { local_id: "text", title: "Write it down", parent_task_id: "auth" },
        { title: "Read it again", parent_task_id: "auth", dependencies: ["text"], assignee: "ben" }
      ]
    })
    await server.call("update_task_status", { task_id: "tsk_2", status: "in_progress" })
    await server.call("update_task_status", { task_id: "tsk_2", status: "blocked", reason: "No pen" })
    return { dir, server, run: (await newestRun(dir)).run_id }
  }

  it("is its phase and its tasks as agents see them, in status, as text and as data", async () => {
    const { dir, run, server } = await begun()
    const line = await proofline(["status"], dir)
    expect(line.stdout).toContain("READY_IMPL")
    expect(line.stdout).toContain("proofline mcp")
    expect(line.stdout).not.toContain("resume")
    const overview = documentOf(await proofline(["status", "--json"], dir))
    expect(valid("status.output", overview)).toEqual([])
    expect(overview.data.runs).toMatchObject([{ run_id: run, kind: "session", phase: "READY_IMPL" }])

    const tree = await proofline(["status", run], dir)
    const name = Path.basename(dir)
    expect(tree.stdout.split("\n")).toEqual([
      `${name} running 0/3, phase READY_IMPL`,
      `└── auth: Write login and logout in ${source}  todo  ann`,
      "    ├── tsk_2: Write it down  blocked  ann",
      "    └── tsk_3: Read it again  todo  ben",
      ""
    ])
    const document = documentOf(await proofline(["status", run, "--json"], dir))
    expect(valid("status.output", document)).toEqual([])
    expect(document.data).toMatchObject({
      phase: "READY_IMPL",
      tasks: [
        {
          id: "auth",
          status: "todo",
          assignee: "ann",
          subtasks: [
            { id: "tsk_2", status: "blocked", assignee: "ann" },
            { id: "tsk_3", status: "todo", assignee: "ben" }
          ]
        }
      ]
    })
    await server.close()
  })

  it("is drawn again by watch with every change until the run has ended", async () => {
    const { dir, run, server } = await begun()
    const watching = start(["watch", run, "--json"], dir)
    const ended = new Promise((resolve) => watching.on("close", resolve))
    let seen = ""
    watching.stdout?.on("data", (chunk) => (seen += chunk))
    const documents = () =>
      seen
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line))
    await until(() => documents().length > 0)
    await server.call("update_task_status", { task_id: "tsk_2", status: "in_progress" })
    await server.call("update_task_status", { task_id: "tsk_2", status: "done" })
    await until(() => documents().at(-1).data.tasks[0].subtasks[0].status === "done")
    expect((await proofline(["session", "end"], dir)).code).toBe(0)
    expect(await ended).toBe(0)
    for (const document of documents()) expect(valid("status.output", document)).toEqual([])
    expect(documents().at(-1).data.status).toBe("cancelled")
    await server.close()
  })

  it("is refused by resume, which names the way to go on, and other runs are resumed as before", async () => {
    const { dir, run, server } = await begun()
    for (const args of [["resume"], ["resume", run]]) {
      const finished = await proofline([...args, "--json"], dir)
      expect(finished.code).toBe(2)
      expect(documentOf(finished).data.problems).toMatchObject([
        { code: "run_is_session", hint: expect.stringContaining("proofline mcp") }
      ])
    }
    const shown = await proofline(["history", "--show", run], dir)
    expect(shown.stdout).toContain("proofline mcp")
    expect(shown.stdout).not.toContain("resume")
    const document = documentOf(await proofline(["history", "--show", run, "--json"], dir))
    expect(valid("run.output", document)).toEqual([])
    await server.close()
    expect((await proofline(["session", "end"], dir)).code).toBe(0)
    const over = await proofline(["resume", run, "--json"], dir)
    expect(documentOf(over).data.problems).toMatchObject([{ code: "run_is_session" }])
    expect((await proofline(["history", "--show", run], dir)).stdout).not.toMatch(/resume|mcp/)
  })
})
