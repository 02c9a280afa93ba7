import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import type { Recorded } from "@proofline/kernel"
import { describe, expect, it } from "vitest"
import { linesOf, notesIn, notesOf, sealedAnew } from "../kernel/support/lifted.ts"
import { achieved, asked, expectReplay } from "./asked.ts"
import { begun } from "./logStage.ts"
import { eventsOf, project, proofline, withSources } from "./proofline.ts"

const diary = withSources(readFileSync(new URL("../kernel/support/diary.ts", import.meta.url), "utf8"))
const plugin = { "diary.ts": diary, "proofline.yaml": "plugins: [./diary.ts]\n" }

/** What is told of a run, without the hashes of its log. */
const toldOf = async (run: string, dir: string) =>
  JSON.stringify((await achieved(["show", run], dir)).data, (key, value) => (key === "hash" ? "" : value), 2)

describe("given a run whose events were written in earlier schema versions", () => {
  it.each([1, 2])(
    "when it is looked at, judged and moved, then it is the run that today's would be: %i",
    async (version) => {
      const { completed, dir } = await begun(plugin)
      const today = (await eventsOf(completed, dir)) as ReadonlyArray<Recorded>
      expect(notesOf(today)).toEqual(['3 {"number":1,"run":"tasks","text":"Began a."}'])
      const old = project({ ...plugin, "a.txt": "done\n", "old.ndjson": linesOf(notesIn([version], today)) })
      await achieved(["events", "import", "old.ndjson"], old)
      // the log is what it was; what is told of it is today's
      const kept = (await eventsOf(completed, old)) as ReadonlyArray<Recorded>
      expect(notesOf(kept)[0]).toMatch(new RegExp(`^${version} `))
      expect((await proofline(["events", completed], old)).stdout).toBe(linesOf(kept))
      const proven = { status: "completed", verdict: "proven" }
      expect((await achieved(["history"], old)).data.runs).toMatchObject([{ run_id: completed, ...proven }])
      expect((await achieved(["status", completed], old)).data).toMatchObject(proven)
      expect(await toldOf(completed, old)).toEqual(await toldOf(completed, dir))
      await expectReplay(old, completed)
      expect((await achieved(["verify", completed], old)).data.verdict).toBe("proven")
      expect((await asked(["doctor"], old)).data.runs).toMatchObject([{ run_id: completed, state: "whole" }])
      // out of the log as it is, and as another run in today's versions
      await achieved(["events", "export", completed, "--out", "whole.ndjson"], old)
      expect(readFileSync(Path.join(old, "whole.ndjson"), "utf8")).toContain(linesOf(kept))
      await achieved(["events", "export", completed, "--redact", "--out", "told.ndjson"], old)
      expect(readFileSync(Path.join(old, "told.ndjson"), "utf8")).toMatch(/"event_type":"NOTED".*"schema_version":3/)
      expect(await proofline(["replay", "told.ndjson", "--assert"], old)).toMatchObject({ code: 0, stderr: "" })
      const forked = (await achieved(["fork", completed, "--at", String(kept.length - 2)], old)).data.run_id
      expect(notesOf((await eventsOf(forked, old)) as ReadonlyArray<Recorded>)).toEqual(notesOf(today))
      await expectReplay(old, forked)
    }
  )

  it("when it is resumed, then it goes on, and all of it is decided again", async () => {
    const { dir, stopped } = await begun(plugin)
    const before = (await eventsOf(stopped, dir)) as ReadonlyArray<Recorded>
    const agent = readFileSync(Path.join(dir, "agent.sh"), "utf8")
    const old = project({ ...plugin, "agent.sh": agent, work: "", "old.ndjson": linesOf(notesIn([1], before)) })
    await achieved(["events", "import", "old.ndjson"], old)
    // the blobs of a run are no part of its events
    cpSync(Path.join(dir, ".proofline/state/blobs"), Path.join(old, ".proofline/state/blobs"), { recursive: true })
    const resumed = await asked(["resume", stopped, "--agent", "command", "--agent-command", "sh ./agent.sh"], old)
    expect(resumed.refused).toEqual([])
    const after = await eventsOf(stopped, old)
    expect(after.length).toBeGreaterThan(before.length)
    expect(notesOf(after as ReadonlyArray<Recorded>)).toEqual(['1 {"note":"Began a."}'])
    await expectReplay(old, stopped)
  })

  it("when its plugin knows fewer versions, then every command says so and what to do", async () => {
    const { completed, dir } = await begun(plugin)
    const today = (await eventsOf(completed, dir)) as ReadonlyArray<Recorded>
    const newer = sealedAnew(today, (one) => (one.event_type === "NOTED" ? { ...one, schema_version: 4 } : one))
    const other = project({ ...plugin, "run.ndjson": linesOf(newer) })
    await achieved(["events", "import", "run.ndjson"], other)
    await expectRefused(other, completed, "(NOTED v4) cannot be read: it is read here up to schema version 3.")
  })
})

/** What a person should never see. */
const stackFrame = /\n\s+at .*:\d+:\d+|internal_error/

/** Every command that reads the run is refused; nothing else of the project is. */
const expectRefused = async (dir: string, run: string, says: string): Promise<void> => {
  for (const command of [["status", run], ["show"], ["fork"], ["diff", run, run], ["resume", run], ["report", run]]) {
    const { code, data, refused, stderr } = await asked(command, dir)
    expect([command[0], code, ...refused]).toEqual([command[0], 1, "log_newer"])
    expect(data.problems[0].message).toContain(says)
    expect(data.problems[0].hint).toMatch(/version of Proofline and the plugins that wrote the log/)
    expect(stderr, command[0]).toContain("[log_newer]")
    expect(stderr, command[0]).not.toMatch(stackFrame)
  }
  const replayed = await asked(["replay", run], dir)
  expect(replayed.data.divergence).toMatchObject({ reason: "unreadable", message: expect.stringContaining(says) })
  for (const command of [
    ["history"],
    ["verify", run],
    ["doctor"],
    ["stats"],
    ["events", "export", "--redact", "--out", "x"]
  ]) {
    const { stderr, stdout } = await proofline(command, dir)
    expect(stdout + stderr, command.join(" ")).not.toMatch(stackFrame)
  }
  expect((await proofline(["events", run], dir)).code).toBe(0)
}

describe("given a log of a development version of before the first release", () => {
  it.each<[string, (event: Recorded) => Recorded, says: string]>([
    [
      "with a schema version that is folded by now",
      (one) => (one.event_type === "RUN_STARTED" ? { ...one, schema_version: 5 } : one),
      "(RUN_STARTED v5) cannot be read: it is read here up to schema version 1."
    ],
    [
      "with an earlier shape in version 1",
      (one) => {
        if (one.event_type !== "RUN_STARTED") return one
        const { base: _, ...content } = one.content as Readonly<Record<string, never>>
        const {
          budget: __,
          chunking: ___,
          evidence: ____,
          messages: _____,
          ...config
        } = content["config"] as unknown as Readonly<Record<string, never>>
        return { ...one, content: { ...content, config } }
      },
      '(RUN_STARTED v1) cannot be read: its content does not fit the schema (Missing key at ["'
    ]
  ])("%s, when it is read, then it is refused, and new runs are begun beside it", async (_, change, says) => {
    const { completed, dir } = await begun()
    const events = (await eventsOf(completed, dir)) as ReadonlyArray<Recorded>
    const old = project({ "run.ndjson": linesOf(sealedAnew(events, change)), work: "" })
    for (const name of ["agent.sh", "tasks.yaml"]) {
      writeFileSync(Path.join(old, name), readFileSync(Path.join(dir, name)), { mode: 0o755 })
    }
    await achieved(["events", "import", "run.ndjson"], old)
    rmSync(Path.join(old, "run.ndjson"))
    await expectRefused(old, completed, says)
    const run = ["run", "tasks.yaml", "--agent", "command", "--agent-command", "./agent.sh"]
    expect((await achieved(run, old)).data.verdict).toBe("proven")
  })
})
