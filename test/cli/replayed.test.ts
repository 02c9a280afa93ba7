import { readFileSync, renameSync, rmSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { daily } from "../often.ts"
import { begin, git, write } from "../plugins/repositories.ts"
import { done, type Script, scriptedAgent, withAgent } from "./agent.ts"
import { achieved, asked, expectReplay } from "./asked.ts"
import { bigTask, gitStage, part, pass, planned, type Stage, stage, writes } from "./chunkStage.ts"
import { eventsOf, repository } from "./proofline.ts"
import { stage as requirementsStage } from "./requirementsStage.ts"

const item = "Add add() to add.js"
const tasks = (ids: ReadonlyArray<string> = ["add"], more: object = {}) => ({
  "tasks.yaml": JSON.stringify({
    tasks: ids.map((id) => ({ id, name: id, instruction: id, checklist: [item], ...more }))
  })
})
const good = "export const add = (a, b) => {\n  return a + b\n}\n"
const stub = "export const add = (a, b) => {\n  // TODO\n}\n"
const works = { files: { "add.js": good }, report: done({ [item]: "add.js:1-3" }) }

const read = (dir: string, file: string) => readFileSync(Path.join(dir, file), "latin1")

/** The same commit in another directory, after the agent's program is gone. */
const elsewhere = (on: Stage): string => {
  const { room, top, root } = on.repository
  rmSync(Path.join(room, "agent.mjs"))
  git(room, "clone", "--quiet", top, "clone")
  return Path.join(room, "clone", Path.relative(top, root))
}
const of = (on: Stage) => ["--state", on.repository.stateDir]
const play = ["run", "tasks.yaml", "--agent", "replay:last", "--retry-delay", "0s"]

/** What was decided, without times and ids. */
const decided = async (run: string, on: Stage, dir = on.dir) =>
  (await eventsOf(run, dir, {}, of(on))).flatMap(({ content, event_type }) => {
    const { agent, code, error, files_modified, item_index, judgment, key, outcome, status, task_id, verdict } = content
    return /^(?:ATTEMPT_ENDED|CHECKLIST_ITEM_\w+|QUALITY_JUDGMENT|TASK_\w+|SUBTASK_\w+|RUN_(?:COMPLETED|FAILED))$/.test(
      event_type
    )
      ? [
          {
            event_type,
            agent,
            code,
            error,
            files_modified,
            item_index,
            judgment,
            key,
            outcome,
            status,
            task_id,
            verdict
          }
        ]
      : []
  })

describe("a run whose agents were recorded", () => {
  it.each(daily(["", "app"], 2))(
    "comes to the same without them, in another checkout of its commit (folder `%s`)",
    async (below) => {
      const script: Script = {
        add: [
          { files: { "add.js": stub }, stdout: "half", report: done({ [item]: "add.js:1-3" }) },
          { exit: 3, stderr: "died", files: { "sub/latin.txt": "x" } },
          {
            ...works,
            run: "printf '\\0\\1' > sub/bin.dat; chmod +x sub/bin.dat; rm old.txt; printf '\\351\\n' > sub/latin.txt"
          }
        ],
        "review:add": [{ report: "no judgement" }, pass]
      }
      const config = {
        agent: "broke",
        fallback: ["spare"],
        reviewer: "critic",
        agents: {
          broke: { command: "echo 'You have hit your usage limit.' >&2; exit 1" },
          spare: { command: "node $ROOM/agent.mjs" },
          critic: { command: "node $ROOM/agent.mjs" }
        }
      }
      const on = gitStage(
        script,
        {
          ...tasks(["add"], { validation: ["it adds"], checks: ["grep -q 'a + b' add.js"] }),
          "proofline.yaml": JSON.stringify(config),
          "old.txt": "old\n",
          ".gitignore": "ignored.txt\n"
        },
        below
      )
      const retries = ["--retry-delay", "0s", "--max-retries", "4"]
      const env = { ROOM: on.repository.room }
      const first = await achieved(["run", "tasks.yaml", "--record", ...retries], on.dir, env)
      const clone = elsewhere(on)
      const again = await achieved(["run", "tasks.yaml", "--agent", "replay:last", ...retries, ...of(on)], clone)
      expect(first.data.tasks[0]).toMatchObject({ status: "completed", attempts: 4 })
      const made = await decided(first.data.run_id, on)
      expect(made.filter(({ judgment }) => judgment !== undefined)).not.toEqual([])
      expect(await decided(again.data.run_id, on, clone)).toEqual(made)
      for (const file of ["add.js", "sub/bin.dat", "sub/latin.txt"])
        expect(read(clone, file)).toEqual(read(on.dir, file))
      expect(git(clone, "status", "--short")).toBe(git(on.dir, "status", "--short"))
      expect(on.calls("work")).toHaveLength(3)
      await expectReplay(clone, again.data.run_id, ...of(on))
    }
  )

  it("has a blob of each exchange, in which people can read what was asked and what changed", async () => {
    const on = gitStage({ add: [works] }, tasks())
    const { data } = await achieved(["run", "tasks.yaml", "--record", ...on.agent], on.dir)
    const [called] = (await eventsOf(data.run_id, on.dir)).filter(({ event_type }) => event_type === "AGENT_CALLED")
    const { sha256 } = called.content.exchange
    const kept = JSON.parse(read(on.repository.stateDir, `blobs/${sha256.slice(0, 2)}/${sha256}`))
    expect(kept).toMatchObject({ version: 1, agent: "command", role: "work", task_id: "add", attempt: 1, error: null })
    expect(kept.prompt).toContain(item)
    expect(kept.files.text).toContain("+  return a + b")
  })

  it("plays what was done at the same time, and parts with worktrees", async () => {
    const on = gitStage(
      {
        "analyze:task-001": planned(part("first"), part("second"), part("third", [1])),
        "task-001-sub-1": [{ ...writes("a.js"), meet: 2 }],
        "task-001-sub-2": [{ ...writes("b.js"), meet: 2 }],
        "task-001-sub-3": [{ run: "cp a.js seen.js", ...writes("c.js") }],
        "review:*": [pass]
      },
      { "kept.js": "export const kept = 1\n" }
    )
    const split = ["chunk", bigTask, "--analyzer", "agent"]
    for (const workspace of daily(["shared", "worktree"], 2)) {
      const how = [...split, "--workspace", workspace]
      const first = await achieved([...how, "--record", ...on.withAgent], on.dir)
      const { room, top } = on.repository
      git(room, "clone", "--quiet", top, workspace)
      const dir = Path.join(room, workspace)
      const calls = on.calls().length
      const again = await achieved([...how, "--agent", `replay:${first.data.run_id}`, ...of(on)], dir)
      expect(again.data.status).toBe("completed")
      expect(on.calls()).toHaveLength(calls)
      for (const file of ["a.js", "b.js", "c.js", "seen.js"]) expect(read(dir, file)).toEqual(read(on.dir, file))
      git(on.dir, "clean", "-fdq")
      rmSync(Path.join(room, "met"), { recursive: true })
    }
  })

  it("plays plans and verifications of requirements too, iteration for iteration", async () => {
    const dir = requirementsStage()
    begin(dir, { ".gitignore": ".proofline\ncalls.ndjson\n" })
    const first = await achieved(["run-requirements", "requirements.yaml", "--record", ...withAgent], dir)
    git(dir, "clean", "-fdq")
    rmSync(Path.join(dir, "agent.mjs"))
    // the same file would go on from the run before
    renameSync(Path.join(dir, "requirements.yaml"), Path.join(dir, "again.yaml"))
    const again = await achieved(["run-requirements", "again.yaml", "--agent", `replay:${first.data.run_id}`], dir)
    const { completed_task_ids, iterations } = first.data
    expect(again.data).toMatchObject({ status: "completed", completed_task_ids, iterations })
  })

  it("goes on with it when it is resumed, whoever the project names, and can be played from there", async () => {
    const on = gitStage({ add: [{ ...works, files: { "add.js": stub } }, works] }, tasks())
    await achieved(["run", "tasks.yaml", "--record", ...on.agent], on.dir)
    const clone = elsewhere(on)
    const [command, critic] = [{ command: "false" }, { judge: "false" }]
    write(clone, { "proofline.yaml": JSON.stringify({ agents: { command, critic }, reviewer: "critic" }) })
    const stopped = await asked([...play, "--max-attempts", "1", ...of(on)], clone)
    expect(stopped.code).toBe(4)
    const [{ content }] = await eventsOf(stopped.data.run_id, clone, {}, of(on))
    expect(content.config).toMatchObject({ agent: "command", reviewer: "command", reviewer_named: false })
    const { data } = await achieved(["resume", "--max-attempts", "9", "--retry-delay", "0s", ...of(on)], clone)
    expect(data.tasks[0]).toMatchObject({ status: "completed", attempts: 2 })
    rmSync(Path.join(clone, "add.js"))
    const third = await achieved([...play, ...of(on)], clone)
    expect(third.data.tasks[0]).toMatchObject({ status: "completed", attempts: 2 })
  })
})

describe("a run whose agents cannot be played", () => {
  it.each([
    ["replay_missing", "has recorded no exchange for work of other, attempt 1", tasks(["other"])],
    ["replay_conflict", "do not fit the files as they are", { "add.js": "something else\n" }]
  ])("ends with %s, which says %s", async (code, said, files) => {
    const on = gitStage({ add: [works] }, tasks())
    await achieved(["run", "tasks.yaml", "--record", ...on.agent], on.dir)
    const clone = elsewhere(on)
    write(clone, files)
    const { code: exit, data } = await asked([...play, ...of(on)], clone)
    const ended = (await eventsOf(data.run_id, clone, {}, of(on))).find(
      ({ event_type }) => event_type === "ATTEMPT_ENDED"
    )
    expect([exit, ended.content.error.code, data.tasks[0].attempts]).toEqual([4, code, 1])
    expect(ended.content.error.message).toContain(said)
  })

  it("says so where there was no repository that could tell what changed", async () => {
    const on = stage({ add: [works] }, tasks())
    const { stderr } = await achieved(["run", "tasks.yaml", "--record", ...on.agent], on.dir)
    expect(stderr).toMatch(/^NOTE: what agents change in files is not recorded\. \S/m)
    const { code, stdout } = await asked(play, on.dir)
    expect(code).toBe(4)
    expect(stdout).toContain("What the agent changed was not recorded: ")
  })

  it("is refused before anything begins where it was not recorded, or is not there", async () => {
    const dir = repository({ ...scriptedAgent({ add: [works] }), ...tasks() })
    expect(await asked(play, dir)).toMatchObject({ code: 2, refused: ["run_unknown"] })
    await achieved(["run", "tasks.yaml", "--agent", "command", "--agent-command", "node agent.mjs"], dir)
    expect(await asked(play, dir)).toMatchObject({ code: 2, refused: ["replay_not_recorded"] })
    const both = await asked([...play, "--agent-command", "true"], dir)
    expect(both).toMatchObject({ code: 2, refused: ["agent_conflict"] })
  })
})
