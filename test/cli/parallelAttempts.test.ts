import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { git } from "../plugins/repositories.ts"
import { achieved, asked, each, expectReplay } from "./asked.ts"
import { eventsOf, finish, project, proofline, repository, start, until } from "./proofline.ts"

/** The third of three attempts is done when `go` is there; the others never are, and leave something in their worktrees. */
const agent = `#!/bin/sh
cat > "$PROOFLINE_TASK_ID.prompt"
echo "$PROOFLINE_TASK_ID $$ $(pwd)" >> "$STAGE"
case $PROOFLINE_TASK_ID in *-try-1|*-try-2) echo junk > junk.txt; sleep 600;; esac
while [ ! -e "$GO" ]; do sleep 0.05; done
rm -f *.prompt
printf 'export const add = (a, b) => {\\n  return a + b\\n}\\n' > add.js
printf '{"input_tokens": 10, "output_tokens": 5, "cost_usd": 0.25}' > "$PROOFLINE_USAGE_FILE"
printf '{"summary":"","checklist":[{"item":"Add add() to add.js","status":"done","evidence":"add.js:1-3"}]}' > "$PROOFLINE_REPORT_FILE"
`
const tasks = `tasks:
  - { id: sum, name: Sum, instruction: Write add., checklist: [Add add() to add.js], checks: ["grep -q return add.js"] }
`

const staged = (files: Readonly<Record<string, string>> = {}, make = repository) => {
  const dir = make({ "tasks.yaml": tasks, ".gitignore": "*.prompt\n", "bin/agent.sh": agent, ...files })
  const away = project({})
  const env = { STAGE: join(away, "stage"), GO: join(away, "go") }
  const lines = () => (existsSync(env.STAGE) ? readFileSync(env.STAGE, "utf8").trim().split("\n") : [])
  return { dir, env, away, lines, release: () => writeFileSync(env.GO, "") }
}

const withAgent = ["--agent-command", "sh bin/agent.sh", "--reviewer", "none"]
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe("several attempts at a task beside each other", () => {
  it("given that one is proven, then the others are ended with all they started, and nothing of them is in the project", async () => {
    const { dir, env, lines, release } = staged()
    const run = finish(start(["run", "tasks.yaml", ...withAgent, "--attempts", "3", "--json"], dir, env))
    await until(() => lines().length === 3)
    expect(new Set(lines().map((line) => line.split(" ")[2])).size).toBe(3)
    const { stdout } = await proofline(["status", "last"], dir)
    expect(stdout).toContain("Attempt 3: Running")
    release()
    const { code, stderr, stdout: document } = await run
    expect(code, stderr).toBe(0)
    expect(JSON.parse(document).data).toMatchObject({ status: "completed", verdict: "proven", counts: { proven: 1 } })
    expect(readdirSync(dir).sort()).toEqual([".git", ".gitignore", ".proofline", "add.js", "bin", "tasks.yaml"])
    await until(() => lines().every((line) => !isAlive(Number(line.split(" ")[1]))))
    expect(git(dir, "worktree", "list")).not.toContain("try")
    expect(git(dir, "for-each-ref", "refs/proofline")).not.toContain("sum")
    expect(stderr).not.toContain("stays")
    expect((await proofline(["show"], dir)).stdout).toContain("15 tokens and 0.25 US dollars")
    await achieved(["verify"], dir)
    await expectReplay(dir)
  })

  it("given a process that is killed meanwhile, then a resume goes on with all of them, and one wins", async () => {
    const { dir, env, lines, release } = staged()
    const first = start(["run", "tasks.yaml", ...withAgent, "--attempts", "3"], dir, env)
    await until(() => lines().length === 3)
    first.kill("SIGKILL")
    await finish(first)
    const run = finish(start(["resume", ...withAgent, "--json"], dir, env))
    await until(() => lines().length === 6)
    release()
    const { code, stderr } = await run
    expect(code, stderr).toBe(0)
    const events = await eventsOf((await asked(["status", "--all"], dir)).data.runs[0].run_id, dir)
    const won = events.filter(({ event_type }) => event_type === "PARALLEL_ATTEMPT_WON")
    expect(
      each(
        won.map(({ content }) => content),
        "subtask_id"
      )
    ).toEqual(["sum-try-3"])
    expect(readFileSync(join(dir, "add.js"), "utf8")).toContain("return a + b")
    expect(existsSync(join(dir, "junk.txt"))).toBe(false)
    await expectReplay(dir)
  })

  it("given no repository, then it is attempted once, and a warning says why", async () => {
    const { dir, env, release } = staged({}, project)
    release()
    const { code, stderr } = await proofline(["run", "tasks.yaml", ...withAgent, "--attempts", "2"], dir, env)
    expect(code, stderr).toBe(0)
    expect(stderr).toContain("need a git repository with a commit")
  })

  it.each([
    ["a repository", repository, ["sum-try-1", "sum-try-2"]],
    ["no repository", project, ["sum"]]
  ] as const)(
    "given %s and reports that are refused, then each is tried again as max_retries says",
    async (_, make, ids) => {
      const cites = `#!/bin/sh
printf '{"summary":"","checklist":[{"item":"Add add() to add.js","status":"done","evidence":"add.js:1"}]}' > "$PROOFLINE_REPORT_FILE"
`
      const files = { "bin/agent.sh": cites, "add.js": "export const add = (a, b) => a + b\n" }
      const { dir } = staged(files, make)
      const { code } = await asked(
        ["run", "tasks.yaml", ...withAgent, "--attempts", "2", "--max-retries", "2", "--retry-delay", "1ms"],
        dir
      )
      expect(code).toBe(1)
      const events = await eventsOf((await asked(["status", "--all"], dir)).data.runs[0].run_id, dir)
      const started = events.filter(({ event_type }) => event_type === "ATTEMPT_STARTED").map(({ content }) => content)
      expect(each(started, "task_id").toSorted()).toEqual(ids.flatMap((id) => [id, id, id]))
      expect(events.map(({ event_type }) => event_type)).not.toContain("REVIEW_LOOP_START")
      await expectReplay(dir)
    }
  )

  it("given one task that says so, then that holds for it, whatever the run says", async () => {
    const { dir, env, lines, release } = staged({ "tasks.yaml": tasks.replace("id: sum,", "id: sum, attempts: 1,") })
    release()
    const { code } = await achieved(["run", "tasks.yaml", ...withAgent, "--attempts", "3"], dir, env)
    expect([code, lines().length]).toEqual([0, 1])
  })
})

describe("worktrees of a run that is completed", () => {
  const quick = (more = "") => `#!/bin/sh
case $PROOFLINE_ROLE in
generate) cat plan.yaml > "$PROOFLINE_REPORT_FILE"; exit;;
verify) printf '{"all_requirements_met":true,"requirement_status":[{"requirement_id":"sum","met":true,"evidence":"add.js:1-3"}]}' > "$PROOFLINE_REPORT_FILE"; exit;;
esac
${more}
printf 'export const add = (a, b) => {\\n  return a + b\\n}\\n' > add.js
printf '{"summary":"","checklist":[{"item":"Add add() to add.js","status":"done","evidence":"add.js:1-3"}]}' > "$PROOFLINE_REPORT_FILE"
`
  const files = {
    "tasks.yaml": tasks,
    "requirements.yaml": `name: Sums\nrequirements: [{ id: sum, name: Sum, acceptance_criteria: ["add() adds"] }]\n`,
    "plan.yaml": tasks.replace("name: Sum,", "name: Sum, covers: [sum.1],")
  }
  const left = (dir: string) =>
    readdirSync(join(dir, ".proofline/state/worktrees")).filter((name) => name !== ".gitignore")

  it("when it is the task run of a requirements run, then they are removed with that", async () => {
    const dir = repository({ ...files, "bin/agent.sh": quick() })
    await achieved(["run-requirements", "requirements.yaml", ...withAgent.slice(0, 2), "--attempts", "2"], dir)
    expect(git(dir, "worktree", "list").trim().split("\n")).toHaveLength(1)
    expect(left(dir)).toEqual([])
  })

  it.each([
    [["run", "tasks.yaml", ...withAgent]],
    [["run-requirements", "requirements.yaml", ...withAgent.slice(0, 2)]]
  ])("when some of %j stayed, then doctor names them, and a resume that names no run removes them", async (command) => {
    const dir = repository({ ...files, "bin/agent.sh": quick('git worktree lock "$PWD"') })
    await achieved([...command, "--attempts", "2"], dir)
    const [run = ""] = left(dir)
    for (const tree of readdirSync(join(dir, ".proofline/state/worktrees", run))) {
      git(dir, "worktree", "unlock", join(dir, ".proofline/state/worktrees", run, tree))
    }
    const named = async () =>
      (await asked(["doctor"], dir)).data.findings.filter(({ code }: { code: string }) => code === "worktrees_left")
    expect(await named()).toMatchObject([{ severity: "note", fix: expect.stringContaining(`resume ${run}`) }])
    await achieved(["resume"], dir)
    expect(git(dir, "worktree", "list").trim().split("\n")).toHaveLength(1)
    expect(await named()).toEqual([])
  })
})
