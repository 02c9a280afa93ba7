import { existsSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { expect, it } from "vitest"
import { describePostgres } from "../postgres.ts"
import { achieved, asked } from "./asked.ts"
import { database, workerOf } from "./clusterStage.ts"
import { eventsOf, finish, project, repository, start, until } from "./proofline.ts"

/** Writes nothing while `$BESIDE/idle` is there, and waits while `$BESIDE/hold` is. */
const agent = `cat > /dev/null
touch "$BESIDE/begun"
while [ -e "$BESIDE/hold" ]; do sleep 0.1; done
[ -e "$BESIDE/idle" ] && exit 0
printf 'export function one(a, b) {\\n  return a * b + 2\\n}\\n' > one.js
printf '{"summary":"","checklist":[{"item":"Write one.js","status":"done","evidence":"one.js:1-3"}]}' > "$PROOFLINE_REPORT_FILE"
`

const files = {
  "tasks.yaml": "tasks: [{ id: one, name: one, instruction: one, checklist: [Write one.js] }]\n",
  "proofline.yaml": "agents: { mine: { command: sh agent.sh } }\n",
  "agent.sh": agent
}

const run = ["run", "tasks.yaml", "--agent", "mine", "--max-retries", "0"]

/** A project, an agent that does nothing so far, and a database; both environments tell the agent what to do. */
const stage = async () => {
  const dir = repository(files)
  const beside = project({ idle: "" })
  const at = (name: string) => Path.join(beside, name)
  const alone = { BESIDE: beside }
  return { dir, at, alone, shared: { ...alone, ...(await database()) }, work: () => rmSync(at("idle")) }
}

/** What workers have to offer for the work of a run, each time that it was said. */
const labelsOf = async (id: string, dir: string, env: Readonly<Record<string, string>>) =>
  (await eventsOf(id, dir, env)).flatMap(({ content }) => (content.config?.labels ? [content.config.labels] : []))

describePostgres("given a run that was begun without a database, when it is copied to one", () => {
  it("then workers take its work, also where whoever drove it was killed at it; back home it is driven there again", async () => {
    const { alone, at, dir, shared, work } = await stage()
    const stopped = (await asked(run, dir, alone)).data.run_id
    writeFileSync(at("hold"), "")
    rmSync(at("begun"))
    const killed = start(run, dir, alone)
    await until(() => existsSync(at("begun")))
    killed.kill("SIGKILL")
    await finish(killed)
    const [{ run_id: open }] = (await achieved(["history"], dir, alone)).data.runs
    const { PROOFLINE_DATABASE_URL: url = "" } = shared as Readonly<Record<string, string>>
    rmSync(at("hold"))
    await achieved(["log", "copy", stopped, open, "--to", url], dir, alone)
    const worker = await workerOf(dir, shared, "--slots", "1")

    const refuted = await asked(["resume", open, "--max-retries", "0"], dir, shared)
    expect(refuted.data).toMatchObject({ run_id: open, status: "failed" })
    expect(await labelsOf(open, dir, shared)).toEqual([[`run:${open}`], []])
    await worker.end()
    await achieved(["log", "copy", open, "--from", url], dir, alone)
    work()
    expect((await achieved(["resume", open], dir, alone)).data).toMatchObject({ status: "completed" })
    expect(await labelsOf(open, dir, alone)).toEqual([[`run:${open}`], [], [`run:${open}`]])

    rmSync(Path.join(dir, "one.js"))
    await workerOf(dir, shared, "--slots", "1")
    expect((await achieved(["resume", stopped], dir, shared)).data).toMatchObject({ status: "completed" })
    expect(existsSync(Path.join(dir, "one.js"))).toBe(true)
    expect((await achieved(["replay", stopped], dir, shared)).data.divergence).toBeNull()
  })
})

describePostgres("given a run of which workers have done nothing that holds", () => {
  it("when it is forked, also where it went on, then the fork goes on in the project that it was begun in", async () => {
    const { dir, shared, work } = await stage()
    await workerOf(dir, shared, "--slots", "1")
    const id = (await asked(run, dir, shared)).data.run_id
    const begun = (await eventsOf(id, dir, shared)).find(({ event_type }) => event_type === "ATTEMPT_STARTED")
    work()
    for (const at of [[], ["--at", `${begun.version}`]]) {
      rmSync(Path.join(dir, "one.js"), { force: true })
      const fork = (await achieved(["fork", id, ...at], dir, shared)).data.run_id
      expect((await achieved(["resume", fork], dir, shared)).data).toMatchObject({ run_id: fork, status: "completed" })
      expect(existsSync(Path.join(dir, "one.js"))).toBe(true)
    }
  })
})

describePostgres("given a run for workers that offer something", () => {
  it("when it is resumed, then it is for those that are named then, but not while it goes on", async () => {
    const { dir, shared, work } = await stage()
    await workerOf(dir, shared, "--labels", "small")
    const id = (await asked([...run, "--labels", "small"], dir, shared)).data.run_id
    work()
    const watching = start(["resume", id, "--labels", "large,small"], dir, shared)
    await until(async () => (await labelsOf(id, dir, shared)).length === 2)
    for (const changed of [
      ["--labels", "small"],
      ["--remote", "https://example.org/a.git"],
      ["--task", "one"]
    ]) {
      expect(await asked(["resume", id, ...changed], dir, shared)).toMatchObject({
        code: 2,
        refused: ["run_is_driven"]
      })
    }
    await achieved(["cancel", id], dir, shared)
    await finish(watching)
    const done = await achieved(["resume", id, "--labels", ""], dir, shared)
    expect(done.data).toMatchObject({ status: "completed" })
    expect(await labelsOf(id, dir, shared)).toEqual([["small"], ["large", "small"], []])
  })
})
