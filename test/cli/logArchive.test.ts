import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import * as Path from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { withAgent } from "./agent.ts"
import { achieved, answerOf, asked, each } from "./asked.ts"
import { begun } from "./logStage.ts"
import { documentOf, type Finished, finish, proofline, start } from "./proofline.ts"
import { requirements, stage } from "./requirementsStage.ts"

const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
const codeOf = ({ code, stderr }: Finished) => [code, /\[(\w+)\]/.exec(stderr)?.[1]]

describe("given an archive whose process was killed while it wrote", () => {
  it("then doctor names the part that it has left, and removes it with --fix; the next archive does so too", async () => {
    const { dir } = await begun()
    const place = Path.join(dir, ".proofline/archive")
    // no process has this id
    const part = Path.join(place, `runs-before-2020-01-01-20200101T000000Z.ndjson.gz.${hostname()}.4194305.part`)
    const kept = Path.join(place, "mine.part")
    const leave = () => {
      mkdirSync(place, { recursive: true })
      for (const file of [part, kept]) writeFileSync(file, "half")
    }
    leave()
    const named = async (...more: ReadonlyArray<string>) =>
      (await asked(["doctor", ...more], dir)).data.findings.filter(
        ({ code }: { readonly code: string }) => code === "archive_unfinished"
      )
    expect(await named()).toMatchObject([{ place: part, fixable: true, fixed: false }])
    expect(await named("--fix")).toMatchObject([{ fixed: true }])
    expect(await named()).toEqual([])

    leave()
    const { data } = await achieved(["log", "archive", "--before", tomorrow, "--yes"], dir)
    expect(readdirSync(place).toSorted()).toEqual([".gitignore", "mine.part", Path.basename(data.file)].toSorted())
  })
})

describe("given several that archive at the same time", () => {
  it("then one of them has all runs in its file, and the others find none", async () => {
    const { completed, dir, stopped } = await begun()
    const archive = () => finish(start(["log", "archive", "--before", tomorrow, "--yes", "--json"], dir))
    const all = (await Promise.all([archive(), archive(), archive()])).map((one) => answerOf(one))
    expect(each(all, "code")).toEqual([0, 0, 0])
    const [made, ...others] = all.map(({ data }) => data).filter(({ action }) => action === "archived")
    expect(others).toEqual([])
    expect(each(made.runs, "run_id")).toEqual([completed, stopped])
    const place = Path.join(dir, ".proofline/archive")
    expect(readdirSync(place).toSorted()).toEqual([".gitignore", Path.basename(made.file)].toSorted())
    await achieved(["verify", made.file], dir)
  })

  it("then no file that is there is written over, whatever its name would be", async () => {
    const { completed, dir, stopped } = await begun()
    const place = Path.join(dir, ".proofline/archive")
    mkdirSync(place, { recursive: true })
    // of every second in which it may happen
    const now = Date.now()
    const taken = Array.from({ length: 120 }, (_, s) => {
      const stamp = new Date(now + s * 1_000).toISOString().replaceAll(/[-:]|\.\d+/g, "")
      return Path.join(place, `runs-before-${tomorrow}-${stamp}.ndjson.gz`)
    })
    for (const file of taken) writeFileSync(file, "kept")
    const { data } = await achieved(["log", "archive", "--before", tomorrow, "--yes"], dir)
    expect(Path.basename(data.file)).toMatch(/Z-2\.ndjson\.gz$/)
    expect(each(data.runs, "run_id")).toEqual([completed, stopped])
    for (const file of taken) expect(readFileSync(file, "utf8")).toBe("kept")
    await achieved(["verify", data.file], dir)
  })
})

describe("given runs that have ended, when they are archived", () => {
  it("then they lie in a file that verifies, the log says so, and they come back as they were", async () => {
    const { completed, dir, other, stopped } = await begun()
    const events = async (run: string) => (await proofline(["events", run], dir)).stdout
    const before = [await events(completed), await events(stopped)]
    const none = documentOf(await proofline(["log", "archive", "--before", "2020-01-01", "--json"], dir))
    expect(none.data).toMatchObject({ action: "planned", runs: [], left: [] })
    // nothing is done before somebody says so
    const planned = documentOf(await proofline(["log", "archive", "--before", tomorrow, "--json"], dir)).data
    expect(planned.runs.map(({ run_id }: { run_id: string }) => run_id)).toEqual([completed, stopped])
    expect(existsSync(planned.file)).toBe(false)
    expect(await events(completed)).toBe(before[0])

    const file = Path.join(dir, "old.ndjson.gz")
    const archive = await proofline(
      ["log", "archive", "--before", tomorrow, "--to", "old.ndjson.gz", "--yes", "--json"],
      dir
    )
    expect(documentOf(archive).data).toMatchObject({ file, action: "archived", runs: planned.runs, blobs_missing: [] })
    expect(gunzipSync(readFileSync(file)).toString()).toContain(before.join(""))
    for (const args of [
      ["show"],
      ["show", completed],
      ["replay", stopped],
      ["resume", stopped],
      ["events", completed]
    ]) {
      expect(codeOf(await proofline(args, dir)), args.join(" ")).toEqual([2, "run_elsewhere"])
    }
    const listed = documentOf(await proofline(["history", "--json"], dir)).data.runs
    expect(listed).toMatchObject(
      [completed, stopped].toReversed().map((run_id) => ({ run_id, away: { kind: "archived", place: file } }))
    )
    expect((await proofline(["history"], dir)).stderr).toBe("")
    const again = documentOf(await proofline(["log", "archive", "--before", tomorrow, "--json"], dir))
    expect(again.data).toMatchObject({ runs: [], left: [] })
    const verified = await proofline(["verify", file, "--json"], dir)
    expect([verified.code, documentOf(verified).data]).toMatchObject([0, { action: "verified", runs: planned.runs }])

    for (const [more, outcome] of [
      [[], "restored"],
      [[], "there"],
      [["--state", other], "restored"]
    ] as const) {
      rmSync(Path.join(dir, ".proofline/state/blobs"), { recursive: true, force: true })
      const restored = await proofline(["log", "restore", file, ...more, "--json"], dir)
      expect([restored.code, documentOf(restored).data.runs]).toMatchObject([0, [{ outcome }, { outcome }]])
    }
    expect([await events(completed), await events(stopped)]).toEqual(before)
    expect((await proofline(["verify", completed, "--state", other], dir)).code).toBe(0)
    expect((await proofline(["replay", stopped], dir)).code).toBe(0)
    expect(documentOf(await proofline(["resume", stopped, "--json"], dir)).data.run_id).toBe(stopped)
  })

  it("then a file that is not as it was written is refused, and the log is left as it is", async () => {
    const { dir } = await begun()
    const file = Path.join(dir, "old.ndjson.gz")
    await proofline(["log", "archive", "--before", tomorrow, "--to", file, "--yes"], dir)
    const whole = readFileSync(file)
    const lines = gunzipSync(whole).toString().split("\n")
    const changed = (from: string, to: string) => gzipSync(lines.map((line) => line.replace(from, to)).join("\n"))
    const without = (is: (line: string) => boolean) => gzipSync(lines.filter((line) => !is(line)).join("\n"))
    for (const damaged of [
      whole.subarray(0, whole.length - 100),
      gzipSync("{}\n"),
      gzipSync("not JSON\n"),
      changed('"visibility":"full"', '"visibility":"summary"'),
      changed('"base64":"', '"base64":"AAAA'),
      without((line) => line.startsWith('{"end"')),
      without((line) => line.includes('"version":3,')),
      gzipSync([...lines.slice(0, -1), "{}", ""].join("\n"))
    ]) {
      writeFileSync(file, damaged)
      expect(codeOf(await proofline(["verify", file], dir))).toEqual([5, "archive_damaged"])
      expect(codeOf(await proofline(["log", "restore", file], dir))).toEqual([5, "archive_damaged"])
    }
    writeFileSync(file, whole)
    expect(documentOf(await proofline(["log", "restore", file, "--json"], dir)).data.runs).toMatchObject([
      { outcome: "restored" },
      { outcome: "restored" }
    ])
    for (const [args, code] of [
      [["--before", "yesterday"], "date_invalid"],
      [["--before", tomorrow, "--to", file], "out_exists"]
    ] as const) {
      expect(codeOf(await proofline(["log", "archive", ...args], dir))).toEqual([2, code])
    }
  })
})

describe("given a requirements run that goes on with what an earlier one has shown", () => {
  it("when only the earlier one is old enough, then it stays with its task runs, and both go together", async () => {
    const dir = stage()
    const command = ["run-requirements", "requirements.yaml", ...withAgent]
    const { data: earlier } = await achieved(command, dir)
    writeFileSync(Path.join(dir, "requirements.yaml"), requirements.replace("A place for notes.", "A place for more."))
    const { data: later } = await achieved(command, dir)
    const { runs } = (await achieved(["history"], dir)).data
    const { ended_at } = runs.find(({ run_id }: { readonly run_id: string }) => run_id === later.run_id)
    const alone = await achieved(["log", "archive", "--before", ended_at, "--yes"], dir)
    expect([alone.data.runs, alone.data.action]).toEqual([[], "planned"])
    expect(new Set(each(alone.data.left, "run_id"))).toEqual(
      new Set([earlier.run_id, `${earlier.run_id}-iter1`, `${earlier.run_id}-iter2`])
    )
    for (const { problem } of alone.data.left) {
      expect(problem).toMatchObject({ code: "run_needed", message: expect.stringContaining(later.run_id) })
    }
    const both = await achieved(["log", "archive", "--before", tomorrow, "--yes"], dir)
    expect(each(both.data.runs, "run_id")).toEqual(expect.arrayContaining([earlier.run_id, later.run_id]))
    expect(both.data.left).toEqual([])
  })
})
