import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { documentOf, eventsOf, launcher, project, proofline } from "./proofline.ts"
import { repository } from "./sessionStage.ts"

const agent = fileURLToPath(new URL("attemptAgent.ts", import.meta.url))

interface Note {
  readonly role: string
  readonly task: string
  readonly tool?: string
  readonly ok?: boolean
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every kind
  readonly body?: any
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly stderr?: string
}

/** A project with an agent beside it that asks back, and what it noted. */
const stage = (moves: Readonly<Record<string, unknown>>, files: Readonly<Record<string, string>>) => {
  const room = project({ "moves.json": JSON.stringify(moves), notes: "" })
  const dir = project(files)
  const command = `'${process.execPath}' '${agent}' '${room}/moves.json' '${room}/notes'`
  return {
    dir,
    withAgent: ["--agent", "command", "--agent-command", command, "--retry-delay", "0s", "--json"],
    notes: (): ReadonlyArray<Note> =>
      readFileSync(Path.join(room, "notes"), "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line))
  }
}

const filesBelow = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => Path.join(parentPath, name))

const addition = { file: "src/add.py", text: "def add(a, b):\n    return a + b\n" }
const done = (evidence: string) => ({
  task_id: "%task",
  data: { summary: "add() is there.", checklist: [{ item: "add() adds", status: "done", evidence }] }
})

const tasks = `tasks:
  - id: t1
    name: Add numbers
    instruction: Write add() in src/add.py.
    checklist: ["add() adds"]
    checks: ["grep -q 'return a + b' src/add.py"]
    validation: ["add() is there"]
`

describe("an agent that is started by a run and asks back by MCP", () => {
  it("given a lie, then it is told so and tells the truth; a reviewer judges; the run is proven, and the token is kept nowhere", async () => {
    const on = stage(
      {
        work: [
          { tool: "get_next_action", args: {} },
          { tool: "check_write_target", args: { file_path: "../outside.py" } },
          { tool: "complete_task", args: done("src/add.py:1-2") },
          { tool: "complete_task", args: { ...done("src/add.py:1"), task_id: "t2" } },
          addition,
          { tool: "list_runs", args: {} },
          { tool: "submit_review", args: { data: { judgment: "PASS" } } },
          { tool: "report_completed", args: { result: "success" } },
          { tool: "complete_task", args: done("src/add.py:1-2") },
          { tool: "report_completed", args: { result: "success" } }
        ],
        review: [
          { tool: "complete_task", args: done("src/add.py:1-2") },
          { tool: "submit_review", args: { data: { judgment: "FINE" } } },
          {
            tool: "submit_review",
            args: {
              data: { judgment: "PASS", checks: [{ criterion: "add() is there", passed: true, details: "Yes." }] }
            }
          }
        ]
      },
      { "tasks.yaml": tasks }
    )
    const finished = await proofline(["run", "tasks.yaml", ...on.withAgent, "--reviewer", "command"], on.dir)
    const notes = on.notes()
    expect(finished.code, `${finished.stdout}${finished.stderr}${JSON.stringify(notes)}`).toBe(0)
    const said = (role: string) =>
      notes.flatMap(({ body, ok, role: by, tool }) =>
        by === role && tool !== undefined ? [`${tool} ${ok ? "ok" : body.error}`] : []
      )
    expect(said("work")).toEqual([
      "get_next_action ok",
      "check_write_target ok",
      "complete_task payload_mismatch",
      "complete_task task_not_yours",
      "list_runs operator_only",
      "submit_review wrong_role",
      "report_completed report_missing",
      "complete_task ok",
      "report_completed ok"
    ])
    expect(said("review")).toEqual(["complete_task wrong_role", "submit_review payload_mismatch", "submit_review ok"])
    const [first, outside, refused] = notes.flatMap(({ body }) => (body === undefined ? [] : [body]))
    expect(first).toMatchObject({ action: "work", task: { task_id: "t1", checklist: [{ item: "add() adds" }] } })
    expect(outside).toMatchObject({ allowed: false, code: "outside_root" })
    expect(refused.failures).toMatchObject([{ key: "checklist_evidence_file_not_found", item: "add() adds" }])

    // what was refused at the door left no trace: one attempt, judged once, by the report that was taken
    const { run_id, tasks: ended } = documentOf(finished).data
    expect(ended).toMatchObject([{ id: "t1", status: "completed", attempts: 1 }])
    const events = await eventsOf(run_id, on.dir)
    const ofType = (type: string) => events.filter(({ event_type }) => event_type === type)
    expect(ofType("CHECKLIST_ITEM_REJECTED")).toEqual([])
    expect(ofType("CHECKLIST_REPORTED").map(({ content }) => content.summary)).toEqual(["add() is there."])
    expect(ofType("QUALITY_JUDGMENT").map(({ content }) => content.judgment)).toEqual(["PASS"])
    expect((await proofline(["verify", run_id], on.dir)).code).toBe(0)
    expect((await proofline(["replay", run_id], on.dir)).code).toBe(0)

    // the contract, and nothing beside it and what the program was started with itself
    const tokens = notes.flatMap(({ env }) => (env === undefined ? [] : [env["PROOFLINE_TOKEN"] ?? ""]))
    expect(tokens).toEqual([expect.stringMatching(/^att_/), expect.stringMatching(/^att_/)])
    expect(new Set(tokens).size).toBe(2)
    const given = Object.keys(notes[0]?.env ?? {}).filter((name) => process.env[name] === undefined)
    expect(given.toSorted()).toEqual([
      "PROOFLINE_ATTEMPT",
      "PROOFLINE_COMMAND",
      "PROOFLINE_PROMPT_FILE",
      "PROOFLINE_REPORT_FILE",
      "PROOFLINE_ROLE",
      "PROOFLINE_ROOT",
      "PROOFLINE_RUN_ID",
      "PROOFLINE_STATE",
      "PROOFLINE_TASK_ID",
      "PROOFLINE_TOKEN",
      "PROOFLINE_USAGE_FILE"
    ])
    const spoken = `${JSON.stringify(events)}${finished.stdout}${finished.stderr}${notes.map(({ stderr }) => stderr ?? "")}`
    for (const token of tokens) {
      const proof = token.split(".")[1] ?? token
      expect(spoken).not.toContain(proof)
      for (const file of filesBelow(on.dir)) expect(readFileSync(file, "latin1").includes(proof), file).toBe(false)
    }
  })
})

const analysis = JSON.stringify({
  is_decomposable: true,
  decomposition_reason: "Two files.",
  subtasks: ["one", "two"].map((name) => ({
    prompt: `Write ${name}.py`,
    dependencies: [],
    acceptance_criteria: ["add() adds"]
  }))
})

describe("given an agent without an MCP client, in a worktree of its own", () => {
  it("asks back by `proofline call` from where it works", async () => {
    const room = project({ "analysis.json": analysis })
    const dir = repository({ "readme.md": "Nothing yet.\n", ".gitignore": ".proofline\n" })
    writeFileSync(
      Path.join(room, "agent.sh"),
      `case "$PROOFLINE_ROLE" in
analyze) cat '${room}/analysis.json' > "$PROOFLINE_REPORT_FILE" ;;
review) echo '{"judgment": "PASS"}' > "$PROOFLINE_REPORT_FILE" ;;
*)
  printf 'def add(a, b):\\n    return a + b\\n' > "$PROOFLINE_TASK_ID.py"
  for lines in 1-9 1-2; do
    '${process.execPath}' '${launcher}' call complete_task "{\\"task_id\\": \\"$PROOFLINE_TASK_ID\\", \\"data\\": {\\"summary\\": \\"Done.\\", \\"checklist\\": [{\\"item\\": \\"add() adds\\", \\"status\\": \\"done\\", \\"evidence\\": \\"$PROOFLINE_TASK_ID.py:$lines\\"}]}}" >> '${room}/said' 2>&1
    echo "code $?" >> '${room}/said'
  done ;;
esac
`
    )
    const agent = ["--agent", "command", "--agent-command", `sh '${room}/agent.sh'`, "--retry-delay", "0s", "--json"]
    const args = ["chunk", "Write one.py. Write two.py.", "--analyzer", "agent", "--workspace", "worktree", ...agent]
    const ended = await proofline(args, dir)
    const said = readFileSync(Path.join(room, "said"), "utf8")
    expect(ended.code, `${ended.stderr}${said}`).toBe(0)
    expect(said).not.toContain("token_unknown")
    expect(said.match(/code \d/g)?.toSorted(), said).toEqual(["code 0", "code 0", "code 1", "code 1"])
  })
})

describe("given a token in the environment of whoever looks after the project", () => {
  it("does not reach the commands of checks, whose output is kept", async () => {
    const dir = project({
      "tasks.yaml":
        "tasks:\n  - id: t1\n    name: X\n    instruction: Do it.\n    checks: ['test -e made && ! env | grep PROOFLINE_TOKEN']\n"
    })
    const token = "of-the-operator-0123456789abcdefghijk"
    const agent = ["--agent", "command", "--agent-command", "touch made", "--max-retries", "0", "--json"]
    const ended = await proofline(["run", "tasks.yaml", ...agent], dir, { PROOFLINE_TOKEN: token })
    expect(ended.code, ended.stdout).toBe(0)
  })
})
