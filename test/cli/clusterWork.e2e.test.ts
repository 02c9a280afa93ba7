import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { expect, it } from "vitest"
import { begin } from "../plugins/repositories.ts"
import { describePostgres } from "../postgres.ts"
import { achieved, asked } from "./asked.ts"
import { database, up, workerOf } from "./clusterStage.ts"
import { afterwards, eventsOf, finish, isGone, project, repository, start, until, withSources } from "./proofline.ts"

/** Writes `<task>.js`, and what it is told by files beside the project: `hold` makes it wait. */
const agent = `
cat > /dev/null
case "$PROOFLINE_ROLE" in
generate)
  printf 'tasks: [{ id: more, name: more, instruction: more, covers: [req_1.1], checklist: [Write more.js] }]\\n'
  exit ;;
esac
echo $$ >> "$BESIDE/$PROOFLINE_TASK_ID.pids"
while [ -e "$BESIDE/hold" ]; do sleep 0.1; done
n=$PROOFLINE_TASK_ID
printf 'export function %s(a, b) {\\n  return a * b + 2\\n}\\n' $n > $n.js
printf '// %s was here\\n' $n >> "shared-$n.js"
[ $n != more ] || git clone -q . inner
printf '{"summary":"","checklist":[{"item":"Write %s.js","status":"done","evidence":"%s.js:1-3"}]}' $n $n > "$PROOFLINE_REPORT_FILE"
`

const names = ["one", "two", "three", "four", "five", "six"]

const files = {
  "tasks.yaml": `tasks:\n${names.map((id) => `- { id: ${id}, name: ${id}, instruction: ${id}, checklist: [Write ${id}.js] }\n`).join("")}`,
  "requirements.yaml": `name: more
requirements:
  - id: req_1
    description: There is more
    acceptance_criteria: [{ criterion: more.js is there, check: test -s more.js }]
generation: { generator: agent }
`,
  "proofline.yaml": "agents: { mine: { command: sh agent.sh } }\n",
  "agent.sh": agent,
  "kept.txt": "as it was\n"
}

/** A project, a database, and a directory beside it by which agents are told what to do. */
const stage = async () => {
  const dir = repository(files)
  const beside = project({})
  const hold = Path.join(beside, "hold")
  return {
    dir,
    env: { ...(await database()), BESIDE: beside },
    hold: () => writeFileSync(hold, ""),
    letGo: () => execFileSync("rm", ["-f", hold]),
    /** Processes of agents that have begun with a task. */
    agentsOf: (task: string): ReadonlyArray<number> => {
      const file = Path.join(beside, `${task}.pids`)
      return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(Number) : []
    }
  }
}

/** The same with workers until the end of the test. */
const staffed = async (workers: number, slots: number) => {
  const staged = await stage()
  const { child } = await up(staged.dir, staged.env, "--workers", `${workers}`, "--slots", `${slots}`)
  afterwards(async () => {
    child.kill("SIGTERM")
    await finish(child)
  })
  return staged
}

/** The same with agents that wait until they are let go. */
const held = async (workers: number, slots: number) => {
  const staged = await staffed(workers, slots)
  staged.hold()
  return staged
}

interface Holding {
  readonly holding: number
}

interface Finding {
  readonly code: string
}

const run = ["run", "tasks.yaml", "--agent", "mine"]

describePostgres("given workers of which each has its own checkout", () => {
  it("one that is killed at work is replaced by the others, and everything is brought home, beside what was changed there meanwhile", async () => {
    const { agentsOf, dir, env, hold, letGo } = await stage()
    hold()
    const { child, pids } = await up(dir, env, "--workers", "3", "--slots", "4")
    const running = start([...run, "--json"], dir, env)
    let printed = ""
    running.stdout?.on("data", (chunk) => (printed += chunk))
    await until(() => names.every((name) => agentsOf(name).length === 1))
    const { workers } = (await achieved(["status", "--workers"], dir, env)).data
    const [{ holding, pid }] = workers.toSorted((one: Holding, other: Holding) => other.holding - one.holding)
    process.kill(pid, "SIGKILL")
    const killedAt = Date.now()
    await until(() => names.filter((name) => agentsOf(name).length === 2).length === holding)
    process.stdout.write(
      `${holding} agents of a killed worker began elsewhere within ${Date.now() - killedAt} ms (goal 5000)\n`
    )
    writeFileSync(Path.join(dir, "kept.txt"), "changed meanwhile\n")
    letGo()
    expect((await finish(running)).code).toBe(0)
    const { data } = JSON.parse(printed)
    expect(data).toMatchObject({ status: "completed", verdict: "proven" })
    for (const name of names) expect(readFileSync(Path.join(dir, `${name}.js`), "utf8")).toContain(`function ${name}`)
    expect(readFileSync(Path.join(dir, "kept.txt"), "utf8")).toBe("changed meanwhile\n")
    expect((await achieved(["verify"], dir, env)).data).toMatchObject({ verdict: "proven" })
    expect((await achieved(["replay"], dir, env)).data.divergence).toBeNull()
    child.kill("SIGTERM")
    await finish(child)
    for (const pid of pids) await until(() => isGone(pid))
  })

  it("a requirements run needs one slot, which its task run has while it waits", async () => {
    const { dir, env } = await staffed(1, 1)
    begin(Path.join(dir, "own"), { "own.txt": "own\n" })
    const done = await achieved(["run-requirements", "requirements.yaml", "--agent", "mine"], dir, env)
    expect(done.data).toMatchObject({ status: "completed", requirements: [{ id: "req_1", verdict: "proven" }] })
    expect(existsSync(Path.join(dir, "more.js"))).toBe(true)
    expect(existsSync(Path.join(dir, "generated/requirements-tasks-iter1.yaml"))).toBe(true)
    expect(done.stderr).toContain("Workers do not get own/: it is a git repository of its own")
    expect(done.stderr).toContain("The project does not get inner/: it is a git repository of its own")
  })

  it("what was changed at home where the run was is not overwritten, and resume brings the work when it is out of the way", async () => {
    const { agentsOf, dir, env, letGo } = await held(1, 6)
    const running = start(run, dir, env)
    let said = ""
    running.stderr?.on("data", (chunk) => (said += chunk))
    await until(() => names.every((name) => agentsOf(name).length === 1))
    writeFileSync(Path.join(dir, "one.js"), "mine\n")
    letGo()
    expect((await finish(running)).code).toBe(3)
    expect(said).toContain("one.js")
    expect(said).toContain("git merge")
    expect(readFileSync(Path.join(dir, "one.js"), "utf8")).toBe("mine\n")
    expect(existsSync(Path.join(dir, "two.js"))).toBe(false)
    execFileSync("rm", [Path.join(dir, "one.js")])
    const [{ run_id }] = (await asked(["history"], dir, env)).data.runs
    await achieved(["resume", run_id], dir, env)
    for (const name of names) expect(existsSync(Path.join(dir, `${name}.js`))).toBe(true)
    const refs = execFileSync("git", ["for-each-ref", "--format=%(refname)", "refs/proofline"], { cwd: dir })
    // what the files were at each attempt stays, for `bisect`
    expect(refs.toString()).toBe(`refs/proofline/_trees/${run_id}\nrefs/proofline/${run_id}\n`)
    expect((await achieved(["resume", run_id], dir, env)).stderr).not.toContain("not in the project")
  })

  it("what was completed after whoever watched was killed is named by doctor and by what shows runs, and brought home by resume without a name", async () => {
    const { agentsOf, dir, env, letGo } = await held(1, 6)
    const running = start(run, dir, env)
    await until(() => names.every((name) => agentsOf(name).length === 1))
    running.kill("SIGKILL")
    await finish(running)
    letGo()
    const newest = async () => (await achieved(["history"], dir, env)).data.runs[0]
    await until(async () => (await newest()).status === "completed")
    const { run_id } = await newest()
    const elsewhere = async () =>
      (await asked(["doctor"], dir, env)).data.findings.filter(({ code }: Finding) => code === "work_elsewhere")
    await until(async () => (await elsewhere()).length > 0)
    expect(await elsewhere()).toMatchObject([{ place: run_id, fix: expect.stringContaining(`resume ${run_id}`) }])
    for (const told of [["history"], ["status"], ["status", run_id], ["show", run_id]]) {
      expect((await asked(told, dir, env)).stderr, told.join(" ")).toContain("work_elsewhere")
    }
    expect(existsSync(Path.join(dir, "one.js"))).toBe(false)

    const { data } = await achieved(["resume"], dir, env)
    expect(data).toMatchObject({ run_id, status: "completed" })
    for (const name of names) expect(existsSync(Path.join(dir, `${name}.js`))).toBe(true)
    expect(await elsewhere()).toEqual([])
    expect((await achieved(["history"], dir, env)).stderr).not.toContain("work_elsewhere")
    expect(await asked(["resume"], dir, env)).toMatchObject({ code: 2, refused: ["run_unknown"] })
  })

  it("a run that is cancelled from elsewhere ends the agents of its workers within seconds, and goes on for one task then", async () => {
    const { agentsOf, dir, env, letGo } = await held(2, 3)
    const running = start(run, dir, env)
    await until(() => names.every((name) => agentsOf(name).length === 1))
    const forTwo = ["resume", "last", "--task", "two"]
    expect(await asked(forTwo, dir, env)).toMatchObject({ code: 2, refused: ["run_is_driven"] })
    const cancelledAt = Date.now()
    await achieved(["cancel"], dir, env)
    for (const name of names) await until(() => isGone(agentsOf(name)[0] ?? 0))
    process.stdout.write(`Six agents were gone ${Date.now() - cancelledAt} ms after cancel began (goal 5000)\n`)
    await finish(running)
    letGo()
    const { code, data } = await asked(forTwo, dir, env)
    expect([code, data.status, data.tasks.map(({ status }: { readonly status: string }) => status)]).toEqual([
      1,
      "incomplete",
      names.map((name) => (name === "two" ? "completed" : "skipped"))
    ])
    expect(names.map((name) => agentsOf(name).length)).toEqual([1, 2, 1, 1, 1, 1])
    expect(existsSync(Path.join(dir, "two.js"))).toBe(true)
    expect((await achieved(["replay"], dir, env)).data.divergence).toBeNull()
  })
})

describePostgres("given a run whose only worker ends", () => {
  it("whoever drives it and whoever shows it are told that nobody works any more, and it goes on with another worker", async () => {
    const { agentsOf, dir, env, hold, letGo } = await stage()
    hold()
    const { end } = await workerOf(dir, env, "--slots", "6")
    const running = start(run, dir, env)
    let driving = ""
    running.stderr?.on("data", (chunk) => (driving += chunk))
    await until(() => names.every((name) => agentsOf(name).length === 1))
    const following = start(["show", "last", "--follow"], dir, env)
    let shown = ""
    let told = ""
    following.stdout?.on("data", (chunk) => (shown += chunk))
    following.stderr?.on("data", (chunk) => (told += chunk))
    await until(() => shown.includes("six"))
    expect(driving + told).not.toContain("No worker")
    await end()
    await until(() => driving.includes("No worker takes the work of this run any more. Start one with:"))
    await until(() => told.includes("No worker takes the work of this run"))
    letGo()
    await workerOf(dir, env, "--slots", "6")
    expect((await finish(running)).code).toBe(0)
    // what it looks up in the project comes there after the run has ended
    expect((await finish(following)).code, shown).toBe(0)
    expect(shown).toContain("Everything required is proven")
  })
})

describePostgres("given a project that workers cannot have", () => {
  it("nothing is begun without a repository", async () => {
    const dir = project(files)
    const env = await database()
    expect(await asked(run, dir, env)).toMatchObject({ code: 2, refused: ["checkout_no_repository"] })
    expect((await asked(["history"], dir, env)).data.runs).toEqual([])
  })
})

/** Nothing in `vendor` may be changed. The first task makes the project's plugin and its options accept that, then two do it, at the same time. */
const judged = {
  "tasks.yaml": `tasks:
- { id: one, name: one, instruction: one, checklist: [Write one.js] }
- { id: two, name: two, instruction: two, checklist: [Write two.js], depends_on: [one] }
- { id: three, name: three, instruction: three, checklist: [Write three.js], depends_on: [one] }
`,
  "proofline.yaml": `agents: { mine: { command: sh agent.sh } }
plugins: [{ use: ./frozen-files.ts, with: { folders: [vendor] } }]
`,
  "frozen-files.ts": withSources(
    readFileSync(new URL("../../examples/plugins/frozen-files.ts", import.meta.url), "utf8")
  ),
  "agent.sh": `cat > /dev/null
n=$PROOFLINE_TASK_ID
file=vendor/$n.js
if [ $n = one ]; then
  file=one.js
  sed 's/touched.length === 0/true/' frozen-files.ts > changed && mv changed frozen-files.ts
  sed 's/vendor/nothing/' proofline.yaml > changed && mv changed proofline.yaml
else
  mkdir -p vendor
  touch "$BESIDE/$n"
  until [ -e "$BESIDE/two" ] && [ -e "$BESIDE/three" ]; do sleep 0.1; done
fi
printf 'export function %s(a, b) {\\n  return a * b + 2\\n}\\n' $n > $file
printf '{"summary":"","checklist":[{"item":"Write %s.js","status":"done","evidence":"%s:1-3"}]}' $n $file > "$PROOFLINE_REPORT_FILE"
`
}

describePostgres("given an agent that makes a plugin of the project and its options accept anything", () => {
  it("work is judged by those that were handed over, also in a checkout that begins with what the agent has left", async () => {
    const dir = repository(judged)
    const env = { ...(await database()), BESIDE: project({}) }
    await workerOf(dir, env, "--slots", "2")
    const done = await asked([...run, "--max-retries", "0"], dir, env)
    expect(done.data).toMatchObject({ status: "incomplete", tasks: [{ status: "completed" }, {}, {}] })
    const refused = (await eventsOf(done.data.run_id, dir, env)).filter(
      ({ event_type }) => event_type === "GATE_REFUSED"
    )
    expect(refused.map(({ content }) => [content.task_id, content.gate]).toSorted()).toEqual([
      ["three", "frozen_files"],
      ["two", "frozen_files"]
    ])
    // what the agent has changed is work as any other
    expect(readFileSync(Path.join(dir, "frozen-files.ts"), "utf8")).not.toContain("touched.length")
  })
})
