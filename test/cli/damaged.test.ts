import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { beforeAll, describe, expect, it } from "vitest"
import { daily, often } from "../often.ts"
import { done, scriptedAgent, withAgent } from "./agent.ts"
import { type Answer, achieved, asked, each, foundInLog } from "./asked.ts"
import { finish, project, proofline, start, until } from "./proofline.ts"
import { ask, serving } from "./serveClient.ts"

const tasks = "tasks:\n  - { id: a, name: A, instruction: A, checks: [test -s a.txt], checklist: [Write a.txt] }\n"
const long = "what it has done ".repeat(500)
const stateOf = (dir: string, ...name: ReadonlyArray<string>) => Path.join(dir, ".proofline/state", ...name)
const database = (dir: string) => stateOf(dir, "proofline.db")

/** A project in which three runs have ended, each in a project without the work of the others. */
const threeRuns = async () => {
  const report = done({ "Write a.txt": "a.txt:1" }, long)
  const dir = project({ "tasks.yaml": tasks, ...scriptedAgent({ a: [{ files: { "a.txt": "content\n" }, report }] }) })
  const runs: Array<string> = []
  for (let i = 0; i < 3; i++) {
    rmSync(Path.join(dir, "a.txt"), { force: true })
    runs.push((await achieved(["run", "tasks.yaml", ...withAgent], dir)).data.run_id)
  }
  return { dir, runs: runs as unknown as readonly [string, string, string] }
}

let made: Awaited<ReturnType<typeof threeRuns>>
beforeAll(async () => {
  made = await threeRuns()
})

/** The same project in another place. */
const copy = () => {
  const dir = project({})
  cpSync(made.dir, dir, { recursive: true })
  return dir
}

const change = (dir: string, sql: string) => {
  const db = new DatabaseSync(database(dir))
  db.exec(sql)
  db.close()
}

/** Turns a bit of what stands behind a text in a file. */
const flip = (file: string, text: string, behind = text.length) => {
  const bytes = readFileSync(file)
  const at = bytes.indexOf(text)
  expect(at, text).toBeGreaterThan(-1)
  bytes[at + behind] = (bytes[at + behind] ?? 0) ^ 1
  writeFileSync(file, bytes)
}

/** A bit of the content of an event of the run, in the database file. */
const flipEvent = (dir: string, run: string, version: number) => {
  const db = new DatabaseSync(database(dir), { readOnly: true })
  const row = db.prepare("select hash from event where stream = ? and version = ?").get(run, version)
  db.close()
  flip(database(dir), String(row?.["hash"]), 0)
}

const looking = (run: string): ReadonlyArray<ReadonlyArray<string>> => [
  ["verify", run],
  ["show", run],
  ["replay", run],
  ["events", run]
]

/** It is refused as damage with a code, a sentence and what to do, and nothing that SQLite or JavaScript says. */
const expectNamed = async (dir: string, ...command: ReadonlyArray<string>) => {
  const { code, stderr, stdout } = await proofline(command, dir)
  expect(code, `${command}: ${stdout}${stderr}`).toBe(5)
  expect(stdout + stderr).toMatch(
    /log_(corrupt|changed|cut|rewritten)|chain of \S+ is broken|its log ends at|The end of run/
  )
  expect(stderr).not.toMatch(/malformed|SQLITE|not valid JSON|\n\s+at /)
}

const putInPlace = (dir: string, { repair }: Answer["data"]) => {
  for (const end of ["", "-wal", "-shm"]) {
    if (existsSync(`${database(dir)}${end}`)) renameSync(`${database(dir)}${end}`, `${database(dir)}.damaged${end}`)
  }
  renameSync(repair.file, database(dir))
}

describe("given a log in which one run is damaged", () => {
  it("when its file is looked at then this run is named, the others answer, and a new file saves what is whole", async () => {
    const dir = copy()
    const [hurt, ...others] = made.runs
    const { events } = (await achieved(["replay", hurt], dir)).data
    flipEvent(dir, hurt, 7)
    const damaged = readFileSync(database(dir))
    for (const command of looking(hurt)) await expectNamed(dir, ...command)
    for (const run of others) for (const command of looking(run)) expect((await proofline(command, dir)).code).toBe(0)
    expect((await achieved(["history"], dir)).data.runs).toHaveLength(3)

    const looked = await asked(["doctor"], dir)
    expect(looked).toMatchObject({ code: 5, data: { healthy: false, repair: null } })
    expect(foundInLog(looked.data)).toEqual([
      expect.objectContaining({
        code: "run_damaged",
        severity: "error",
        message: expect.stringContaining("first 6 events")
      })
    ])
    expect(looked.data.runs).toContainEqual({ run_id: hurt, events: 6, known: events, state: "cut" })
    const repaired = await asked(["doctor", "--repair", "--out", "saved.db"], dir)
    expect(repaired.code).toBe(5)
    expect(repaired.data.repair).toMatchObject({ file: Path.join(dir, "saved.db") })
    expect(repaired.data.repair.runs).toContainEqual({ run_id: hurt, kept: 6, lost: events - 6, state: "cut" })
    expect(readFileSync(database(dir)).equals(damaged)).toBe(true)
    expect((await asked(["doctor", "--repair", "--out", "saved.db"], dir)).refused).toEqual(["out_exists"])
    const within = await asked(["doctor", "--repair", "--out", "tasks.yaml/saved.db"], dir)
    expect([within.code, within.refused]).toEqual([1, ["log_unwritable"]])

    putInPlace(dir, repaired.data)
    for (const run of others) for (const command of looking(run)) expect((await proofline(command, dir)).code).toBe(0)
    const { runs } = (await achieved(["history"], dir)).data
    expect(runs.find((run: { run_id: string }) => run.run_id === hurt)).toMatchObject({
      status: "running",
      away: { kind: "cut", place: database(dir) }
    })
    for (const command of looking(hurt)) await expectNamed(dir, ...command)
    expect((await asked(["resume", hurt], dir)).code).not.toBe(0)
    const again = await achieved(["doctor"], dir)
    expect(each(foundInLog(again.data), "code")).toEqual(["run_cut"])

    // what a backup has of it is taken over, and it is whole again
    const { data } = await achieved(["log", "copy", hurt, "--from", `${made.dir}/.proofline/state`], dir)
    expect(data.runs).toEqual([expect.objectContaining({ run_id: hurt, outcome: "copied", added: events - 6 })])
    expect((await achieved(["verify", hurt], dir)).data.chain.ok).toBe(true)
    expect(foundInLog((await achieved(["doctor"], dir)).data)).toEqual([])
    rmSync(Path.join(dir, "a.txt"))
    expect((await achieved(["run", "tasks.yaml", ...withAgent], dir)).data.status).toBe("completed")
  })

  const otherwise: ReadonlyArray<readonly [what: string, damage: (dir: string, run: string) => void, code: string]> = [
    ["is another", (dir, run) => flipEvent(dir, run, 7), "log_changed"],
    [
      "is no JSON",
      (dir, run) => change(dir, `update event set content = '{' where stream = '${run}' and version = 7`),
      "log_corrupt"
    ]
  ]
  it.each(daily(otherwise, 2))(
    "when an event %s then figures are of the others, over HTTP each time, and it is named",
    async (_, damage, code) => {
      const dir = copy()
      const [hurt] = made.runs
      damage(dir, hurt)
      const { code: ended, data } = await asked(["stats", "--by", "run,run"], dir)
      expect(ended).toBe(5)
      expect(data).toMatchObject({
        by: ["run"],
        total: { runs: 2, items_proven: 2 },
        left_out: [{ run_id: hurt, code }]
      })
      const server = await serving(dir)
      for (let i = 0; i < 2; i++) expect((await ask(server, "/stats?by=run")).body).toEqual(data)
      const told = await asked(["backtest", "--accept", "untouched"], dir)
      expect([told.code, told.data.runs, each(told.data.integrity, "code")]).toEqual([5, 2, [code]])
    }
  )

  it("when its first event names another plugin then it is changed, and no plugin is missed", async () => {
    const dir = copy()
    const [hurt] = made.runs
    change(dir, `update event set content = replace(content, '"evidence"', '"evidenc2"') where stream = '${hurt}'`)
    for (const command of looking(hurt)) await expectNamed(dir, ...command)
    expect((await proofline(["resume", hurt], dir)).stderr).toContain("[log_changed]")
  })

  it("when it is one that has left no head then it does not pass for one that goes on", async () => {
    const dir = copy()
    const [, , hurt] = made.runs
    rmSync(Path.join(dir, ".proofline/heads"), { recursive: true })
    const { events } = (await achieved(["replay", hurt], dir)).data
    flipEvent(dir, hurt, events)
    putInPlace(dir, (await asked(["doctor", "--repair"], dir)).data)
    for (const command of [...looking(hurt), ["events", "export", hurt, "--out", "run.ndjson"]])
      await expectNamed(dir, ...command)
    expect((await asked(["resume", hurt], dir)).code).not.toBe(0)
  })
})

describe("given a repair that was killed", () => {
  it("then doctor tells what it has left, the next repair removes it, and that of a living one stays", async () => {
    const dir = copy()
    flipEvent(dir, made.runs[0], 7)
    const dead = start(["history"], dir)
    await finish(dead)
    const partOf = (pid: number | undefined) => stateOf(dir, `proofline-20260102T030405Z.db.${hostname()}.${pid}.part`)
    for (const pid of [dead.pid, process.pid]) for (const end of ["", "-wal"]) writeFileSync(partOf(pid) + end, "begun")
    const parts = () => readdirSync(stateOf(dir)).filter((name) => name.includes(".part"))
    const { data } = await asked(["doctor"], dir)
    expect(each(foundInLog(data), "code")).toEqual(["repair_unfinished", "run_damaged"])
    expect(foundInLog(data)[0]).toMatchObject({ severity: "note", place: partOf(dead.pid) })
    expect(parts()).toHaveLength(4)
    const repaired = await asked(["doctor", "--repair", "--out", "other.db"], dir)
    expect(each(foundInLog(repaired.data), "code")).toEqual(["repair_unfinished", "run_damaged"])
    expect(parts()).toEqual(["", "-wal"].map((end) => Path.basename(partOf(process.pid) + end)))
    expect(existsSync(repaired.data.repair.file)).toBe(true)
  })
})

describe("given a log whose other parts are damaged", () => {
  it("when the summary of a run says something else or is gone then it is made anew of the events, and that is said", async () => {
    const dir = copy()
    const before = (await achieved(["history"], dir)).data
    change(dir, "update run_summary set summary = replace(summary, 'completed', 'cancelled')")
    for (const sql of [
      null,
      "update run_summary set digest = null",
      "delete from run_summary",
      "update run_summary set summary = '{'"
    ]) {
      if (sql !== null) change(dir, sql)
      const told = await achieved(["history"], dir)
      expect(told.data).toEqual(before)
      expect(told.stderr).toContain("[summary_damaged]")
      expect(await asked(["status"], dir)).toMatchObject({
        code: 0,
        stderr: expect.stringContaining("[summary_damaged]")
      })
    }
    const { data } = await asked(["doctor", "--repair"], dir)
    expect(each(foundInLog(data), "code")).toEqual(["summary_damaged"])
    putInPlace(dir, data)
    expect(await achieved(["history"], dir)).toMatchObject({ data: before, stderr: "" })
  })

  it("when its list of migrations is another then it is no log of a newer Proofline", async () => {
    const dir = copy()
    change(dir, "update schema_migration set name = '0003_locks_and_presgnce' where name like '0003%'")
    for (const command of [["show"], ["verify"], ["events"]]) await expectNamed(dir, ...command)
    const { code, data } = await asked(["doctor", "--repair"], dir)
    expect([code, each(foundInLog(data), "code")]).toEqual([5, ["log_corrupt"]])
    putInPlace(dir, data)
    await achieved(["verify"], dir)
  })

  it("when it is one of a newer Proofline then doctor says so too", async () => {
    const dir = copy()
    change(dir, "insert into schema_migration (name, timestamp) values ('9999_future', 'later')")
    const found = foundInLog((await asked(["doctor"], dir)).data)
    expect(found).toMatchObject([{ code: "log_newer", fix: expect.stringContaining("Update Proofline") }])
    // its runs are listed by what is known of them, and that more is left out is said
    for (const command of ["history", "status"]) {
      const listed = await achieved([command], dir)
      expect(listed.data.runs.length, command).toBeGreaterThan(0)
      expect(listed.stderr, command).toMatch(
        /written by a newer Proofline: its schema has "9999_future"\..* is left out/
      )
      expect((await proofline([command], dir)).stderr, command).toContain("[log_newer]")
    }
  })

  const without: ReadonlyArray<readonly [what: string, damage: (file: string) => void]> = [
    ["its end is gone", (file) => truncateSync(file, readFileSync(file).length / 2)],
    ["its beginning is gone", (file) => writeFileSync(file, readFileSync(file).fill(0, 0, 4_096))],
    ["it is empty of pages of ours", (file) => writeFileSync(file, readFileSync(file).fill(0x5a))]
  ]
  it.each(daily(without, 3))("when %s then it is refused as it is, and what is left is saved", async (_, damage) => {
    const dir = copy()
    damage(database(dir))
    const damaged = readFileSync(database(dir))
    for (const command of [
      ["history"],
      ["status"],
      ["show"],
      ["verify"],
      ["events"],
      ["run", "tasks.yaml", ...withAgent]
    ])
      await expectNamed(dir, ...command)
    const { code, data } = await asked(["doctor", "--repair"], dir)
    expect(code).toBe(5)
    expect(readFileSync(database(dir)).equals(damaged)).toBe(true)
    putInPlace(dir, data)
    for (const { run_id, state } of data.runs) {
      const { code } = await asked(["verify", run_id], dir)
      expect(code, `${run_id} ${state}`).toBe(state === "whole" ? 0 : 5)
    }
    rmSync(Path.join(dir, "a.txt"))
    expect((await achieved(["run", "tasks.yaml", ...withAgent], dir)).data.status).toBe("completed")
  })

  it("when a blob has other bytes or is gone then it is named, with its run", async () => {
    const dir = copy()
    const named: ReadonlyArray<string> =
      readFileSync(database(dir), "latin1").match(/(?<="sha256":")[0-9a-f]{64}/g) ?? []
    const [changed, gone] = readdirSync(stateOf(dir, "blobs"), { recursive: true, encoding: "utf8" })
      .filter((path) => named.includes(Path.basename(path)))
      .map((path) => stateOf(dir, "blobs", path))
    writeFileSync(changed as string, "something else")
    rmSync(gone as string)
    const { code, data } = await asked(["doctor"], dir)
    expect(code).toBe(5)
    expect(each(foundInLog(data), "code").toSorted()).toEqual(["blob_damaged", "blob_missing"])
    for (const blob of [changed, gone]) expect(JSON.stringify(data.findings)).toContain(Path.basename(blob as string))
  })
})

describe("given a run whose process was killed", () => {
  it.each([
    ["removed", (file: string) => rmSync(file)],
    ["emptied", (file: string) => writeFileSync(file, "")]
  ])(
    "when its file was %s then what the write-ahead log holds is thrown away by no command, and is saved",
    async (_, lose) => {
      const dir = project({ "tasks.yaml": tasks, ...scriptedAgent({ a: [{ hang: true }] }) })
      const child = start(["run", "tasks.yaml", ...withAgent], dir)
      await until(() => existsSync(Path.join(dir, "hanging")))
      child.kill("SIGKILL")
      await finish(child)
      // reading it would copy it into the file
      const copy = project({})
      cpSync(stateOf(dir), stateOf(copy), { recursive: true })
      const { stdout } = await proofline(["events"], copy)
      lose(database(dir))
      for (const command of [
        ["status"],
        ["history"],
        ["verify"],
        ["events"],
        ["resume"],
        ["run", "tasks.yaml", ...withAgent]
      ])
        await expectNamed(dir, ...command)
      const { data } = await asked(["doctor", "--repair"], dir)
      expect(each(data.findings, "code")).toContain("log_corrupt")
      expect(data.repair.runs).toMatchObject([{ lost: 0, state: "whole" }])
      putInPlace(dir, data)
      expect(await proofline(["events"], dir)).toMatchObject({ code: 0, stdout })
    }
  )

  it("when what it committed last is damaged then no command passes over it, and the rest is saved", async () => {
    const dir = project({ "tasks.yaml": tasks, ...scriptedAgent({ a: [{ hang: true }] }) })
    const child = start(["run", "tasks.yaml", ...withAgent], dir)
    await until(() => existsSync(Path.join(dir, "hanging")))
    // as long as it is alive nothing is repaired behind its back, whatever of the file is damaged
    change(dir, "update run_summary set summary = '{'")
    expect((await asked(["doctor", "--repair"], dir)).refused).toEqual(["run_is_driven"])
    child.kill("SIGKILL")
    await finish(child)
    process.kill(Number(readFileSync(Path.join(dir, "hanging"), "utf8")), "SIGKILL")
    const wal = readFileSync(`${database(dir)}-wal`)
    flip(`${database(dir)}-wal`, "ATTEMPT_STARTED", 0)
    for (const command of [["status"], ["history"], ["verify"], ["events"], ["resume"]])
      await expectNamed(dir, ...command)
    expect(readFileSync(`${database(dir)}-wal`)).toHaveLength(wal.length)
    const { data } = await asked(["doctor", "--repair"], dir)
    expect(each(data.findings, "code")).toContain("log_corrupt")
    expect(data.repair.runs[0].kept).toBeGreaterThan(0)
    putInPlace(dir, data)
    for (const command of [["history"], ["status", "--all"]]) expect((await proofline(command, dir)).code).not.toBe(5)
  })
})

describe("given a run that was killed, and files of its log that were deleted then", () => {
  it.each([["-wal -shm"], [" -wal"]])("when doctor looks, then what no event names is told (%s)", async (files) => {
    const dir = project({ "tasks.yaml": tasks, ...scriptedAgent({ a: [{ hang: true }] }) })
    const child = start(["run", "tasks.yaml", ...withAgent], dir)
    await until(() => existsSync(Path.join(dir, "hanging")))
    child.kill("SIGKILL")
    await finish(child)
    process.kill(Number(readFileSync(Path.join(dir, "hanging"), "utf8")), "SIGKILL")
    for (const end of files.split(" ")) rmSync(`${database(dir)}${end}`)
    const { code, data } = await asked(["doctor"], dir)
    expect([code, foundInLog(data)]).toEqual([
      0,
      [
        expect.objectContaining({
          code: "events_missing",
          severity: "warning",
          message: expect.stringMatching(
            /^No event of the log names \d+ blobs? and what run_\w+ left behind\. Events may/
          )
        })
      ]
    ])
    expect((await proofline(["doctor"], dir)).stdout).toContain("Nothing that is left is damaged.")
  })
})

describe("given any place of the file is damaged", () => {
  // with PROOFLINE_TEST=full in many places; how all of the events are found again: plugins/sqlite-log/salvage.test.ts
  it("then every command either answers as before, or names the damage", { timeout: 1_200_000 }, async () => {
    const dir = copy()
    const commands = (run: string) => [["history"], ["status", "--all"], ...looking(run)]
    const pristine = new Map<string, Awaited<ReturnType<typeof proofline>>>()
    for (const run of made.runs)
      for (const command of commands(run)) pristine.set(command.join(" "), await proofline(command, dir))
    const whole = readFileSync(database(dir))
    let seed = Number(process.env["PROOFLINE_SEED"] ?? Date.now() % 1_000_000)
    const told = `PROOFLINE_SEED=${seed}`
    const next = () => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
      return seed / 2 ** 32
    }
    for (let i = 0; i < often(150) / 3; i++) {
      const bytes = Buffer.from(whole)
      let at = 0
      // where there is nothing, nothing is damaged
      do at = Math.floor(next() * bytes.length)
      while (bytes[at] === 0)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(next() * 8))
      for (const end of ["-wal", "-shm"]) rmSync(`${database(dir)}${end}`, { force: true })
      writeFileSync(database(dir), bytes)
      const run = made.runs[Math.floor(next() * 3)] as string
      for (const command of commands(run)) {
        const answer = await proofline(command, dir)
        const before = pristine.get(command.join(" "))
        if (answer.code === before?.code && answer.stdout === before?.stdout) continue
        expect([answer.code, answer.stdout + answer.stderr], `${told}, ${i}, byte ${at}: ${command}`).toEqual([
          5,
          expect.stringMatching(/\[log_(corrupt|changed|cut|rewritten)\]|chain of .* is broken/)
        ])
        expect(answer.stderr).not.toMatch(/malformed|SQLITE|not valid JSON|\n\s+at /)
      }
    }
  })
})
