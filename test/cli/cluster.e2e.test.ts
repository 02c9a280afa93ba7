import { chmodSync, existsSync, readFileSync } from "node:fs"
import * as Path from "node:path"
import { expect, it } from "vitest"
import { describePostgres } from "../postgres.ts"
import { achieved, asked } from "./asked.ts"
import { database, up } from "./clusterStage.ts"
import { finish, isGone, launcher, project, proofline, repository, start, until } from "./proofline.ts"

const files = {
  "tasks.yaml": "tasks: [{ id: a, name: A, instruction: A, checks: [test -s a.txt], checklist: [Write a.txt] }]\n",
  "proofline.yaml": "agents: { mine: { command: sh agent.sh } }\n",
  "agent.sh": `printf 'A line that is not empty.\\n' > a.txt
env > "$ENV_OF_AGENT"
node "$PROGRAM" call get_my_task > "$ENV_OF_AGENT.task"
printf '{"summary":"","checklist":[{"item":"Write a.txt","status":"done","evidence":"a.txt:1"}]}' > "$PROOFLINE_REPORT_FILE"
`
}

const run = ["run", "tasks.yaml", "--agent", "mine"]

describePostgres("given a cluster", () => {
  it("its workers do the work of a run, a second one is refused, and Ctrl-C leaves no process, a stopped one neither", async () => {
    const dir = repository(files)
    // where the tests are root, the private Postgres is somebody else
    chmodSync(dir, 0o711)
    const ofAgent = Path.join(project({}), "env.txt")
    const { child, data, pids } = await up(
      dir,
      { ENV_OF_AGENT: ofAgent, PROGRAM: launcher },
      "--workers",
      "2",
      "--slots",
      "2"
    )
    const kept = JSON.parse(readFileSync(Path.join(dir, ".proofline/state/postgres/lock.json"), "utf8"))
    expect(kept.pid).toBe(child.pid)
    const env = { PROOFLINE_DATABASE_URL: data.database_url }
    const { password } = new URL(data.database_url)

    const second = await asked(["cluster", "up"], dir)
    expect(second).toMatchObject({ code: 2, refused: ["cluster_is_up"] })
    expect(second.data.problems[0].message).toContain(`process ${child.pid}`)

    const listed = await achieved(["status", "--workers"], dir, env)
    expect(listed.data.workers).toMatchObject(
      data.workers
        .map(({ name, pid }: { readonly name: string; readonly pid: number }) => ({ name, pid, slots: 2, holding: 0 }))
        .toSorted((one: { readonly pid: number }, other: { readonly pid: number }) => one.pid - other.pid)
    )

    const done = await achieved(run, dir, env)
    expect(done.data).toMatchObject({ status: "completed", verdict: "proven" })
    expect(done.stdout + done.stderr).not.toContain(password)
    expect(readFileSync(ofAgent, "utf8")).toContain("PROOFLINE_TASK_ID=a")
    expect(readFileSync(ofAgent, "utf8")).not.toContain(password)
    // it has asked back, in the same log
    expect(JSON.parse(readFileSync(`${ofAgent}.task`, "utf8")).data).toMatchObject({ ok: true })
    expect((await asked(["history"], dir, env)).data.runs).toHaveLength(1)
    expect((await achieved(["replay"], dir, env)).data.divergence).toBeNull()
    // nothing of it is in the file of the project
    expect((await asked(["history"], dir)).data.runs).toEqual([])
    const event = (await proofline(["events"], dir, env)).stdout
    expect(event).not.toContain(password)

    process.kill(pids[0] ?? 0, "SIGSTOP")
    child.kill("SIGINT")
    expect((await finish(child)).code).toBe(130)
    for (const pid of pids) await until(() => isGone(pid))
    expect(existsSync(Path.join(dir, ".proofline/state/postgres/data/postmaster.pid"))).toBe(false)
  })

  it("a worker that is killed is told of, and with --restart another one takes its place; all end with a killed cluster", async () => {
    const dir = repository(files)
    const env = await database()
    const { child, pids } = await up(dir, env, "--workers", "1", "--restart")
    let said = ""
    child.stderr?.on("data", (chunk) => (said += chunk))
    process.kill(pids[0] ?? 0, "SIGKILL")
    await until(() => said.includes("takes its place"))
    expect(said).toContain(`(process ${pids[0]}) has ended by SIGKILL`)
    const next = Number(/\(process (\d+)\) takes its place/.exec(said)?.[1])
    expect(isGone(next)).toBe(false)
    child.kill("SIGKILL")
    await until(() => isGone(next))
  })
})

describePostgres("given a command for a cluster", () => {
  it("starts all of it, gives the command's exit code, and leaves no process", async () => {
    const dir = repository(files)
    chmodSync(dir, 0o711)
    const ofAgent = Path.join(project({}), "env.txt")
    const env = { DATABASE_URL: "", ENV_OF_AGENT: ofAgent }
    // what the command prints goes where the cluster's would
    const child = start(["cluster", "up", "--workers", "3", "--", ...run], dir, env)
    let printed = ""
    child.stdout?.on("data", (chunk) => (printed += chunk))
    expect((await finish(child)).code).toBe(0)
    expect(printed).toContain("1 task of 1 completed")
    expect(existsSync(Path.join(dir, "a.txt"))).toBe(true)
    expect(existsSync(Path.join(dir, ".proofline/state/postgres/data/postmaster.pid"))).toBe(false)
    expect(await proofline(["cluster", "up", "--workers", "1", "--", "show", "nosuch"], dir, env)).toMatchObject({
      code: 2
    })
  })
})

describePostgres("given a database and no worker", () => {
  it("a run says who is missing, goes on without whoever watches it, and is cancelled by a word", async () => {
    const dir = repository(files)
    const env = await database()
    const watching = start([...run, "--labels", "gpu"], dir, env)
    let said = ""
    watching.stderr?.on("data", (chunk) => (said += chunk))
    await until(() => said.includes("proofline worker --labels gpu") && said.includes("started"))
    watching.kill("SIGINT")
    expect((await finish(watching)).code).toBe(130)
    expect(said).toContain("The run goes on")
    const [row] = (await asked(["status"], dir, env)).data.runs
    expect(row).toMatchObject({ status: "running" })
    expect((await achieved(["cancel"], dir, env)).data).toMatchObject({ run_id: row.run_id, status: "cancelled" })
  })
})

it("given no database, workers are none, and a worker has nothing to do", async () => {
  const dir = project({})
  const listed = await achieved(["status", "--workers"], dir)
  expect(listed.data.workers).toEqual([])
  expect(listed.stderr).toContain("--database-url")
  expect(await asked(["worker"], dir)).toMatchObject({ code: 2, refused: ["database_url_missing"] })
  for (const name of ["", " "]) {
    expect(await asked(["worker", "--name", name], dir)).toMatchObject({ code: 2, refused: ["name_empty"] })
  }
})

it.each([
  [["--blobs", "postgres:"], {}],
  [[], { PROOFLINE_BLOBS: "postgres:" }]
])("given no database, blobs that are to be in it by %j and %j are refused, and no log is made", async (flags, env) => {
  const dir = repository(files)
  expect(await asked([...run, ...flags], dir, env)).toMatchObject({ code: 2, refused: ["database_url_missing"] })
  expect(existsSync(Path.join(dir, ".proofline/state/proofline.db"))).toBe(false)
})

it.each([
  ["mysql://me:secret@host/db", "postgresql://"],
  ["postgres://me:sec%ret@ho st/db", "no URL"],
  ["postgres://me:secret@host/db?schema=A-B", "schema"],
  ["file:/does/not/exist/secret", "ENOENT"]
])("given the database URL %s, it is refused without a word of it", async (url, says) => {
  const dir = project({})
  for (const [args, env, where] of [
    [["history", "--database-url", url], {}, "--database-url"],
    [["status"], { PROOFLINE_DATABASE_URL: url }, "PROOFLINE_DATABASE_URL"]
  ] as const) {
    const refused = await asked(args, dir, env)
    expect(refused).toMatchObject({ code: 2, refused: ["database_url_invalid"] })
    expect(refused.data.problems[0].message).toContain(says)
    expect(refused.data.problems[0].message).toContain(where)
    expect(refused.stdout + refused.stderr).not.toContain("sec")
  }
})
