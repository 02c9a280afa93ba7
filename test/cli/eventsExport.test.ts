import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { driveRun, LogUnavailable, Presence } from "@proofline/kernel"
import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { checkEvents } from "../../packages/cli/src/moving/archiveFile.ts"
import { open, placeOf, type Side } from "../../packages/cli/src/moving/side.ts"
import { takeIn } from "../../packages/cli/src/moving/takeIn.ts"
import { describePostgres, newDatabase } from "../postgres.ts"
import { withAgent } from "./agent.ts"
import { achieved, asked, each } from "./asked.ts"
import { begun } from "./logStage.ts"
import { afterwards, project, proofline } from "./proofline.ts"
import { requirements, stage } from "./requirementsStage.ts"

type Env = Readonly<Record<string, string>>

const outcomes = async (args: ReadonlyArray<string>, cwd: string, env: Env = {}) => {
  const { code, data } = await asked(["events", "import", ...args], cwd, env)
  return [
    code,
    ...data.runs.map(
      ({ outcome, problem }: { outcome: string; problem: { code: string } | null }) => problem?.code ?? outcome
    )
  ]
}

const printed = async (run: string, cwd: string, ...more: ReadonlyArray<string>) =>
  (await proofline(["events", run, ...more], cwd)).stdout

/** While this process drives a run in the log of a project. */
const whileDriven = <A>(run: string, cwd: string, use: () => Promise<A>): Promise<A> =>
  Effect.gen(function* () {
    const { presence } = yield* open(yield* placeOf(undefined, { cwd }))
    yield* Effect.provideService(driveRun(run), Presence, presence)
    return yield* Effect.promise(use)
  }).pipe(Effect.scoped, Effect.runPromise)

describe("given runs that were exported", () => {
  it("when they are imported elsewhere, then they are the same there, replay and verify, and once is enough", async () => {
    const { completed, dir, stopped } = await begun()
    const file = Path.join(dir, "runs.ndjson")
    const exported = await achieved(["events", "export", "--out", file], dir)
    expect(exported.data).toMatchObject({ file, runs: [{ run_id: completed }, { run_id: stopped }], blobs_missing: [] })
    // what `events` prints stands in it byte by byte
    expect(readFileSync(file, "utf8")).toContain((await printed(completed, dir)) + (await printed(stopped, dir)))
    expect((await asked(["events", "export", "--out", file], dir)).refused).toEqual(["out_exists"])
    expect((await asked(["events", "export", "nobody", "--out", `${file}.gz`], dir)).refused).toEqual(["run_unknown"])
    expect(existsSync(`${file}.gz`)).toBe(false)

    const other = project({ "a.txt": "done\n" })
    expect(await whileDriven(completed, other, () => outcomes([file], other))).toEqual([5, "run_is_driven", "imported"])
    expect(await outcomes([file], other)).toEqual([0, "imported", "there"])
    expect(await outcomes([file], other)).toEqual([0, "there", "there"])
    for (const run of [completed, stopped]) {
      expect(await printed(run, other)).toBe(await printed(run, dir))
      expect((await proofline(["replay", run, "--assert"], other)).code).toBe(0)
    }
    const { data } = await achieved(["verify", completed], other)
    expect([data.verdict, data.kept_head]).toEqual(["proven", data.chain.head])
    expect((await asked(["resume", stopped, "--max-retries", "0"], other)).data.run_id).toBe(stopped)
    // it went on there: the file holds its beginning, and the other way round what came since is taken
    expect(await outcomes([file], other)).toEqual([0, "there", "there"])
    const later = Path.join(other, "later.ndjson.gz")
    await achieved(["events", "export", stopped, "--out", later], other)
    expect(await outcomes([later], dir)).toEqual([0, "imported"])
    expect(await printed(stopped, dir)).toBe(await printed(stopped, other))
    // a run that goes on in two logs is two
    await asked(["resume", stopped, "--max-retries", "0"], dir)
    await asked(["resume", stopped, "--max-retries", "0"], other)
    const apart = Path.join(other, "apart.ndjson.gz")
    await achieved(["events", "export", stopped, "--out", apart], other)
    const before = await printed(stopped, dir)
    expect(await outcomes([apart], dir)).toEqual([5, "run_differs"])
    expect(await printed(stopped, dir)).toBe(before)
    // what was lost of a log comes back
    rmSync(Path.join(other, ".proofline/state"), { recursive: true })
    expect((await asked(["verify", completed], other)).refused).toEqual(["log_cut"])
    expect(await outcomes([file], other)).toEqual([0, "imported", "imported"])
    expect((await asked(["verify", completed], other)).code).toBe(0)
  })

  it("when a file is not as it was written, then nothing of it is taken, and its line is named", async () => {
    const { dir } = await begun()
    const file = Path.join(dir, "runs.ndjson")
    await achieved(["events", "export", "--out", file], dir)
    const whole = readFileSync(file, "utf8")
    const lines = whole.split("\n")
    const other = project({})
    const refused = async (text: string) => {
      writeFileSync(file, text)
      const { code, data, refused } = await asked(["events", "import", file], other)
      return [code, ...refused, data.problems[0].line]
    }
    for (const at of lines.keys()) {
      if (at === lines.length - 1) continue
      const cut = [...lines.slice(0, at), lines[at]?.slice(0, -9)].join("\n")
      expect(await refused(cut), `cut in line ${at + 1}`).toEqual(
        at === 0 ? [2, "events_unreadable", 1] : [5, "archive_damaged", at + 1]
      )
      if (at > 12) break
    }
    const events = lines.slice(1, 6)
    expect(await refused(whole.replace('"version":4,', '"version":5,'))).toEqual([5, "archive_damaged", 5])
    expect(await refused(`${events.toSpliced(2, 1).join("\n")}\n`)).toEqual([5, "events_damaged", 3])
    expect(await refused(`${events.join("\n")}\n{"half":`)).toEqual([5, "events_damaged", 6])
    expect(await refused("")).toEqual([2, "events_unreadable", undefined])
    expect(existsSync(Path.join(other, ".proofline"))).toBe(false)
  })

  it("when an import is cut off at any step, then each run is whole or not there, and the next one goes on", async () => {
    const { completed, dir, stopped } = await begun()
    const file = Path.join(dir, "runs.ndjson")
    await achieved(["events", "export", "--out", file], dir)
    const whole = [await printed(completed, dir), await printed(stopped, dir)]
    for (let writes = 0; ; writes++) {
      const state = Path.join(dir, `other${writes}`)
      const isDone = await Effect.runPromise(Effect.scoped(importCutOff(file, dir, state, writes)))
      for (const [i, run] of [completed, stopped].entries()) {
        expect(["", whole[i]], `${run} after ${writes} writes`).toContain(await printed(run, dir, "--state", state))
      }
      expect((await outcomes([file, "--state", state], dir))[0]).toBe(0)
      expect(await printed(stopped, dir, "--state", state)).toBe(whole[1])
      if (isDone) return expect(writes).toBe(2)
    }
  })
})

/** An import that dies behind so many writes of events; whether it came to its end. */
const importCutOff = Effect.fnUntraced(function* (file: string, dir: string, state: string, writes: number) {
  const side = yield* open(yield* placeOf(undefined, { cwd: dir, state }))
  let left = writes
  const log: Side["log"] = {
    ...side.log,
    adopt: (...given) =>
      left-- > 0
        ? side.log.adopt(...given)
        : Effect.fail(new LogUnavailable({ code: "log_failed", message: "cut off", hint: "" }))
  }
  const checked = yield* checkEvents(file, side.sha256)
  return Result.isSuccess(yield* Effect.result(takeIn({ ...side, log }, file, checked)))
})

describe("given a requirements run that goes on with what an earlier one has shown", () => {
  it("when it is exported, then all on which it rests goes with it, and it verifies elsewhere", async () => {
    const dir = stage()
    const command = ["run-requirements", "requirements.yaml", ...withAgent]
    const { data: earlier } = await achieved(command, dir)
    writeFileSync(Path.join(dir, "requirements.yaml"), requirements.replace("A place for notes.", "A place for more."))
    const { data: later } = await achieved(command, dir)
    const { data } = await achieved(["events", "export", later.run_id, "--out", "later.ndjson.gz"], dir)
    expect(each(data.runs, "run_id")).toEqual(
      expect.arrayContaining([later.run_id, earlier.run_id, `${earlier.run_id}-iter1`])
    )
    const file = Path.join(dir, "later.ndjson.gz")
    const before = (await achieved(["verify", later.run_id], dir)).data
    rmSync(Path.join(dir, ".proofline"), { recursive: true })
    expect((await proofline(["replay", file, "--assert", "--cwd", "/"], dir)).code).toBe(0)
    // whoever drives a run drives its task runs
    const { code, data: taken } = await whileDriven(later.run_id, dir, () => asked(["events", "import", file], dir))
    expect(code).toBe(5)
    for (const { outcome, run_id } of taken.runs)
      expect([run_id, outcome]).toEqual([run_id, run_id.startsWith(later.run_id) ? "refused" : "imported"])
    await achieved(["events", "import", file], dir)
    expect((await achieved(["verify", later.run_id], dir)).data).toEqual(before)
    expect((await proofline(["replay", later.run_id, "--assert"], dir)).code).toBe(0)
  })
})

describePostgres("given a log in a file and one in a database", () => {
  it("when a run is exported from one and imported into the other, then it is the same in both", async () => {
    const { completed, dir, other } = await begun()
    const { remove, url } = await newDatabase()
    afterwards(remove)
    const env = { PROOFLINE_DATABASE_URL: url }
    const [here, there] = [Path.join(dir, "here.ndjson.gz"), Path.join(dir, "there.ndjson.gz")]
    await achieved(["events", "export", completed, "--out", here], dir)
    expect(await outcomes([here], dir, env)).toEqual([0, "imported"])
    expect(await outcomes([here], dir, env)).toEqual([0, "there"])
    expect((await proofline(["replay", completed, "--assert"], dir, env)).code).toBe(0)
    expect(await proofline(["verify", completed], dir, env)).toEqual(await proofline(["verify", completed], dir))
    const { data } = await achieved(["events", "export", completed, "--out", there], dir, env)
    expect(data).toMatchObject({ runs: [{ run_id: completed }], blobs_missing: [] })
    expect(await outcomes([there, "--state", other], dir)).toEqual([0, "imported"])
    expect(await printed(completed, dir, "--state", other)).toBe(await printed(completed, dir))
  })
})
