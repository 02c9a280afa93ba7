import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import * as Path from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { asked } from "./asked.ts"
import { caller, connect } from "./mcpClient.ts"
import { finish, project, proofline, start, until } from "./proofline.ts"
import { valid } from "./schemas.ts"
import {
  colours,
  expectReplay,
  explored,
  files,
  newestLog,
  newestRun,
  planOf,
  refused,
  source,
  submit
} from "./sessionStage.ts"

/** Every file below in which these bytes are. */
const holding = (dir: string, text: string): ReadonlyArray<string> =>
  readdirSync(dir, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(Path.join(dir, name)).isFile())
    .filter((name) => readFileSync(Path.join(dir, name)).includes(text))

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
    const stolen = await proofline(["serve", "--port", "0"], dir, { PROOFLINE_TOKEN: token })
    expect(stolen).toMatchObject({ code: 2, stderr: expect.stringContaining("[token_of_session]") })
    for (const command of [["session", "list"], ["events"], ["history"], ["status"]]) {
      expect((await proofline(command, dir)).stdout).not.toContain(token)
    }
    const events = await newestLog(dir)
    expect(events.filter(({ event_type }) => event_type === "SESSION_OPENED")).toMatchObject([
      { content: { agent: "ann", token_sha256: createHash("sha256").update(token).digest("hex"), of_process: false } }
    ])
    await expectReplay(dir)
    expect(await asked(["session", "open", "--agent", "ben"], dir)).toMatchObject({ code: 0, stderr: "" })
  })

  it("given what cannot be, or no run, says what to do and makes nothing, as all that need one", async () => {
    const dir = project(files)
    for (const [args, code] of [
      [["session", "open"], "usage_missing_option"],
      [["session", "open", "--agent", "ann", "--ttl", "soon"], "duration_invalid"],
      [["session", "open", "--agent", "a\nb"], "agent_name_invalid"],
      [["session", "revoke", "ses_x"], "session_run_missing"],
      [["session", "list"], "session_run_missing"],
      [["answer", "yes"], "session_run_missing"]
    ] as const) {
      const { code: ended, data, stderr } = await asked(args, dir)
      expect(ended, code).toBe(2)
      expect(data.problems).toMatchObject([{ code, hint: expect.stringMatching(/\S/) }])
      expect(stderr).not.toMatch(/\n\s+at /)
    }
    expect(existsSync(Path.join(dir, ".proofline"))).toBe(false)
  })
})

describe("the sessions of a run that goes on", () => {
  let dir: string
  let run: string
  let ann: Awaited<ReturnType<typeof caller>>
  beforeAll(async () => {
    dir = project(files)
    ann = await caller(dir, "ann")
    await submit(ann, explored, "READY_PLAN")
    await submit(ann, planOf("auth", source, "login", "logout"), "READY_IMPL")
    await ann.call("create_tasks", {
      tasks: [
        { local_id: "text", title: "Write it down", parent_task_id: "auth" },
        { title: "Read it again", parent_task_id: "auth", dependencies: ["text"], assignee: "ben" }
      ]
    })
    await ann.call("update_task_status", { task_id: "tsk_2", status: "in_progress" })
    await ann.call("update_task_status", { task_id: "tsk_2", status: "blocked", reason: "No pen" })
    run = (await newestRun(dir)).run_id
  })

  it("are shown with its phase and its tasks as agents see them, in status, as text and as data", async () => {
    const line = (await proofline(["status"], dir)).stdout
    for (const word of ["READY_IMPL", "proofline mcp"]) expect(line).toContain(word)
    expect(line).not.toContain("resume")
    const { runs } = (await asked(["status"], dir)).data
    expect(runs).toMatchObject([{ run_id: run, kind: "session", phase: "READY_IMPL" }])
    expect((await proofline(["status", run], dir)).stdout.split("\n")).toEqual([
      `${Path.basename(dir)} running 0/3, phase READY_IMPL`,
      `└── auth: Write login and logout in ${source}  todo  ann`,
      "    ├── tsk_2: Write it down  blocked  ann",
      "    └── tsk_3: Read it again  todo  ben",
      ""
    ])
    const subtasks = [
      { id: "tsk_2", status: "blocked", assignee: "ann" },
      { id: "tsk_3", status: "todo", assignee: "ben" }
    ]
    expect((await asked(["status", run], dir)).data).toMatchObject({
      phase: "READY_IMPL",
      tasks: [{ id: "auth", status: "todo", assignee: "ann", subtasks }]
    })
  })

  it("are no runs that resume takes up, which names the way to go on", async () => {
    for (const args of [["resume"], ["resume", run]]) {
      const hint = expect.stringContaining("proofline mcp")
      const problems = [{ code: "run_is_session", hint }]
      expect(await asked(args, dir)).toMatchObject({ code: 2, data: { problems } })
    }
    const shown = await proofline(["history", "--show", run], dir)
    expect(shown.stdout).toContain("proofline mcp")
    expect(shown.stdout).not.toContain("resume")
    await asked(["history", "--show", run], dir)
  })

  it("are listed with who was heard when; one that is revoked is refused at once, and that is recorded once", async () => {
    const cid = await caller(dir, "cid")
    expect(await asked(["session", "revoke", cid.session_id], dir)).toMatchObject({ code: 0 })
    const before = await newestLog(dir)
    expect(refused(await cid.call("get_next_action"), "session_closed").message).toContain("revoked")
    const again = await proofline(["session", "revoke", cid.session_id], dir)
    expect(again).toEqual({ code: 0, stdout: `Session ${cid.session_id} is closed.\n`, stderr: "" })
    expect(await newestLog(dir)).toEqual(before)
    const unknown = await asked(["session", "revoke", "ses_x"], dir)
    expect(unknown).toMatchObject({ code: 2, refused: ["session_unknown"] })

    const at = "\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d"
    const [title, ...lines] = (await proofline(["session", "list"], dir)).stdout.split("\n")
    expect(title).toBe(`${run}, phase READY_IMPL`)
    expect(lines).toEqual([
      expect.stringMatching(new RegExp(`^  ${ann.session_id}  ann  open  last heard ${at}  until ${at}$`)),
      expect.stringMatching(new RegExp(`^  ${cid.session_id}  cid  closed \\(revoked\\)  last heard ${at}$`)),
      ""
    ])
    const { sessions } = (await asked(["session", "list"], dir)).data
    expect(sessions).toMatchObject([
      { session_id: ann.session_id, status: "open" },
      { session_id: cid.session_id, status: "closed", reason: "revoked" }
    ])
  })

  it("are watched with every change until a person ends it; agents are told, and the next one begins another", async () => {
    const watching = start(["watch", run, "--json"], dir)
    const ended = finish(watching)
    let seen = ""
    watching.stdout?.on("data", (chunk) => (seen += chunk))
    const documents = () => seen.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]))
    await until(() => documents().length > 0)
    for (const status of ["in_progress", "done"]) await ann.call("update_task_status", { task_id: "tsk_2", status })
    await until(() => documents().at(-1).data.tasks[0].subtasks[0].status === "done")
    expect(await asked(["session", "end"], dir)).toMatchObject({ code: 0 })
    expect((await ended).code).toBe(0)
    for (const document of documents()) expect(valid("status.output", document)).toEqual([])
    expect(documents().at(-1).data.status).toBe("cancelled")

    expect((await ann.call("get_next_action")).body).toMatchObject({
      action: "report_completion",
      instruction: expect.stringContaining("ended")
    })
    refused(await ann.call("submit_phase", { data: explored }), "run_over")
    expect((await asked(["resume", run], dir)).refused).toEqual(["run_is_session"])
    expect((await proofline(["history", "--show", run], dir)).stdout).not.toMatch(/resume|mcp/)
    const next = await caller(dir, "ann")
    expect((await next.call("get_next_action")).body).toMatchObject({ phase: "EXPLORATION" })
    const now = await newestRun(dir)
    expect(now).not.toMatchObject({ run_id: run })
    for (const one of [run, now.run_id]) expect((await proofline(["replay", one], dir)).code, one).toBe(0)
  })
})

describe("answer", () => {
  it("given a question, shows it, refuses what was not asked for, and leads the agent on while its server runs", async () => {
    const dir = project({ ".proofline/phase_contract.yml": colours })
    const agent = await connect(dir)
    await submit(agent, { summary: "Red and green" }, "COLOUR")
    const own = refused(await agent.call("submit_phase", { data: { answer: "green" } }), "person_required")
    expect(own).toMatchObject({ needs_person: true, next_step: expect.stringContaining("proofline answer") })

    const question = await proofline(["answer"], dir)
    expect(question).toMatchObject({ code: 3, stderr: "" })
    for (const part of [
      "Which colour shall it be?\nIt cannot be changed later.\n",
      "  green: The agent reads it and goes on with PAINT.\n",
      "  red: The agent reads it and goes on with LOOK.\n",
      "Answer with `proofline answer red|green`;",
      // what the agent has said is what a person decides on
      "Red and green"
    ]) {
      expect(question.stdout).toContain(part)
    }
    expect(await asked(["answer"], dir)).toMatchObject({
      code: 3,
      data: {
        phase: "COLOUR",
        question: "Which colour shall it be?\nIt cannot be changed later.",
        expected: { answer: "red|green", "comment?": "str" }
      }
    })

    const before = await newestLog(dir)
    for (const [args, named] of [
      [["blue"], "red|green"],
      [["Green"], "red|green"],
      [[""], "red|green"],
      [["green", "--comment", "no"], "at least 5"]
    ] as const) {
      const { code, data, stderr } = await asked(["answer", ...args], dir)
      const [problem] = data.problems
      expect([code, problem.code]).toEqual([2, "answer_invalid"])
      expect(stderr).not.toMatch(/\n\s+at /)
      expect(`${problem.message} ${problem.hint}`).toContain(named)
    }
    expect(await newestLog(dir)).toEqual(before)

    const answered = await asked(["answer", "green", "--comment", "Dark green"], dir)
    expect(answered).toMatchObject({ code: 0, data: { phase: "PAINT" } })
    const payload = { answer: "green", comment: "Dark green" }
    expect((await agent.call("get_next_action")).body).toMatchObject({
      action: "submit_phase",
      phase: "PAINT",
      needs_person: false,
      last_submission: { phase: "COLOUR", payload }
    })
    // nobody is asked any more
    const none = { phase: "PAINT", question: null, expected: null }
    expect(await asked(["answer"], dir)).toMatchObject({ code: 0, data: none })
    expect((await proofline(["answer"], dir)).stdout).toContain("Nobody is asked anything")
    const late = await asked(["answer", "green"], dir)
    expect(late).toMatchObject({ code: 2, data: { problems: [{ code: "no_question" }] } })

    await submit(agent, { colour: "dark green" }, "DONE")
    expect((await agent.call("report_completed", { result: "success" })).body).toMatchObject({ action: "exit" })
    await agent.close()
    const byPerson = (await newestLog(dir)).find(({ content }) => content.by === "person")
    expect(byPerson.content).toMatchObject({ phase: "COLOUR", session_id: null, payload })
    await expectReplay(dir)
  })
})
