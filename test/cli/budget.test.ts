import { existsSync, readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { documentOf, eventsOf, type Finished, isGone, project, proofline } from "./proofline.ts"

/** Works on any task, and says what it has used; as a reviewer it passes everything. */
const agent = `#!/bin/sh
echo "$PROOFLINE_ROLE $PROOFLINE_TASK_ID" >> calls.txt
printf '{"input_tokens": 70, "output_tokens": 30, "cost_usd": 0.5}' > "$PROOFLINE_USAGE_FILE"
case "$PROOFLINE_ROLE" in
  review) printf '{"judgment": "PASS"}' > "$PROOFLINE_REPORT_FILE" ;;
  *) echo done > "$PROOFLINE_TASK_ID.txt" ;;
esac
`
const tasksFile = (ids: ReadonlyArray<string>, defaults = "") =>
  `tasks:\n${ids.map((id) => `  - {id: ${id}, name: ${id}, instruction: Write it., checks: ["test -e ${id}.txt"]}\n`).join("")}${defaults}`

const staged = (tasks: string, more: Readonly<Record<string, string>> = {}) =>
  project({ "tasks.yaml": tasks, "agent.sh": agent, ...more })
const withAgent = ["--agent", "command", "--agent-command", "./agent.sh", "--retry-delay", "0s"]
const callsOf = (dir: string) =>
  existsSync(Path.join(dir, "calls.txt")) ? readFileSync(Path.join(dir, "calls.txt"), "utf8").trim().split("\n") : []
const runOf = (finished: Finished): string => documentOf(finished).data.run_id
const statusesOf = (finished: Finished) =>
  documentOf(finished).data.tasks.map(({ status }: { readonly status: string }) => status)

describe("a run with a budget", () => {
  it("begins no more attempts than it may, however many work, and each resume goes on with as many", async () => {
    const dir = staged(tasksFile(["a", "b", "c"]))
    const args = ["run", "tasks.yaml", ...withAgent, "--workers", "3", "--max-attempts", "2", "--json"]
    const first = await proofline(args, dir)
    expect(first.code, first.stderr).toBe(4)
    const run = runOf(first)
    expect(documentOf(first).data).toMatchObject({
      status: "stopped",
      stopped: { by: "budget", message: "The budget is used up: 2 of 2 attempts (max_attempts)." },
      message: "The budget is used up: 2 of 2 attempts (max_attempts)."
    })
    expect(statusesOf(first).toSorted()).toEqual(["completed", "completed", "pending"])
    expect(callsOf(dir)).toHaveLength(2)

    const second = await proofline(["resume", run, "--json"], dir)
    expect(second.code, second.stderr).toBe(0)
    expect(callsOf(dir)).toHaveLength(3)
    const replayed = await proofline(["replay", run], dir)
    expect(replayed.code, replayed.stdout + replayed.stderr).toBe(0)
  })

  it("tells people what was used up, and how to go on", async () => {
    const dir = staged(tasksFile(["a", "b"]))
    const { code, stdout } = await proofline(["run", "tasks.yaml", ...withAgent, "--max-attempts", "1"], dir)
    expect(code).toBe(4)
    expect(stdout).toContain("The budget is used up: 1 of 1 attempt (max_attempts).")
    expect(stdout).toMatch(/Go on with: .*resume run_/)
  })

  it("counts the tokens and dollars that agents tell of, and the nearest settings go before", async () => {
    const defaults = "defaults: {workers: 1, max_tokens: 150}\n"
    const dir = staged(tasksFile(["a", "b", "c"], defaults), { "proofline.yaml": "max_cost: 1.2\nmax_tokens: 50\n" })
    const first = await proofline(["run", "tasks.yaml", ...withAgent, "--json"], dir)
    expect(first.code, first.stderr).toBe(4)
    expect(documentOf(first).data.message).toBe("The budget is used up: 200 of 150 tokens (max_tokens).")
    const events = await eventsOf(runOf(first), dir)
    expect(events.flatMap(({ content, event_type }) => (event_type === "AGENT_CALLED" ? [content] : []))).toEqual([
      {
        agent: "command",
        role: "work",
        task_id: "a",
        attempt: 1,
        usage: { input_tokens: 70, output_tokens: 30, cost_usd: 0.5 }
      },
      {
        agent: "command",
        role: "work",
        task_id: "b",
        attempt: 1,
        usage: { input_tokens: 70, output_tokens: 30, cost_usd: 0.5 }
      }
    ])
    const { budget } = events[0].content.config
    expect(budget).toMatchObject({ max_tokens: 150, max_cost_usd: 1.2, max_attempts: null, max_calls: null })

    const more = staged(tasksFile(["a", "b", "c"], defaults))
    const dollars = await proofline(
      ["run", "tasks.yaml", ...withAgent, "--max-tokens", "1000", "--max-cost", "0.75", "--json"],
      more
    )
    expect(documentOf(dollars).data.message).toBe("The budget is used up: $1 of $0.75 (max_cost_usd).")
    expect(callsOf(more)).toHaveLength(2)
  })

  it("is ended when its time is over, with its agents, and takes up what it gave up", async () => {
    const waits = `#!/bin/sh\necho $$ > pid\nwhile ! [ -e go ]; do sleep 0.1; done\necho done > "$PROOFLINE_TASK_ID.txt"\n`
    const dir = staged(tasksFile(["a", "b"]), { "agent.sh": waits })
    const first = await proofline(
      ["run", "tasks.yaml", ...withAgent, "--workers", "1", "--max-duration", "3s", "--json"],
      dir
    )
    expect(first.code, first.stderr).toBe(4)
    expect(documentOf(first).data).toMatchObject({
      status: "stopped",
      message: "The budget is used up: 3s are over (max_duration)."
    })
    if (existsSync(Path.join(dir, "pid"))) {
      expect(isGone(Number(readFileSync(Path.join(dir, "pid"), "utf8")))).toBe(true)
    }
    writeFileSync(Path.join(dir, "go"), "")
    const second = await proofline(["resume", runOf(first), "--max-duration", "99h", "--json"], dir)
    expect(second.code, second.stderr).toBe(0)
    expect(statusesOf(second)).toEqual(["completed", "completed"])
    expect((await proofline(["replay", runOf(first)], dir)).code).toBe(0)
  })
})

describe("a step", () => {
  const tasks = `tasks:
  - {id: a, name: a, instruction: Write it., validation: [It is good.]}
  - {id: b, name: b, instruction: Write it., checks: ["test -e b.txt"], depends_on: [a]}
`
  const critic = { "proofline.yaml": "agents: {critic: {command: ./agent.sh}}\n" }

  it("is one call of an agent, says what was done and how to go on", async () => {
    const dir = staged(tasks, critic)
    const first = await proofline(["run", "tasks.yaml", ...withAgent, "--reviewer", "critic", "--step", "--json"], dir)
    expect(first.code, first.stderr).toBe(4)
    const run = runOf(first)
    expect(first.stderr).toContain("One step was made: agent command worked on task a, attempt 1.")
    expect(first.stderr).toMatch(new RegExp(`Make the next step with: .*resume ${run} --step`))
    expect(callsOf(dir)).toEqual(["work a"])

    const second = await proofline(["resume", run, "--step", "--json"], dir)
    expect(second.code, second.stderr).toBe(4)
    expect(second.stderr).toContain("agent critic reviewed attempt 1 of task a")
    expect(callsOf(dir)).toEqual(["work a", "review a"])

    const third = await proofline(["resume", run, "--step", "--json"], dir)
    expect(third.code, third.stderr).toBe(0)
    expect(statusesOf(third)).toEqual(["completed", "completed"])
  })

  it("is an analysis, where an agent plans the split, and asks again within it", async () => {
    const plan = (prompt: string) =>
      `{"prompt": "${prompt}", "dependencies": [], "acceptance_criteria": ["It is there."]}`
    const planner = `#!/bin/sh
echo "$PROOFLINE_ROLE $PROOFLINE_TASK_ID" >> calls.txt
case "$PROOFLINE_ROLE-$PROOFLINE_ATTEMPT" in
  analyze-0) echo "I would split it." > "$PROOFLINE_REPORT_FILE" ;;
  analyze-1) echo '{"is_decomposable": true, "decomposition_reason": "Two files.", "subtasks": [${plan("Write one.txt")}, ${plan("Write two.txt")}]}' > "$PROOFLINE_REPORT_FILE" ;;
esac
`
    const dir = staged("", { "agent.sh": planner })
    const args = ["chunk", "Write one.txt and two.txt.", ...withAgent, "--analyzer", "agent", "--reviewer", "none"]
    const first = await proofline([...args, "--step", "--json"], dir)
    expect(first.code, first.stderr).toBe(4)
    expect(first.stderr).toContain("agent command planned how to split task task-001")
    expect(callsOf(dir)).toEqual(["analyze task-001", "analyze task-001"])
    await proofline(["resume", runOf(first), "--step", "--json"], dir)
    expect(callsOf(dir).slice(2)).toEqual(["work task-001-sub-1"])
  })
})
