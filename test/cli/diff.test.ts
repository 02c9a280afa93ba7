import { readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { achieved, asked } from "./asked.ts"
import { begun } from "./logStage.ts"
import { eventsOf, proofline } from "./proofline.ts"

describe("given two runs", () => {
  it("when they are compared, then it is shown where they part and what each came to", async () => {
    const { completed, dir, stopped } = await begun()
    expect((await achieved(["diff", completed, completed], dir)).data).toMatchObject({
      parted: null,
      settings: [],
      tasks: [{ task_id: "a", differs: false, items: [] }]
    })
    // the same file again, by an agent that writes something else
    rmSync(Path.join(dir, "a.txt"))
    writeFileSync(Path.join(dir, "work"), "")
    const agent = readFileSync(Path.join(dir, "agent.sh"), "utf8").replace("echo done", "echo well")
    writeFileSync(Path.join(dir, "other.sh"), agent)
    const again = ["--agent", "command", "--agent-command", "sh other.sh", "--max-retries", "0"]
    const other = (await achieved(["run", "tasks.yaml", ...again], dir)).data.run_id
    const checked = async (run: string) =>
      (await eventsOf(run, dir)).find(({ event_type }) => event_type === "EVIDENCE_CHECKED")?.version
    const { data } = await achieved(["diff", completed, other], dir)
    // till then all is the same, but for ids, times and the order of what happened side by side
    expect(data).toMatchObject({
      a: completed,
      b: other,
      shared: 0,
      parted: {
        a: { version: await checked(completed), type: "EVIDENCE_CHECKED" },
        b: { version: await checked(other), type: "EVIDENCE_CHECKED" }
      },
      settings: [{ path: "/agents/command/command", a: "./agent.sh", b: "sh other.sh" }],
      tasks: [{ task_id: "a", differs: false, a: { verdict: "proven" }, b: { verdict: "proven" }, items: [] }]
    })
    expect(data.parted.differences.map(({ path }: { path: string }) => path)).toContain("/facts/0/receipt/sha256")
    expect(data.summary).toContainEqual({
      name: "Items closed",
      a: "1 of 1",
      b: "1 of 1",
      delta: "",
      differs: false
    })
    const { stdout } = await proofline(["diff", completed, other], dir)
    expect(stdout).toContain("  /facts/0/receipt/sha256: A ")
    // one that did nothing
    const { data: idle } = await achieved(["diff", completed, stopped], dir)
    expect(idle.tasks).toMatchObject([
      { task_id: "a", differs: true, a: { verdict: "proven" }, b: { items_closed: 0 } }
    ])
    expect(idle.summary).toContainEqual({
      name: "Items closed",
      a: "1 of 1",
      b: "0 of 1",
      delta: "−1",
      differs: true
    })
    expect(idle.tasks[0].items).toMatchObject([{ item: "a.txt is there", a: "proven" }])
    expect((await asked(["diff", completed, "run_of_nobody"], dir)).refused).toEqual(["run_unknown"])
  })

  it("when one is a fork of the other, then they are compared from where it was forked", async () => {
    const { completed, dir } = await begun()
    const events = await eventsOf(completed, dir)
    const started = events.find(({ event_type }) => event_type === "ATTEMPT_STARTED")?.version ?? 0
    rmSync(Path.join(dir, "a.txt"))
    writeFileSync(Path.join(dir, "work"), "")
    const made = await achieved(["fork", completed, "--at", String(started), "--resume", "--retry-delay", "0s"], dir)
    const fork = made.data.run_id
    const { data } = await achieved(["diff", completed, fork], dir)
    expect(data).toMatchObject({
      shared: started,
      parted: { a: { type: expect.any(String) } },
      tasks: [
        { differs: true, a: { attempts: 1, verdict: "proven" }, b: { attempts: 2, verdict: "proven" }, items: [] }
      ]
    })
    expect(data.parted.a.version).toBeGreaterThan(started)
    // that it was forked, and resumed, is no difference
    expect(data.parted.b.type).not.toMatch(/^RUN_/)
    const { data: turned } = await achieved(["diff", fork, completed], dir)
    expect([turned.shared, turned.parted.a, turned.parted.b]).toEqual([started, data.parted.b, data.parted.a])
  })
})
