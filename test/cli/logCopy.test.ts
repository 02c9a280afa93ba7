import { existsSync } from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { LogUnavailable } from "@proofline/kernel"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { copyUnit } from "../../packages/cli/src/moving/copy.ts"
import { open, placeOf, type Side } from "../../packages/cli/src/moving/side.ts"
import { unitsOf } from "../../packages/cli/src/moving/units.ts"
import { readRows } from "../../packages/cli/src/reading/rows.ts"
import { git } from "../plugins/repositories.ts"
import { describePostgres, newDatabase } from "../postgres.ts"
import { achieved, asked } from "./asked.ts"
import { begun, runOf } from "./logStage.ts"
import { afterwards, documentOf, eventsOf, proofline } from "./proofline.ts"

/** The events of a run, of the log in a state directory or of the one of the project; `env` may name a database. */
const printed = async (run: string, place: string, env: Readonly<Record<string, string>> = {}) =>
  (
    await proofline(
      ["events", run, ...(existsSync(Path.join(place, "tasks.yaml")) ? [] : ["--state", place])],
      place,
      env
    )
  ).stdout

describe("given a log with runs, when they are copied to another", () => {
  it("then every run is there byte by byte, verifies as before, and one that is not completed goes on there alone", async () => {
    const { completed, dir, other, stopped } = await begun()
    const before = [await printed(completed, dir), await printed(stopped, dir)]
    const first = await proofline(["log", "copy", "--to", other, "--json"], dir)
    expect(first.code).toBe(0)
    expect(documentOf(first).data.runs).toMatchObject([
      { run_id: completed, outcome: "copied", moved: false, blobs_missing: [] },
      { run_id: stopped, outcome: "copied", moved: true }
    ])
    expect([await printed(completed, other), await printed(stopped, other)]).toEqual(before)
    for (const [command, run] of [
      ["verify", completed],
      ["replay", completed],
      ["replay", stopped]
    ] as const) {
      const [here, there] = [
        await proofline([command, run], dir),
        await proofline([command, run, "--state", other], dir)
      ]
      expect(there, command).toEqual(here)
      expect(there.code).toBe(0)
    }
    // again nothing is left to be done
    const again = documentOf(await proofline(["log", "copy", "--to", other, "--json"], dir))
    expect(again.data.runs.map((run: { outcome: string }) => run.outcome)).toEqual(["there", "there"])
    const refused = await proofline(["resume", stopped, "--json"], dir)
    expect([refused.code, documentOf(refused).data.problems[0].code]).toEqual([2, "run_elsewhere"])
    const resumed = await proofline(["resume", stopped, "--state", other, "--json"], dir)
    expect(documentOf(resumed).data).toMatchObject({ run_id: stopped, status: "failed" })
    // and home again, with all that was done there
    const there = await printed(stopped, other)
    expect((await proofline(["log", "copy", stopped, "--from", other], dir)).code).toBe(0)
    expect(await printed(stopped, dir)).toBe(there)
    expect((await eventsOf(stopped, dir)).length).toBeGreaterThan(before[1]?.trim().split("\n").length ?? 0)
    expect((await proofline(["resume", stopped, "--state", other], dir)).stderr).toContain("[run_elsewhere]")
    expect((await proofline(["resume", stopped], dir)).stderr).not.toContain("[run_elsewhere]")
  })

  it("then one that ended there, of the same project, is read here up to where it left, and what is cut off of that is told", async () => {
    const { dir, other, stopped } = await begun()
    git(dir, "init", "--quiet")
    expect((await proofline(["log", "copy", stopped, "--to", other], dir)).code).toBe(0)
    const left = (await eventsOf(stopped, dir)).length
    await proofline(["resume", stopped, "--state", other], dir)
    expect(git(dir, "for-each-ref", "refs/proofline")).toContain(stopped)
    expect(await achieved(["replay", stopped], dir)).toMatchObject({ data: { events: left, integrity: null } })
    expect((await asked(["verify", stopped], dir)).data).toMatchObject({
      chain: { ok: true, events: left },
      kept_head: { version: left }
    })
    expect((await proofline(["show", stopped], dir)).stdout).toContain(stopped)
    for (const which of [[stopped], []]) {
      const refused = await asked(["resume", ...which], dir)
      expect(refused).toMatchObject({ code: 2, refused: ["run_elsewhere"] })
      expect(refused.stdout).toContain(other)
    }
    const exported = Path.join(dir, "left.ndjson")
    await achieved(["events", "export", stopped, "--out", exported], dir)
    await achieved(["replay", exported], dir)
    // another one goes on here
    const next = await proofline([...runOf, "--step", "--json"], dir)
    expect((await asked(["resume"], dir)).data.run_id).toBe(documentOf(next).data.run_id)
    const log = new DatabaseSync(Path.join(dir, ".proofline/state/proofline.db"))
    log.prepare("delete from event where stream = ? and version = ?").run(stopped, left)
    log.close()
    expect(await asked(["resume", stopped], dir)).toMatchObject({ code: 5, refused: ["log_cut"] })
    expect((await proofline(["show", stopped], dir)).stderr).toContain(`was moved to ${other}`)
  })

  it("then what cannot be copied is refused, and nothing of it is written", async () => {
    const { completed, dir, other, stopped } = await begun()
    for (const [args, code] of [
      [["--to", Path.join(dir, ".proofline/state")], "log_same"],
      [["--from", Path.join(dir, "nowhere"), "--to", other], "log_unknown"],
      [["run_of_nobody", "--to", other], "run_unknown"]
    ] as const) {
      const refused = await proofline(["log", "copy", ...args, "--json"], dir)
      expect([refused.code, documentOf(refused).data.problems[0].code]).toEqual([2, code])
    }
    expect((await proofline(["log", "copy", completed, "--to", other], dir)).code).toBe(0)
    const target = new DatabaseSync(Path.join(other, "proofline.db"))
    target.exec("update event set content = '{}' where version = 3")
    const count = () => target.prepare("select count(*) as n from event").get()?.["n"]
    const events = count()
    const differs = await proofline(["log", "copy", completed, "--to", other, "--json"], dir)
    expect([differs.code, documentOf(differs).data.runs[0].problem.code]).toEqual([5, "log_changed"])
    const source = new DatabaseSync(Path.join(dir, ".proofline/state/proofline.db"))
    source.prepare("update event set content = '{}' where version = 2 and stream = ?").run(stopped)
    const broken = await proofline(["log", "copy", stopped, "--to", other, "--json"], dir)
    expect([broken.code, documentOf(broken).data.runs[0].problem.code]).toEqual([5, "log_changed"])
    const forked = Path.join(dir, "forked")
    await Effect.runPromise(Effect.scoped(begin(dir, forked, completed)))
    const fork = await proofline(["log", "copy", completed, "--to", forked, "--json"], dir)
    expect([fork.code, documentOf(fork).data.runs[0].problem.code]).toEqual([5, "run_differs"])
    expect(count()).toBe(events)
    source.close()
    target.close()
  })

  it("then a copy that is cut off at any step is resumable by nobody, and goes on when it is made again", async () => {
    const { dir, stopped } = await begun()
    for (let writes = 0; ; writes++) {
      const state = Path.join(dir, `other${writes}`)
      const isWhole = await Effect.runPromise(Effect.scoped(copyCutOff(dir, state, writes)))
      if (isWhole) return expect(writes).toBe(4)
      const refused = await proofline(["resume", stopped, "--state", state], dir)
      expect(refused.stderr).toMatch(/\[(run_elsewhere|run_unknown)\]/)
      const again = await proofline(["log", "copy", stopped, "--to", state, "--json"], dir)
      expect(documentOf(again).data.runs).toMatchObject([{ run_id: stopped, outcome: "copied", moved: true }])
      expect(await printed(stopped, state)).toBe(await printed(stopped, dir))
      // home again for the next cut
      await proofline(["log", "copy", stopped, "--from", state], dir)
    }
  })
})

describePostgres("given a log in a file and one in a database, when runs are copied between them", () => {
  it("then they are the same in both, blobs too, and nobody's password is told", async () => {
    const { completed, dir, other, stopped } = await begun()
    const { remove, url } = await newDatabase()
    afterwards(remove)
    const env = { PROOFLINE_DATABASE_URL: url }
    const { password } = new URL(url)
    const before = [await printed(completed, dir), await printed(stopped, dir)]
    const there = await proofline(["log", "copy", "--to", url, "--json"], dir)
    expect([there.code, documentOf(there).data.runs]).toMatchObject([
      0,
      [
        { run_id: completed, outcome: "copied", moved: false },
        { run_id: stopped, outcome: "copied", moved: true }
      ]
    ])
    const refused = await proofline(["resume", stopped], dir)
    expect(refused.stderr).toContain("[run_elsewhere]")
    for (const { stderr, stdout } of [there, refused]) expect(stderr + stdout).not.toContain(password)
    for (const run of [completed, stopped]) {
      const replayed = await proofline(["replay", run], dir, env)
      expect([replayed.code, replayed]).toEqual([0, await proofline(["replay", run], dir)])
    }
    expect(await proofline(["verify", completed], dir, env)).toEqual(await proofline(["verify", completed], dir))
    expect([await printed(completed, dir, env), await printed(stopped, dir, env)]).toEqual(before)
    const again = documentOf(await proofline(["log", "copy", "--to", url, "--json"], dir))
    expect(again.data.runs).toMatchObject([{ outcome: "there" }, { outcome: "there" }])

    const back = await proofline(["log", "copy", "--to", other, "--json"], dir, env)
    expect([back.code, documentOf(back).data.runs]).toMatchObject([
      0,
      [
        { outcome: "copied", blobs_missing: [] },
        { outcome: "copied", moved: true, blobs_missing: [] }
      ]
    ])
    expect([await printed(completed, other), await printed(stopped, other)]).toEqual(before)

    const [tomorrow] = new Date(Date.now() + 86_400_000).toISOString().split("T")
    const file = Path.join(dir, "old.ndjson.gz")
    const archive = ["log", "archive", "--before", `${tomorrow}`, "--to", file, "--yes", "--json"]
    const archived = documentOf(await proofline(archive, dir, env)).data
    // the other one was moved
    expect(archived).toMatchObject({ action: "archived", runs: [{ run_id: completed }], left: [] })
    const listed = documentOf(await proofline(["history", "--json"], dir, env)).data.runs
    expect(listed).toMatchObject([
      { run_id: stopped, away: { kind: "moved" } },
      { run_id: completed, away: { kind: "archived", place: file } }
    ])
    expect((await proofline(["events", completed], dir, env)).stderr).toContain("[run_elsewhere]")
    expect((await proofline(["log", "restore", file], dir, env)).code).toBe(0)
    expect(await printed(completed, dir, env)).toBe(before[0])
  })
})

/** Another log in which a run of the same id begins otherwise. */
const begin = Effect.fnUntraced(function* (cwd: string, state: string, run: string) {
  const { log } = yield* open(yield* placeOf(state, { cwd }))
  const envelope = { event_type: "RUN_OF_OTHERS", schema_version: 1, visibility: "full", content: {} } as const
  const ids = { command_id: "cmd_1", causation_id: null, correlation_id: run }
  return yield* log.append(run, 0, [{ ...envelope, ...ids, timestamp: "2026-01-01T10:00:00.000Z" }])
})

/** Copies the runs that are not completed until so many writes are made; whether that was all. */
const copyCutOff = Effect.fnUntraced(function* (cwd: string, state: string, writes: number) {
  const place = yield* placeOf(undefined, { cwd })
  let left = writes
  const cutOff = new LogUnavailable({ code: "log_failed", message: "The process is dead.", hint: "" })
  const counted = <A, E, R>(write: Effect.Effect<A, E, R>): Effect.Effect<A, E | LogUnavailable, R> =>
    Effect.suspend((): Effect.Effect<A, E | LogUnavailable, R> => (left-- > 0 ? write : Effect.fail(cutOff)))
  const counting = ({ log, ...rest }: Side): Side => ({
    ...rest,
    log: {
      ...log,
      adopt: (...args) => counted(log.adopt(...args)),
      leave: (...args) => counted(log.leave(...args))
    }
  })
  const units = unitsOf((yield* readRows(place.paths)).filter(({ status }) => status !== "completed"))
  const [from, to] = [counting(yield* open(place)), counting(yield* open(yield* placeOf(state, { cwd })))]
  return yield* Effect.forEach(units, (unit) => copyUnit(from, to, unit)).pipe(
    Effect.as(true),
    Effect.catchTag("LogUnavailable", () => Effect.succeed(false))
  )
})
