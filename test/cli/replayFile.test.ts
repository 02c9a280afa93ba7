import { readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { gzipSync } from "node:zlib"
import type { Recorded } from "@proofline/kernel"
import { describe, expect, it } from "vitest"
import { linesOf, sealedAnew } from "../kernel/support/lifted.ts"
import { withAgent } from "./agent.ts"
import { achieved, answerOf, asked } from "./asked.ts"
import { begun } from "./logStage.ts"
import { proofline } from "./proofline.ts"
import { stage } from "./requirementsStage.ts"

/** The same lines, with one thing changed in them. */
const changedIn = (ndjson: string, change: (event: Recorded) => Recorded): string =>
  linesOf(
    sealedAnew(
      ndjson
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
      change
    )
  )

const changing = (type: string, fields: object) => (event: Recorded) =>
  event.event_type === type ? { ...event, content: { ...(event.content as object), ...fields } } : event

describe("given a run whose events were printed, when the file is replayed elsewhere", () => {
  it("then it is judged as in its log, and what is wrong with it is said with its place", async () => {
    const { completed, dir, other, stopped } = await begun()
    const [whole, open] = [
      (await proofline(["events", completed], dir)).stdout,
      (await proofline(["events", stopped], dir)).stdout
    ]
    const lines = whole.split("\n")
    const file = Path.join(dir, "run.ndjson")
    const elsewhere = ["--cwd", "/", "--state", other]
    const replayed = async (text: string | Uint8Array, ...more: ReadonlyArray<string>) => {
      writeFileSync(file, text)
      return proofline(["replay", file, ...elsewhere, ...more], dir)
    }
    // quiet where all of it holds
    expect(await replayed(whole, "--assert")).toEqual({ code: 0, stdout: "", stderr: "" })
    expect(await replayed(gzipSync(whole), "--assert")).toEqual({ code: 0, stdout: "", stderr: "" })
    const inLog = (await achieved(["replay", completed], dir)).data
    const piped = await proofline(["replay", "-", "--json", ...elsewhere], dir, {}, whole)
    expect(answerOf(piped).data).toEqual(inLog)

    // a decision that today's rules would not make, with its place, for people and for programs
    const forged = changedIn(whole, changing("RUN_COMPLETED", { proven: 7 }))
    const told = await replayed(forged)
    expect(told.code).toBe(1)
    expect(told.stdout).toContain("  /proven: recorded 7, today 1\n")
    expect(told.stdout).not.toContain('{"type"')
    const machine = answerOf(await replayed(forged, "--assert"))
    expect([machine.code, machine.data.divergence]).toMatchObject([
      1,
      { reason: "different", differences: [{ path: "/proven", recorded: 7, expected: 1 }] }
    ])

    // a chain that breaks, an end that is gone, and half a line
    const broken = answerOf(await replayed(whole.replace('"visibility":"full"', '"visibility":"summary"'), "--assert"))
    expect([broken.code, broken.data.integrity.code]).toEqual([5, "log_changed"])
    const cut = answerOf(await replayed(lines.slice(0, -3).join("\n"), "--assert"))
    expect([cut.code, cut.data.unjudged.map(({ code }: { code: string }) => code)]).toEqual([1, ["run_not_ended"]])
    // whoever has the head of the run knows more
    writeFileSync(file, lines.slice(0, -3).join("\n"))
    expect(await asked(["replay", file], dir)).toMatchObject({ code: 5, data: { integrity: { code: "log_cut" } } })
    const half = answerOf(await replayed(whole.slice(0, -40), "--assert"))
    expect([half.code, half.refused, half.data.problems[0].line]).toEqual([5, ["events_damaged"], lines.length - 1])
    for (const none of ["", "not JSON\n", "{}\n"]) {
      const refused = answerOf(await replayed(none, "--json"))
      expect([refused.code, refused.refused], none).toEqual([2, ["events_unreadable"]])
    }
    // one that was stopped has ended all the same
    expect((await replayed(open, "--assert")).code).toBe(0)
  })

  it("when it was made with a plugin that is not here, then nothing of it is judged", async () => {
    const { completed, dir } = await begun()
    const whole = (await proofline(["events", completed], dir)).stdout
    const plugins = [{ name: "house-rules", version: "1.0.0" }]
    writeFileSync(Path.join(dir, "run.ndjson"), changedIn(whole, changing("RUN_STARTED", { plugins })))
    expect(await asked(["replay", "run.ndjson", "--assert"], dir)).toMatchObject({
      code: 2,
      refused: ["plugin_missing"]
    })
  })
})

describe("given a run, when it is replayed up to a version", () => {
  it("then it is shown as it was then, and nothing behind it is judged", async () => {
    const { completed, dir } = await begun()
    const whole = (await proofline(["events", completed], dir)).stdout
    const events: ReadonlyArray<Recorded> = whole
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    const started = events.find(({ event_type }) => event_type === "ATTEMPT_STARTED")?.version ?? 0
    const { data } = await achieved(["replay", completed, "--until", String(started)], dir)
    expect(data).toMatchObject({
      events: started,
      status: "running",
      unjudged: [],
      until: {
        version: started,
        event_type: "ATTEMPT_STARTED",
        tasks: [{ id: "a", status: "in_progress", attempts: 1 }]
      }
    })
    // what is wrong only behind it is no fault of what was before
    const file = Path.join(dir, "run.ndjson")
    writeFileSync(file, changedIn(whole, changing("RUN_COMPLETED", { proven: 7 })))
    for (const { version } of events) {
      const { code } = await asked(["replay", file, "--cwd", "/", "--until", String(version)], dir)
      expect(code, `until ${version}`).toBe(version < events.length ? 0 : 1)
    }
    const beyond = await asked(["replay", completed, "--until", String(events.length + 1)], dir)
    expect([beyond.code, beyond.refused]).toEqual([2, ["version_unknown"]])
  })
})

describe("given a requirements run", () => {
  it("when a file holds its task runs too, then they are compared; without them that is said", async () => {
    const dir = stage()
    const { data } = await achieved(["run-requirements", "requirements.yaml", ...withAgent], dir)
    const { data: inLog } = await achieved(["replay"], dir)
    const runs = [data.run_id, ...inLog.task_runs.map(({ run_id }: { run_id: string }) => run_id)]
    const printed = await Promise.all(runs.map(async (run) => (await proofline(["events", run], dir)).stdout))
    const file = Path.join(dir, "runs.ndjson")
    writeFileSync(file, printed.join(""))
    rmSync(Path.join(dir, ".proofline"), { recursive: true })
    expect((await achieved(["replay", file, "--cwd", "/"], dir)).data).toEqual(inLog)
    writeFileSync(file, printed[0] ?? "")
    const alone = await asked(["replay", file, "--cwd", "/", "--assert"], dir)
    expect(alone.code).toBe(1)
    expect(new Set(alone.data.unjudged.map(({ code }: { code: string }) => code))).toEqual(
      new Set(["task_run_missing"])
    )
    const ambiguous = `${printed[1]}${printed[2] ?? readFileSync(file, "utf8")}`
    writeFileSync(file, ambiguous)
    expect((await asked(["replay", file, "--until", "2", "--cwd", "/"], dir)).refused).toEqual(["run_ambiguous"])
  })
})
