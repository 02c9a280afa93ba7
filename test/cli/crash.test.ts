import { existsSync, readFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { often } from "../often.ts"
import { documentOf, eventsOf, finish, isGone, project, proofline, start, until } from "./proofline.ts"

const tasks = `
name: crash
defaults: { retry_delay_ms: 0, workers: 2 }
tasks:
  - { id: a, name: A, instruction: A, checks: ["test -s a.txt"], checklist: [Write a.txt] }
  - { id: b, name: B, instruction: B, checks: ["test -s b.txt"], checklist: [Write b.txt] }
  - { id: c, name: C, instruction: C, checks: ["test -s c.txt"], checklist: [Write c.txt], depends_on: [a, b] }
`

/** A scripted agent: notes its processes, starts a helper process, works for a moment, refuses to listen to TERM. */
const agent = `#!/bin/sh
trap '' TERM
echo "$$" >> pids
sleep 300 &
echo "$!" >> pids
echo "$PROOFLINE_TASK_ID $PROOFLINE_ATTEMPT" >> attempts
i=0; while [ $i -lt \${SPIN:-300} ]; do i=$((i+1)); done
echo "content of $PROOFLINE_TASK_ID" > "$PROOFLINE_TASK_ID.txt"
printf '{"summary":"written","checklist":[{"item":"Write %s.txt","status":"done","evidence":"%s.txt:1"}]}' "$PROOFLINE_TASK_ID" "$PROOFLINE_TASK_ID" > "$PROOFLINE_REPORT_FILE"
`

const args = ["--agent", "command", "--agent-command", "./agent.sh"]
const lines = (file: string) => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").filter(Boolean) : [])

/** A fixed sequence of numbers in [0, 1), so that a failing moment can be told again. */
const random = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}

/** What must hold of a log whatever happened to its writers. */
const checkLog = (
  events: ReadonlyArray<{ version: number; event_type: string; content: { task_id?: string; attempt?: number } }>
) => {
  expect(events.map((event) => event.version)).toEqual(events.map((_, i) => i + 1))
  const completed = new Set<string>()
  for (const { content, event_type } of events) {
    if (event_type === "ATTEMPT_STARTED") expect(completed.has(content.task_id ?? "")).toBe(false)
    if (event_type === "TASK_COMPLETED") {
      expect(completed.has(content.task_id ?? "")).toBe(false)
      completed.add(content.task_id ?? "")
    }
  }
}

describe("kill -9 of the program", () => {
  it("at random moments loses nothing, repeats nothing completed, leaves nobody behind", {
    timeout: 240_000
  }, async () => {
    const seed = Number(process.env["PROOFLINE_SEED"] ?? Date.now() % 1_000_000)
    const next = random(seed)
    const wanted = often(50)
    let kills = 0
    let rounds = 0
    while (kills < wanted) {
      const dir = project({ "tasks.yaml": tasks, "agent.sh": agent })
      rounds++
      let known = 0
      let run: string | undefined
      let command = ["run", "tasks.yaml", ...args, "--json"]
      for (;;) {
        const child = start(command, dir, { SPIN: "3000" })
        const ended = finish(child)
        // the moment is drawn from the whole life of the program: its start, the log's first events, every attempt
        const waitMs = Math.floor(next() * 900)
        const killed =
          kills < wanted &&
          (await Promise.race([
            ended.then(() => false),
            new Promise<boolean>((r) => setTimeout(() => r(true), waitMs))
          ]))
        if (killed) {
          child.kill("SIGKILL")
          kills++
        }
        const finished = await ended
        const pids = lines(Path.join(dir, "pids")).map(Number)
        await until(() => pids.every(isGone))
        const history = await proofline(["history", "--json"], dir)
        expect(history.code, `seed ${seed}: ${history.stdout}`).toBe(0)
        run = documentOf(history).data.runs[0]?.run_id
        if (run !== undefined) {
          const events = await eventsOf(run, dir)
          checkLog(events)
          expect(events.length, `seed ${seed}`).toBeGreaterThanOrEqual(known)
          known = events.length
          const replayed = await proofline(["replay", run, "--json"], dir)
          expect(replayed.code, `seed ${seed}: ${replayed.stdout}`).toBe(0)
        }
        if (!killed) {
          expect(finished.code, `seed ${seed}: ${finished.stderr}`).toBe(0)
          break
        }
        command = run === undefined ? ["run", "tasks.yaml", ...args, "--json"] : ["resume", run, "--json"]
      }
      const shown = documentOf(await proofline(["history", "--show", run ?? "", "--json"], dir)).data
      expect(
        shown.tasks.map((task: { status: string }) => task.status),
        `seed ${seed}`
      ).toEqual(["completed", "completed", "completed"])
    }
    expect(rounds).toBeGreaterThan(0)
  })
})

describe("an interrupted run", () => {
  const hanging = `#!/bin/sh\necho "$$" >> pids\nsleep 300\n`

  it("ends its agents on Ctrl-C, says how to go on, and goes on", { timeout: 60_000 }, async () => {
    const dir = project({ "tasks.yaml": tasks, "agent.sh": hanging, "good.sh": agent })
    const child = start(["run", "tasks.yaml", ...args, "--json"], dir)
    const ended = finish(child)
    await until(() => lines(Path.join(dir, "pids")).length === 2)
    child.kill("SIGINT")
    const finished = await ended
    expect(finished.code).toBe(130)
    expect(finished.stderr).toContain("proofline resume run_")
    expect(lines(Path.join(dir, "pids")).map(Number).every(isGone)).toBe(true)
    const [run] = documentOf(await proofline(["history", "--json"], dir)).data.runs
    expect(run.status).toBe("cancelled")
    const resumed = await proofline(["resume", run.run_id, "--agent-command", "./good.sh", "--json"], dir)
    expect(resumed.code, resumed.stderr).toBe(0)
    expect(documentOf(resumed).data.status).toBe("completed")
  })

  it("is driven by one process: a second resume says by whom and refuses", { timeout: 60_000 }, async () => {
    const dir = project({ "tasks.yaml": tasks, "agent.sh": hanging })
    const child = start(["run", "tasks.yaml", ...args], dir)
    const ended = finish(child)
    await until(() => lines(Path.join(dir, "pids")).length === 2)
    const [run] = documentOf(await proofline(["status", "--json"], dir)).data.runs
    expect(run.driver.pid).toBe(child.pid)
    const second = await proofline(["resume", run.run_id, "--json"], dir)
    expect(second.code).toBe(2)
    const [problem] = documentOf(second).data.problems
    expect(problem.code).toBe("run_is_driven")
    expect(problem.message).toContain(String(child.pid))
    expect(problem.message).toContain(run.driver.host)
    expect(problem.message).toContain(run.driver.since)
    // nor may the same file be run a second time beside it
    const beside = await proofline(["run", "tasks.yaml", ...args, "--json"], dir)
    expect(beside.code).toBe(2)
    expect(documentOf(beside).data.problems[0]).toMatchObject({ code: "run_is_driven" })
    expect(documentOf(beside).data.problems[0].message).toContain(String(child.pid))
    expect(documentOf(await proofline(["history", "--json"], dir)).data.runs.length).toBe(1)
    expect(isGone(child.pid ?? 0)).toBe(false)
    child.kill("SIGINT")
    await ended
  })

  it("lets only one of two that resume at the same moment drive", { timeout: 60_000 }, async () => {
    const dir = project({ "tasks.yaml": tasks, "agent.sh": hanging, "good.sh": agent })
    const child = start(["run", "tasks.yaml", ...args], dir)
    const killed = finish(child)
    await until(() => lines(Path.join(dir, "pids")).length === 2)
    child.kill("SIGKILL")
    await killed
    const both = await Promise.all(
      [0, 1].map(() => proofline(["resume", "--agent-command", "./good.sh", "--json"], dir))
    )
    const codes = both.map((finished) => finished.code).toSorted()
    // the slower one comes too early, or finds the run completed
    expect([
      [0, 0],
      [0, 2]
    ]).toContainEqual(codes)
    const attempts = lines(Path.join(dir, "attempts"))
    expect(new Set(attempts).size).toBe(attempts.length)
    expect(attempts.length).toBe(3)
  })
})
