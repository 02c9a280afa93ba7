import { existsSync, readFileSync, rmSync } from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "vitest"
import { daily, often } from "../often.ts"
import { leftOf, ownOf } from "../plugins/git-workspaces/support.ts"
import { contentOf, write } from "../plugins/repositories.ts"
import { callsOf, notesIn, rolesOf, scriptedAgent, withAgent } from "./agent.ts"
import { achieved, answerOf, asked, each, expectReplay, fixture } from "./asked.ts"
import { gitStage, type Logged, type Stage, stage } from "./chunkStage.ts"
import { finish, isGone, project, proofline, start, until, withSources } from "./proofline.ts"
import { hang, letGo, planOf, requirements, stage as requirementsStage } from "./requirementsStage.ts"

/**
 * An agent that notes beside the project what it was asked and who is at work, starts a helper, does not listen to TERM
 * and works for a moment. A file beside it that is called after its role and task is its answer; else it does its work.
 */
const { "agent.sh": agent = "", "tasks.yaml": tasks = "", ...works } = fixture("crash")

interface Journey {
  readonly title: string
  readonly kills: number
  readonly make: typeof stage
  readonly files: Readonly<Record<string, string>>
  /** What the agent does in its role `work`, and what it answers otherwise. */
  readonly work: string | undefined
  readonly answers?: Readonly<Record<string, string>>
  readonly begin: ReadonlyArray<string>
  /** Goes on by the same command; left out: by `resume`. */
  readonly isBegunAgain?: true
  /** What the project holds in the end, beside what it held. */
  readonly made: Readonly<Record<string, string>>
}

const contents = (...names: ReadonlyArray<string>) =>
  Object.fromEntries(names.map((name) => [`${name}.txt`, `part ${name}\n`]))

/** It fails where what it builds on is missing. What it does can be done twice. */
const inParts = {
  files: { "mine.txt": "committed\n", "1.txt.bak": "old\n" },
  work: works["parts.sh"],
  answers: { "analyze-task-001": works["parts.json"] ?? "" },
  made: { ...contents("1", "2", "3", "4"), "1.txt": "part 1\nand 3\n" }
}
const split = ["chunk", "Do the big thing", "--analyzer", "agent"]

const journeys: ReadonlyArray<Journey> = [
  {
    title: "a run of tasks",
    kills: often(30),
    make: stage,
    files: { "tasks.yaml": tasks },
    work: works["tasks.sh"],
    begin: ["run", "tasks.yaml"],
    made: contents("a", "b", "c")
  },
  { title: "a run in parts", kills: often(15), make: stage, begin: split, ...inParts },
  {
    title: "a run in worktrees",
    kills: often(15),
    make: gitStage,
    begin: [...split, "--workspace", "worktree"],
    ...inParts
  },
  {
    title: "a run of requirements",
    kills: often(10),
    make: stage,
    files: { "requirements.yaml": `${requirements}verification: { verifier: none }\n` },
    work: works["requirements.sh"],
    answers: {
      "generate-iteration-1": planOf({
        task_1: { covers: ["req_1.1"] },
        task_0: { covers: ["req_1.1"], after: ["task_1"] }
      }),
      "generate-iteration-2": planOf({ task_2: { covers: ["req_2.1", "req_3.1"], after: ["task_1"] } })
    },
    begin: ["run-requirements", "requirements.yaml"],
    isBegunAgain: true,
    made: contents("task_0", "task_1", "task_2")
  }
]

/** All logs by run, the oldest first, read from the file, also while or after somebody writes it. */
const logsIn = (dir: string): ReadonlyMap<string, ReadonlyArray<Logged>> => {
  const logs = new Map<string, Array<Logged>>()
  const file = Path.join(dir, ".proofline/state/proofline.db")
  if (!existsSync(file)) return logs
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    for (const row of db
      .prepare("select stream, version, event_type, visibility, content from event order by rowid")
      .all())
      logs.set(`${row["stream"]}`, [
        ...(logs.get(`${row["stream"]}`) ?? []),
        { ...row, content: JSON.parse(`${row["content"]}`) } as unknown as Logged
      ])
    return logs
  } catch {
    // it has no tables yet
    return new Map()
  } finally {
    db.close()
  }
}

/** What must hold of a log whatever happened to its writers. Answers what is completed. */
const completedIn = (log: ReadonlyArray<Logged>): ReadonlyArray<string> => {
  expect(each(log, "version")).toEqual(log.map((_, i) => i + 1))
  const completed = new Set<string>()
  for (const { content, event_type } of log) {
    const id = content.subtask_id ?? content.task_id
    if (event_type === "ATTEMPT_STARTED") expect(completed).not.toContain(id)
    if (event_type !== "TASK_COMPLETED" && event_type !== "SUBTASK_COMPLETE") continue
    expect(completed).not.toContain(id)
    completed.add(id)
  }
  // what was planned is not planned again
  const planned = log.flatMap(({ content, event_type }) =>
    event_type === "TASKS_GENERATED" ? [content.iteration] : []
  )
  expect(planned).toEqual([...new Set(planned)])
  return [...completed]
}

/** A fixed sequence of numbers in [0, 1), so that a failing moment can be told again. */
const random = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}

const staged = ({ answers = {}, files, make, work = "" }: Journey): Stage => {
  const on = make({}, files)
  write(on.room, { "agent.sh": agent, "work.sh": work, ...answers })
  if ("mine.txt" in files) write(on.dir, { "mine.txt": "not committed\n" })
  return on
}

/** One run that is killed again and again until `kills` is used up, and then goes on to its end. Answers the kills left. */
const killed = async (journey: Journey, next: () => number, kills: number) => {
  const on = staged(journey)
  const own = () => (existsSync(Path.join(on.dir, ".git")) ? ownOf(on.repository) : [])
  const before = { own: own(), content: contentOf(on.dir) }
  const asAgent = ["--agent", "command", "--agent-command", `${on.room}/agent.sh`, "--retry-delay", "0s"]
  const begin = [...journey.begin, ...asAgent, "--json"]
  const workOn = (id: string) => notesIn(on.room, "asked").filter((line) => line === `work ${id}`).length
  const count = () => [...logsIn(on.dir).values()].reduce((sum, log) => sum + log.length, 0)
  /** How often was asked for what is completed, as the logs had it at the last kill. */
  let settled: ReadonlyArray<readonly [string, number]> = []
  for (let known: ReturnType<typeof logsIn> = new Map(); ; ) {
    const [run] = known.keys()
    const child = start(run === undefined || journey.isBegunAgain ? begin : ["resume", run, "--json"], on.dir)
    let hasEnded = false
    const ended = finish(child).finally(() => {
      hasEnded = true
    })
    if (kills > 0) {
      // a moment of its life: some event, or while it starts
      const isEarly = next() < 0.1
      const target = isEarly ? 0 : count() + 1 + Math.floor(next() * 30)
      await until(() => hasEnded || count() >= target)
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, next() * (isEarly ? 300 : 40)))])
      if (!hasEnded && child.kill("SIGKILL")) kills--
    }
    const finished = await ended
    await until(() => notesIn(on.room, "pids").map(Number).every(isGone))
    const logs = logsIn(on.dir)
    for (const [id, log] of known) expect(logs.get(id)?.slice(0, log.length)).toEqual(log)
    known = logs
    const { runs } = (await achieved(["history"], on.dir)).data
    // one that was completed when it was killed is followed by another; any other is gone on with
    const tops = runs.filter((one: object) => !("parent_run_id" in one))
    expect(each(tops.slice(1), "status")).toEqual(tops.slice(1).map(() => "completed"))
    for (const { run_id } of tops) await expectReplay(on.dir, run_id)
    expect(own()).toEqual(before.own)
    for (const [id, times] of settled) expect([id, workOn(id)]).toEqual([id, times])
    settled = [...logs.values()].flatMap(completedIn).map((id) => [id, workOn(id)])
    if (finished.code === null) continue
    const { code, data, stdout } = answerOf(finished)
    expect([code, data.status], stdout).toEqual([0, "completed"])
    expect(contentOf(on.dir, /^(\.proofline|generated)\//)).toEqual({ ...before.content, ...journey.made })
    if (before.own.length > 0) expect(leftOf(on.repository)).toEqual([])
    return kills
  }
}

describe("kill -9 of the program", () => {
  // at any moment: test/kernel/engine/crash.test.ts and chunkingCrash.test.ts, without processes
  it.each(daily(journeys, 2))(
    "in $title loses nothing, repeats nothing completed, leaves nobody behind",
    async (journey) => {
      const seed = Number(process.env["PROOFLINE_SEED"] ?? Date.now() % 1_000_000)
      const next = random(seed)
      try {
        for (let left = journey.kills; left > 0; ) left = await killed(journey, next, left)
      } catch (error) {
        throw new Error(`PROOFLINE_SEED=${seed}`, { cause: error })
      }
    }
  )
})

// --- interruptions -------------------------------------------------------------------------------------------------

const asShell = ["--agent", "command", "--agent-command", "./agent.sh"]
const hanging = `#!/bin/sh\necho "$$" >> pids\nsleep 300\n`
const good = { "good.sh": agent, "work.sh": works["tasks.sh"] ?? "" }

/** A run whose agents wait for good. */
const waiting = async (...more: ReadonlyArray<string>) => {
  const dir = project({ "tasks.yaml": tasks, "agent.sh": hanging, ...good })
  const child = start(["run", "tasks.yaml", ...asShell, ...more], dir)
  const ended = finish(child)
  await until(() => notesIn(dir, "pids").length === 2)
  return { dir, child, ended }
}

describe("a run", () => {
  it("is driven by one process, ends its agents on Ctrl-C, says how to go on, and goes on", async () => {
    const { child, dir, ended } = await waiting()
    const [run] = (await asked(["status"], dir)).data.runs
    expect(run.driver.pid).toBe(child.pid)
    // nor may the same file be run a second time beside it
    for (const [args, said] of [
      [
        ["resume", run.run_id],
        [run.driver.host, run.driver.since]
      ],
      [["run", "tasks.yaml", ...asShell], []]
    ] as const) {
      const { code, data, refused } = await asked(args, dir)
      expect([code, refused]).toEqual([2, ["run_is_driven"]])
      for (const one of [child.pid, ...said]) expect(data.problems[0].message).toContain(`${one}`)
    }
    expect(isGone(child.pid ?? 0)).toBe(false)
    child.kill("SIGINT")
    expect(await ended).toMatchObject({ code: 130, stderr: expect.stringContaining(`proofline resume ${run.run_id}`) })
    expect(notesIn(dir, "pids").map(Number).every(isGone)).toBe(true)
    expect((await asked(["history"], dir)).data.runs).toMatchObject([{ run_id: run.run_id, status: "cancelled" }])
    const resumed = await achieved(["resume", run.run_id, "--agent-command", "./good.sh"], dir)
    expect(resumed.data.status).toBe("completed")
  })

  it("given a second signal before its agents are ended, says what is left and how to go on, as a document too", async () => {
    const { child, dir, ended } = await waiting("--json")
    const [{ run_id }] = (await asked(["status"], dir)).data.runs
    child.kill("SIGINT")
    // two of one signal could become one
    child.kill("SIGTERM")
    const answer = answerOf(await ended)
    expect(answer).toMatchObject({ code: 130, kind: "run", refused: ["run_left_open"] })
    expect(answer.stderr).toMatch(
      new RegExp(
        `error: ${run_id} was left at once: .* \\[run_left_open\\]\n    Go on with: .*proofline resume ${run_id}\n$`
      )
    )
    const resumed = await achieved(["resume", run_id, "--agent-command", "./good.sh"], dir)
    expect(resumed.data.status).toBe("completed")
  })

  it("that was killed is driven by only one of two that resume it at the same moment", async () => {
    const { child, dir, ended } = await waiting()
    child.kill("SIGKILL")
    await ended
    const both = await Promise.all(
      [0, 1].map(() => proofline(["resume", "--agent-command", "./good.sh", "--json"], dir))
    )
    // the slower one comes too early, or finds the run completed
    expect([
      [0, 0],
      [0, 2]
    ]).toContainEqual(each(both, "code").toSorted())
    expect(notesIn(dir, "asked").toSorted()).toEqual(["work a", "work b", "work c"])
  })
})

describe("a run of requirements", () => {
  const command = ["run-requirements", "requirements.yaml", ...withAgent, "--json"]

  /** Runs until the agent waits in this call, and ends the program there by the signal. */
  const endedIn = async (call: string, signal: "SIGKILL" | "SIGINT") => {
    const dir = requirementsStage()
    hang(dir, call)
    const child = start(command, dir)
    const ended = finish(child)
    await until(() => existsSync(Path.join(dir, "hanging")))
    const agent = Number(readFileSync(Path.join(dir, "hanging"), "utf8"))
    child.kill(signal)
    const finished = await ended
    letGo(dir)
    return { dir, agent, finished }
  }

  it.each(
    daily(
      [
        ["before there is a plan", "generate:iteration-1"],
        ["inside the task run of a later iteration", "work:task_2"],
        ["while a requirement is looked at", "verify:req_2"]
      ],
      3
    )
  )("given it is killed %s, when it goes on, then only that call is made again", async (_, call) => {
    const { dir } = await endedIn(call, "SIGKILL")
    const before = callsOf(dir)
    expect((await achieved(["resume"], dir)).data.status).toBe("completed")
    expect(rolesOf(dir)[before.length]).toBe(call)
    // requirements are looked at anew after every iteration
    const repeated = callsOf(dir)
      .slice(before.length + 1)
      .filter(({ role }) => role !== "verify")
      .filter(({ attempt, key }) => before.some((one) => one.key === key && one.attempt === attempt))
    expect(repeated).toEqual([])
    for (const log of logsIn(dir).values()) completedIn(log)
    await expectReplay(dir)
  })

  it("given Ctrl-C inside a task run, then agents end first, both runs are cancelled, and a resume goes on", async () => {
    const { agent, dir, finished } = await endedIn("work:task_2", "SIGINT")
    const { code, data } = answerOf(finished)
    expect([code, isGone(agent)]).toEqual([130, true])
    expect(data).toMatchObject({ status: "executing_tasks", run_status: "cancelled" })
    const { runs } = (await asked(["history"], dir)).data
    expect(Object.fromEntries(runs.map((one: Record<string, string>) => [one["run_id"], one["status"]]))).toEqual({
      [data.run_id]: "cancelled",
      [`${data.run_id}-iter1`]: "completed",
      [`${data.run_id}-iter2`]: "cancelled"
    })
    expect((await achieved(["resume"], dir)).data.status).toBe("completed")
    expect(rolesOf(dir).filter((call) => call === "work:task_1")).toHaveLength(1)
    await expectReplay(dir)
  })
})

describe("a log", () => {
  const failing = (more: Readonly<Record<string, string>> = {}) =>
    project({ "tasks.yaml": tasks, ...scriptedAgent({ "*": [{ exit: 1 }] }), ...more })
  const run = ["run", "tasks.yaml", ...withAgent, "--max-retries", "0"]

  it("that was changed is not continued: exit 5", async () => {
    const dir = failing()
    expect((await asked(run, dir)).code).toBe(1)
    const db = new DatabaseSync(Path.join(dir, ".proofline/state/proofline.db"))
    db.exec("update event set content = replace(content, 'Write a.txt', 'Write x.txt') where version = 3")
    db.close()
    expect(await asked(["resume"], dir)).toMatchObject({ code: 5, refused: ["log_changed"] })
  })

  it("that is no database is called corrupt by every command that reads it", async () => {
    const dir = failing({ ".proofline/state/proofline.db": "garbage ".repeat(1000) })
    for (const command of ["status", "history", "replay", "events", "resume"]) {
      const { code, stderr, stdout } = await proofline([command, ...(command === "events" ? [] : ["--json"])], dir)
      expect([code, stdout + stderr], command).toEqual([5, expect.stringContaining("log_corrupt")])
      expect(stderr, command).not.toContain("internal_error")
    }
  })

  it("is not continued without the plugins it was made with", async () => {
    const plugin = withSources(`import { definePlugin, plugin } from "@proofline/kernel"
export default definePlugin(plugin("extra", { state: null }), { version: "1" })
`)
    const dir = failing({ "extra.mjs": plugin, "proofline.yaml": "plugins: [./extra.mjs]\n" })
    expect((await asked(run, dir)).code).toBe(1)
    rmSync(Path.join(dir, "proofline.yaml"))
    expect(await asked(["resume"], dir)).toMatchObject({ code: 2, refused: ["plugin_missing"] })
    expect((await asked(["replay"], dir)).code).toBe(2)
  })
})
