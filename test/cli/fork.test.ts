import { rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { Digest, type Recorded, seal, toNdjson } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { withAgent } from "./agent.ts"
import { achieved, asked } from "./asked.ts"
import { begun } from "./logStage.ts"
import { eventsOf, project, proofline } from "./proofline.ts"
import { stage } from "./requirementsStage.ts"

/** What an event says, wherever it stands: without the run it is of, and the ids that follow from that. */
const meaning = ({ content, event_type, timestamp }: Recorded, run: string) => [
  event_type,
  timestamp,
  JSON.parse(
    JSON.stringify(content)
      .replaceAll(run, "RUN")
      .replace(/"item_id":"[^"]+"/g, '"item_id":"ID"')
  )
]

describe("given a run", () => {
  it("when it is forked behind any command, then the fork begins as it did, names it, and replays", async () => {
    const { completed, dir } = await begun()
    const events = await eventsOf(completed, dir)
    const refused = new Set<string>()
    for (const [i, { command_id, hash, version }] of events.entries()) {
      const args = ["fork", completed, "--at", String(version)]
      if (events[i + 1]?.command_id === command_id) {
        refused.add((await asked(args, dir)).refused.join())
        continue
      }
      if (version === events.length) continue
      const { data } = await achieved(args, dir)
      expect(data.origin).toEqual({ run_id: completed, version, hash })
      const told = await eventsOf(data.run_id, dir)
      expect(told.slice(0, -1).map((one) => meaning(one, data.run_id))).toEqual(
        events.slice(0, version).map((one) => meaning(one, completed))
      )
      expect(told.at(-1)).toMatchObject({ event_type: "RUN_FORKED", content: data.origin })
      expect((await achieved(["replay", data.run_id], dir)).data.divergence, `at ${version}`).toBeNull()
    }
    expect([...refused]).toEqual(["version_within_command"])
    expect((await asked(["fork", completed], dir)).refused).toEqual(["run_completed"])
    expect((await asked(["fork", completed, "--at", "999"], dir)).refused).toEqual(["version_unknown"])
    // the other one is as it was
    expect(await eventsOf(completed, dir)).toEqual(events)
    expect((await proofline(["verify", completed], dir)).code).toBe(0)
  })

  it("when another agent goes on with the fork, then what was under way is lost and tried again, and it proves itself", async () => {
    const { completed, dir } = await begun()
    const started = (await eventsOf(completed, dir)).find(({ event_type }) => event_type === "ATTEMPT_STARTED")
    rmSync(Path.join(dir, "a.txt"))
    writeFileSync(Path.join(dir, "work"), "")
    const other = ["--agent", "command", "--agent-command", "sh ./agent.sh", "--retry-delay", "0s"]
    // of one that is not there no fork is left behind
    const nobody = await asked(["fork", completed, "--at", String(started?.version), "--agent", "nobody"], dir)
    expect([nobody.code, ...nobody.refused]).toEqual([2, "agent_unknown"])
    expect((await achieved(["history"], dir)).data.runs).toHaveLength(2)
    const { data } = await achieved(["fork", completed, "--at", String(started?.version), ...other], dir)
    expect(data).toMatchObject({ status: "completed", verdict: "proven", tasks: [{ id: "a", attempts: 2 }] })
    expect(data.run_id).not.toBe(completed)
    const told = await eventsOf(data.run_id, dir)
    const { content: lost } = told.find(({ event_type }) => event_type === "ATTEMPT_ENDED") ?? {}
    expect(lost).toMatchObject({ attempt: 1, outcome: "LOST" })
    expect((await proofline(["replay", data.run_id, "--assert"], dir)).code).toBe(0)
    expect((await achieved(["verify", data.run_id], dir)).data.verdict).toBe("proven")
    // a fork can be forked, and goes to other machines as any run does
    const again = await achieved(["fork", data.run_id, "--at", String(started?.version)], dir)
    expect((await achieved(["replay", again.data.run_id], dir)).data.divergence).toBeNull()
    await achieved(["events", "export", data.run_id, "--redact", "--out", "fork.ndjson"], dir)
    expect(await proofline(["replay", "fork.ndjson", "--assert", "--cwd", "/"], dir)).toMatchObject({
      code: 0,
      stderr: ""
    })
  })
})

describe("given a run of which a newer version wrote the last event", () => {
  it("when it is looked at or forked, then it is said that the log is newer", async () => {
    const { completed, dir } = await begun()
    const events = (await eventsOf(completed, dir)) as ReadonlyArray<Recorded>
    const last = events.at(-1) as Recorded
    const { sha256 } = await Effect.runPromise(Effect.provide(Digest, nodeDigest))
    const lines = [...events.slice(0, -1), seal({ ...last, schema_version: 99 }, last, sha256)]
    writeFileSync(Path.join(dir, "newer.ndjson"), lines.map((event) => toNdjson(event)).join(""))
    const other = project({})
    await achieved(["events", "import", Path.join(dir, "newer.ndjson")], other)
    for (const command of [
      ["fork"],
      ["show"],
      ["status", completed],
      ["diff", completed, completed],
      ["resume", completed]
    ]) {
      const { code, data, refused } = await asked(command, other)
      expect([command[0], code, ...refused]).toEqual([command[0], 1, "log_newer"])
      expect(data.problems[0].message).toContain(`Event ${last.version} of ${completed} (${last.event_type} v99)`)
    }
    expect(await proofline(["events", "export", "--redact", "--out", "told.ndjson"], other)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("[log_newer]")
    })
  })
})

describe("given a requirements run", () => {
  it("when it is forked where no task run is under way, then it goes on by itself; elsewhere it is refused", async () => {
    const dir = stage()
    const { data } = await achieved(["run-requirements", "requirements.yaml", ...withAgent], dir)
    const events = await eventsOf(data.run_id, dir)
    const versionOf = (type: string) => events.find(({ event_type }) => event_type === type)?.version ?? 0
    const at = (version: number) => ["fork", data.run_id, "--at", String(version)]
    expect((await asked(["fork", `${data.run_id}-iter1`], dir)).refused).toEqual(["run_not_forked"])
    const linked = versionOf("TASK_RUN_LINKED")
    const behind = events.findLast(({ command_id }) => command_id === events[linked - 1]?.command_id)?.version ?? 0
    expect((await asked(at(behind), dir)).refused).toEqual(["run_not_forked"])
    const ended = events.findLast(
      ({ command_id }) => command_id === events[versionOf("TASK_RUN_ENDED") - 1]?.command_id
    )
    const { data: made } = await achieved(at(ended?.version ?? 0), dir)
    expect((await achieved(["replay", made.run_id], dir)).data.divergence).toBeNull()
    const resumed = await achieved(["resume", made.run_id, ...withAgent.slice(0, 4)], dir)
    expect(resumed.data).toMatchObject({ run_id: made.run_id, status: "completed" })
    expect((await proofline(["replay", made.run_id, "--assert"], dir)).code).toBe(0)
    expect((await proofline(["replay", data.run_id, "--assert"], dir)).code).toBe(0)
  })
})
