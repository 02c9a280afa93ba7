import { existsSync, readFileSync, rmSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { often } from "../often.ts"
import { callsOf, rolesOf, withAgent } from "./agent.ts"
import { documentOf, eventsOf, finish, isGone, proofline, start, until } from "./proofline.ts"
import { hang, letGo, planOf, stage } from "./requirementsStage.ts"

const command = ["run-requirements", "requirements.yaml", ...withAgent, "--json"]

/** A fixed sequence of numbers in [0, 1), so that a failing moment can be told again. */
const random = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}

interface Event {
  readonly version: number
  readonly event_type: string
  readonly content: Readonly<Record<string, unknown>>
}

const taskRuns = (events: ReadonlyArray<Event>): ReadonlyArray<string> => [
  ...new Set(
    events.flatMap(({ content, event_type }) => (event_type === "TASK_RUN_LINKED" ? [String(content["run_id"])] : []))
  )
]

/** What must hold of both levels whatever happened to their writers. */
const checkLogs = async (run: string, dir: string): Promise<void> => {
  const parent: ReadonlyArray<Event> = await eventsOf(run, dir)
  expect(parent.map(({ version }) => version)).toEqual(parent.map((_, i) => i + 1))
  // what was planned is not planned again
  const planned = parent.flatMap(({ content, event_type }) =>
    event_type === "TASKS_GENERATED" ? [content["iteration"]] : []
  )
  expect(planned).toEqual([...new Set(planned)])
  for (const child of taskRuns(parent)) {
    const completed = new Set<unknown>()
    for (const { content, event_type } of (await eventsOf(child, dir)) as ReadonlyArray<Event>) {
      if (event_type === "ATTEMPT_STARTED") expect(completed.has(content["task_id"])).toBe(false)
      if (event_type === "TASK_COMPLETED") completed.add(content["task_id"])
    }
  }
  const replayed = await proofline(["replay", run, "--json"], dir)
  expect([replayed.code, replayed.stdout]).toEqual([0, expect.stringContaining('"divergence": null')])
}

/** Runs until the agent waits in this call, and ends the program there. */
const killedIn = async (dir: string, call: string): Promise<void> => {
  hang(dir, call)
  const child = start(command, dir)
  const ended = finish(child)
  await until(() => existsSync(Path.join(dir, "hanging")))
  child.kill("SIGKILL")
  await ended
  letGo(dir)
  rmSync(Path.join(dir, "hanging"))
}

describe("kill -9 of a requirements run", () => {
  it.each([
    ["before there is a plan", "generate:iteration-1"],
    ["inside the task run of a later iteration", "work:task_2"],
    ["while a requirement is looked at", "verify:req_2"]
  ])(
    "given it happens %s, when it goes on, then only that call is made again",
    { timeout: 60_000 },
    async (_, call) => {
      const dir = stage()
      await killedIn(dir, call)
      const before = callsOf(dir)
      const finished = await proofline(["resume", "--json"], dir)
      const { data } = documentOf(finished)
      expect([finished.code, data.status]).toEqual([0, "completed"])
      const after = callsOf(dir).slice(before.length)
      const [first] = after
      expect(`${first?.role}:${first?.task}`).toBe(call)
      // requirements are looked at anew after every iteration
      const repeated = after
        .slice(1)
        .filter(({ role }) => role !== "verify")
        .filter(({ attempt, role, task }) =>
          before.some((one) => one.role === role && one.task === task && one.attempt === attempt)
        )
      expect(repeated).toEqual([])
      await checkLogs(data.run_id, dir)
    }
  )

  it("at random moments loses nothing, repeats nothing completed, and always comes to the same end", {
    timeout: 180_000
  }, async () => {
    const seed = Number(process.env["PROOFLINE_SEED"] ?? Date.now() % 1_000_000)
    const next = random(seed)
    const wanted = often(6)
    let kills = 0
    while (kills < wanted) {
      const dir = stage({
        "plan-1.yaml": planOf({ task_1: { covers: ["req_1.1"] }, task_0: { covers: ["req_1.1"], after: ["task_1"] } })
      })
      const known = new Map<string, number>()
      for (;;) {
        const child = start(command, dir)
        const ended = finish(child)
        const waitMs = Math.floor(next() * 2_500)
        const killed =
          kills < wanted &&
          (await Promise.race([
            ended.then(() => false),
            new Promise<boolean>((resolve) => setTimeout(() => resolve(true), waitMs))
          ]))
        if (killed) {
          child.kill("SIGKILL")
          kills++
        }
        const finished = await ended
        const runs = documentOf(await proofline(["history", "--loopb", "--json"], dir)).data.runs
        for (const { run_id } of runs) {
          const events = await eventsOf(run_id, dir)
          expect(events.length, `seed ${seed}`).toBeGreaterThanOrEqual(known.get(run_id) ?? 0)
          known.set(run_id, events.length)
        }
        // one that was completed when it was killed is followed by another; any other is gone on with
        const before = runs.slice(1).map(({ status }: { status: string }) => status)
        expect(before, `seed ${seed}`).toEqual(before.map(() => "completed"))
        if (killed) continue
        expect([finished.code, finished.stderr], `seed ${seed}`).toEqual([0, expect.any(String)])
        expect(documentOf(finished).data, `seed ${seed}`).toMatchObject({ status: "completed" })
        await checkLogs(runs[0].run_id, dir)
        break
      }
    }
  })
})

describe("Ctrl-C in a requirements run", () => {
  it("given it comes inside a task run, then agents end first, both runs are cancelled, and a resume goes on", {
    timeout: 60_000
  }, async () => {
    const dir = stage({}, "work:task_2")
    const child = start(command, dir)
    const ended = finish(child)
    await until(() => existsSync(Path.join(dir, "hanging")))
    const agent = Number(readFileSync(Path.join(dir, "hanging"), "utf8"))
    child.kill("SIGINT")
    const finished = await ended
    expect(finished.code).toBe(130)
    expect(isGone(agent)).toBe(true)
    const { data } = documentOf(finished)
    expect(data).toMatchObject({ status: "executing_tasks", run_status: "cancelled" })
    const { data: history } = documentOf(await proofline(["history", "--json"], dir))
    expect(history.runs.map((run: { run_id: string; status: string }) => [run.run_id, run.status])).toEqual(
      expect.arrayContaining([
        [data.run_id, "cancelled"],
        [`${data.run_id}-iter2`, "cancelled"],
        [`${data.run_id}-iter1`, "completed"]
      ])
    )
    letGo(dir)
    const resumed = await proofline(["resume", "--json"], dir)
    expect([resumed.code, documentOf(resumed).data.status]).toEqual([0, "completed"])
    expect(rolesOf(dir).filter((call) => call === "work:task_1")).toHaveLength(1)
    await checkLogs(data.run_id, dir)
  })
})
