import { existsSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { daily } from "../often.ts"
import { callsOf, done, scriptedAgent, withAgent } from "./agent.ts"
import { achieved, answerOf, asked, each, expectReplay, foundInLog } from "./asked.ts"
import { eventsOf, finish, project, proofline, start, until } from "./proofline.ts"

const task = (id: string) =>
  `  - { id: ${id}, name: ${id}, instruction: ${id}, checks: [test -s ${id}.txt], checklist: [Write ${id}.txt] }\n`
const works = (id: string) => ({
  files: { [`${id}.txt`]: "content\n" },
  report: done({ [`Write ${id}.txt`]: `${id}.txt:1` })
})

/** Read from the file, also while somebody writes it. */
const eventTypes = (dir: string): ReadonlyArray<string> => {
  try {
    const db = new DatabaseSync(Path.join(dir, ".proofline/state/proofline.db"), { readOnly: true })
    const rows = db.prepare("select event_type from event").all()
    db.close()
    return rows.map((row) => String(row["event_type"]))
  } catch {
    // it has no tables yet
    return []
  }
}

describe("given a run under way", () => {
  const hour = 3_600_000
  it.each(
    daily(
      [
        ["back by an hour", -hour],
        ["forward by an hour", hour]
      ],
      2
    )
  )(
    "when the clock is set %s, also while it waits to try again, then it ends as ever, and nothing is done twice",
    async (_, by) => {
      const dir = project({
        "tasks.yaml": `tasks:\n${task("a")}${task("b")}`,
        // one is at work when the clock is set, the other waits for its second attempt
        ...scriptedAgent({ a: [{ until: "go", ...works("a") }], b: [{ exit: 1 }, works("b")] })
      })
      const clock = Path.join(dir, "clock")
      const shim = fileURLToPath(new URL("clock.cjs", import.meta.url))
      const env = { NODE_OPTIONS: `--require ${shim}`, CLOCK_FILE: clock }
      const agent = [
        "--agent",
        "command",
        "--agent-command",
        "env -u NODE_OPTIONS node agent.mjs",
        "--retry-delay",
        "3s"
      ]
      const ended = finish(start(["run", "tasks.yaml", ...agent, "--json"], dir, env))
      const isWaiting = () => eventTypes(dir).includes("ATTEMPT_ENDED") && callsOf(dir).length === 2
      await until(isWaiting)
      writeFileSync(clock, `${by}`)
      // what was at work then is still when the other has been tried again
      await until(() => callsOf(dir).filter(({ task }) => task === "b").length === 2)
      writeFileSync(Path.join(dir, "go"), "")
      const { code, data } = answerOf(await ended)
      expect([code, data.status]).toEqual([0, "completed"])
      expect(each(callsOf(dir), "task").toSorted()).toEqual(["a", "b", "b"])
      const events = await eventsOf(data.run_id, dir)
      expect(each(events, "version")).toEqual(events.map((_, i) => i + 1))
      // it was set between the end of the one attempt and the beginning of the other
      const ofB = events.filter(
        ({ content, event_type }) => content.task_id === "b" && /^ATTEMPT_(ENDED|STARTED)$/.test(event_type)
      )
      const [, end, again] = ofB.map(({ timestamp }) => Date.parse(timestamp))
      expect(Math.abs((again as number) - (end as number) - by)).toBeLessThan(hour / 2)
      await achieved(["verify"], dir)
      await expectReplay(dir)
      const compared = await proofline(["diff", data.run_id, data.run_id], dir)
      expect(compared.stdout).toMatch(/^Duration +\d+\.\d s +\d+\.\d s$/m)
    }
  )

  it("whose log lies among its files when others look at the log, then it keeps it, and nobody cites it", async () => {
    const cited = (evidence: string) => ({ report: done({ "Write a.txt": evidence }) })
    const dir = project({
      "tasks.yaml": `tasks:\n${task("a")}`,
      ...scriptedAgent({
        a: [cited("st/proofline.db:1"), cited("file:st/proofline.db-shm"), { until: "go", ...works("a") }]
      })
    })
    const state = ["--state", "st"]
    const ended = finish(start(["run", "tasks.yaml", ...withAgent, ...state, "--json"], dir))
    await until(() => callsOf(dir).length === 3)
    // whoever closes the log last takes its write-ahead log away: they must not take themselves for the last
    const looked = await finish(start(["history", ...state, "--json"], dir))
    expect([looked.code, existsSync(Path.join(dir, "st/proofline.db-wal"))]).toEqual([0, true])
    writeFileSync(Path.join(dir, "go"), "")
    const { code, data } = answerOf(await ended)
    expect([code, data.status]).toEqual([0, "completed"])
    await achieved(["verify", data.run_id, ...state], dir)
  })

  it("when it is killed and its file is run again then what goes on with it is said, and another one begins", async () => {
    const dir = project({
      "tasks.yaml": `tasks:\n${task("a")}${task("b")}`,
      "others.yaml": `tasks:\n${task("b")}`,
      ...scriptedAgent({ a: [works("a")], b: [{ hang: true }, works("b")] })
    })
    const begin = ["run", "tasks.yaml", ...withAgent, "--max-retries", "0"]
    const first = start(begin, dir)
    await until(() => existsSync(Path.join(dir, "hanging")))
    first.kill("SIGKILL")
    await finish(first)
    const [{ run_id }] = (await asked(["history"], dir)).data.runs

    const filesOf = Path.join(dir, ".proofline/state/tmp", run_id)
    expect(existsSync(filesOf)).toBe(true)
    const others = await achieved(["run", "others.yaml", ...withAgent], dir)
    expect(existsSync(filesOf)).toBe(false)
    expect(others.stderr).not.toContain("has not ended")
    const again = await asked(begin, dir)
    expect(again.data.run_id).not.toBe(run_id)
    expect(again.stderr).toMatch(
      new RegExp(
        `NOTE: ${run_id} of tasks\\.yaml has not ended\\..* Go on with that one by: .*proofline resume ${run_id}\n`
      )
    )

    await achieved(["resume", run_id, ...withAgent], dir)
    expect((await asked(begin, dir)).stderr).not.toContain("has not ended")
  })

  it("when it is killed and cancelled then nothing of its agents stays", async () => {
    const dir = project({ "tasks.yaml": `tasks:\n${task("a")}`, ...scriptedAgent({ a: [{ hang: true }] }) })
    const first = start(["run", "tasks.yaml", ...withAgent], dir)
    await until(() => existsSync(Path.join(dir, "hanging")))
    first.kill("SIGKILL")
    await finish(first)
    const { run_id, status } = (await achieved(["cancel"], dir)).data
    expect(status).toBe("cancelled")
    expect(existsSync(Path.join(dir, ".proofline/state/tmp", run_id))).toBe(false)
  })

  it("when its driver is stopped while another goes on with it, or dies, then only one ever has it", async () => {
    const dir = project({
      "tasks.yaml": `tasks:\n${task("a")}`,
      ...scriptedAgent({ a: [{ until: "go", ...works("a") }] })
    })
    const first = start(["run", "tasks.yaml", ...withAgent, "--json"], dir)
    await until(() => callsOf(dir).length === 1)
    first.kill("SIGSTOP")
    // it holds the run as long as it lives, and may go on at any time
    expect(await asked(["resume"], dir)).toMatchObject({ code: 2, refused: ["run_is_driven"] })
    const forOne = await proofline(["resume", "last", "--task", "a", "--note", "Again.", ...withAgent], dir)
    expect([forOne.code, forOne.stdout]).toEqual([2, ""])
    // nothing is said of what would be done
    expect(forOne.stderr).toMatch(/^error: Run .* is being driven by process/)
    expect(await asked(["run", "tasks.yaml", ...withAgent], dir)).toMatchObject({ code: 2, refused: ["run_is_driven"] })
    expect((await asked(["status"], dir)).data.runs[0].driver.pid).toBe(first.pid)
    first.kill("SIGCONT")
    writeFileSync(Path.join(dir, "go"), "")
    const { code, data } = answerOf(await finish(first))
    expect([code, data.status]).toEqual([0, "completed"])
    expect(callsOf(dir)).toHaveLength(1)
    await expectReplay(dir, data.run_id)
  })
})

describe("given two programs that write to one log at the same time", () => {
  it("then each of their events is there once, in one order, and every chain is whole", async () => {
    const dirs = ["one", "other"].map((name) =>
      project({
        [`${name}.yaml`]: `tasks:\n${task("a")}${task("b")}`,
        ...scriptedAgent({ a: [works("a")], b: [works("b")] })
      })
    )
    const state = Path.join(project({}), "state")
    const runs = dirs.flatMap((dir, i) => {
      const file = i === 0 ? "one.yaml" : "other.yaml"
      return [finish(start(["run", file, ...withAgent, "--state", state, "--json"], dir))]
    })
    const ended = (await Promise.all(runs)).map(answerOf)
    expect(each(ended, "code")).toEqual([0, 0])
    for (const [i, { data }] of ended.entries()) {
      expect((await achieved(["verify", data.run_id, "--state", state], dirs[i] as string)).data.chain.ok).toBe(true)
    }
    const { data: looked } = await achieved(["doctor", "--state", state], dirs[0] as string)
    expect([looked.healthy, foundInLog(looked)]).toEqual([true, []])
  })
})
