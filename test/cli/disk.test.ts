import { execFileSync, spawn } from "node:child_process"
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "vitest"
import { inTurn } from "../often.ts"
import { contentOf, leftOf, ownOf } from "../plugins/git-workspaces/support.ts"
import { begin, write } from "../plugins/repositories.ts"
import { done, type Script, scriptedAgent, withAgent } from "./agent.ts"
import { achieved, answerOf, asked } from "./asked.ts"
import { part, pass, planned, writes } from "./chunkStage.ts"
import {
  afterwards,
  documentOf,
  eventsOf,
  type Finished,
  finish,
  launcher,
  project,
  proofline,
  start,
  startBound
} from "./proofline.ts"

const task = (id: string) =>
  `  - { id: ${id}, name: ${id}, instruction: ${id}, checks: [test -s ${id}.txt], checklist: [Write ${id}.txt] }\n`
const ids = ["a", "b", "c"]
const work = (id: string) => [
  {
    files: { [`${id}.txt`]: "content\n" },
    report: done({ [`Write ${id}.txt`]: `${id}.txt:1` }, "what it has done ".repeat(2_000)),
    stdout: "what it has printed ".repeat(2_000)
  }
]
const files = {
  "tasks.yaml": `tasks:\n${ids.map(task).join("")}`,
  ...scriptedAgent(Object.fromEntries(ids.map((id) => [id, work(id)])))
}
const run = ["run", "tasks.yaml", ...withAgent, "--max-retries", "0", "--json"]

/** A small file system of this many KiB; null where none may be mounted. */
const small = (kib: number): string | null => {
  const dir = mkdtempSync(Path.join(tmpdir(), "proofline-disk-"))
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${kib}k`, "tmpfs", dir], { stdio: "ignore" })
  } catch {
    rmSync(dir, { recursive: true })
    return null
  }
  afterwards(() => {
    execFileSync("umount", ["-l", dir])
    rmSync(dir, { recursive: true })
  })
  return dir
}

const filesBelow = (dir: string) =>
  readdirSync(dir, { recursive: true, encoding: "utf8" }).filter((name) => statSync(Path.join(dir, name)).isFile())

/** No part of a file was left behind, and every file that is there is one. */
const expectNothingHalf = (state: string) => {
  for (const name of filesBelow(state)) {
    expect(name).not.toMatch(/\.(part|tmp)\b|\.part-/)
    if (!/-(wal|shm)$|^tmp\//.test(name))
      expect([name, statSync(Path.join(state, name)).size > 0]).toEqual([name, true])
  }
}

const eventsIn = (state: string): ReadonlyArray<string> => {
  try {
    const db = new DatabaseSync(Path.join(state, "proofline.db"), { readOnly: true })
    const rows = db.prepare("select hash from event order by position").all()
    db.close()
    return rows.map((row) => String(row["hash"]))
  } catch {
    return []
  }
}

/** It stopped with this code for want of space, lost nothing, and goes on to its end once there is some. */
const expectStopped = async (dir: string, state: string, stopped: Finished, as: string) => {
  const { code, data, refused } = answerOf(stopped)
  expect([code, refused], stopped.stderr).toEqual([1, [as]])
  // `run` again would begin another one, which counts what is done as there before
  expect(data.problems[0].hint).toContain("A run that has begun goes on with `proofline resume`")
  expect(stopped.stderr).not.toMatch(/\n\s+at /)
  expectNothingHalf(state)
  return async () => {
    const before = eventsIn(state)
    if (before.length > 0) expect((await asked(["verify", "--state", state], dir)).data.chain.ok).toBe(true)
    const next = before.length > 0 ? ["resume", "--json"] : run
    const ended = answerOf(await proofline([...next, "--state", state], dir))
    expect([ended.code, ended.data.status], ended.stderr).toEqual([0, "completed"])
    expect(eventsIn(state).slice(0, before.length)).toEqual(before)
    expect((await achieved(["doctor", "--state", state], dir)).data.healthy).toBe(true)
  }
}

describe("given a disk that is full", () => {
  const full = small(16)
  it.skipIf(full === null)("then doctor says that no run can begin, and that something is wrong", async () => {
    writeFileSync(Path.join(full as string, "padding"), Buffer.alloc(16 * 1_024))
    const { code, data } = await asked(["doctor", "--state", Path.join(full as string, "state")], project(files))
    expect(data.findings).toContainEqual(
      expect.objectContaining({
        code: "disk_full",
        severity: "error",
        message: expect.stringContaining("Nothing is left")
      })
    )
    expect([code, data.healthy]).toEqual([1, false])
  })
})

describe("given a disk on which no file can be written", () => {
  const full = small(16)
  it.skipIf(full === null).each(["init", "mcp install claude --yes", "sample tasks --out tasks.yaml", "demo"])(
    "then %s says to free some space, and leaves nothing of a file behind",
    async (command) => {
      const dir = Path.join(full as string, "project")
      mkdirSync(dir, { recursive: true })
      writeFileSync(Path.join(full as string, "padding"), Buffer.alloc(16 * 1_024))
      const { code, stderr } = await finish(start(command.split(" "), dir, { TMPDIR: dir }))
      expect([code, stderr]).toEqual([expect.toBeOneOf([1, 2]), expect.stringContaining("Free some space")])
      expect(filesBelow(dir)).toEqual([])
      expect(readdirSync(dir)).not.toContainEqual(expect.stringContaining("demo"))
    }
  )
})

describe("given a disk that becomes full", () => {
  // so many KiB are free: before the first event, while the first blobs are written, in the middle, and late
  const room = small(16) === null ? [] : inTurn([8, 100, 160, 240, 320, 420, 520], Date.now())
  const places = room.length === 0 ? [] : [...new Set([100, ...room])]
  it.skipIf(places.length === 0).each(places)(
    "when a run has %d KiB then it stops with log_disk_full, loses nothing, and goes on with more",
    async (kib) => {
      const dir = project(files)
      const state = Path.join(small(4_096) as string, "state")
      mkdirSync(state)
      const padding = Path.join(state, "..", "padding")
      writeFileSync(padding, Buffer.alloc((4_096 - 16 - kib) * 1_024))
      const goOn = await expectStopped(
        dir,
        state,
        await finish(start([...run, "--state", state], dir)),
        "log_disk_full"
      )
      rmSync(padding)
      await goOn()
    }
  )

  it("when no file may grow any more then a run says so, loses nothing, and goes on when they may", async () => {
    const dir = project(files)
    const state = Path.join(dir, ".proofline/state")
    // runs anywhere: of a file that reaches the limit the system refuses the rest, with another error than of a full disk
    const limited = spawn(
      "sh",
      ["-c", `trap '' XFSZ; ulimit -f 100; exec "$0" "$@"`, process.execPath, launcher, ...run],
      {
        cwd: dir,
        stdio: ["ignore", "pipe", "pipe"]
      }
    )
    const goOn = await expectStopped(dir, state, await finish(limited), "log_failed")
    await goOn()
  })
})

interface Beside {
  readonly script: Script
  readonly tasks: string
  readonly config?: string
  readonly flags: ReadonlyArray<string>
  /** What comes of it. */
  readonly made: Readonly<Record<string, string>>
}

const words = "what it has done ".repeat(500)
const parts = ["one", "two", "three"]

/** Work that is done beside each other, each in a worktree. */
const beside: Readonly<Record<string, Beside>> = {
  "three attempts at each of two tasks": {
    script: Object.fromEntries(
      ["a", "b"].flatMap((id) =>
        [1, 2, 3].map((n) => [
          `${id}-try-${n}`,
          [{ files: { [`${id}.txt`]: "content\n" }, report: done({ [`Write ${id}.txt`]: `${id}.txt:1` }, words) }]
        ])
      )
    ),
    tasks: `tasks:\n${task("a")}${task("b")}`,
    flags: ["--attempts", "3"],
    made: { "a.txt": "content\n", "b.txt": "content\n" }
  },
  "the parts of a task": {
    script: {
      "analyze:a": planned(part("one"), part("two"), part("three", [1])),
      ...Object.fromEntries(
        parts.map((name, at) => [`a-sub-${at + 1}`, [{ ...writes(`${name}.txt`, `${name}\n`), stdout: words }]])
      ),
      "review:*": [pass]
    },
    tasks: "tasks:\n  - { id: a, name: a, instruction: Do it, chunk: true }\n",
    config: "chunking: { workspace: worktree, analyzer: agent }\n",
    flags: ["--reviewer", "command"],
    made: Object.fromEntries(parts.map((name) => [`${name}.txt`, `${name}\n`]))
  }
}

/** A repository with its state on a small disk, the agent elsewhere. */
const onSmallDisk = ({ config, flags, script, tasks }: Beside) => {
  const disk = small(8_192) as string
  const root = Path.join(disk, "project")
  mkdirSync(root)
  begin(root, {
    ".gitignore": ".proofline\n",
    "kept.txt": "kept\n",
    "changed.txt": "committed\n",
    "tasks.yaml": tasks,
    ...(config === undefined ? {} : { "proofline.yaml": config })
  })
  write(root, { "changed.txt": "changed\n", "mine.txt": "mine\n" })
  const padding = Path.join(disk, "padding")
  const free = () => {
    const { bavail, bsize } = statfsSync(disk)
    return bavail * bsize
  }
  const room = project(scriptedAgent(script))
  const agent = ["--agent", "command", "--agent-command", `node ${room}/agent.mjs`, "--retry-delay", "0s"]
  const state = Path.join(root, ".proofline/state")
  return {
    disk,
    root,
    state,
    args: ["run", "tasks.yaml", ...agent, "--max-retries", "0", ...flags],
    repository: { room: disk, top: root, root, stateDir: state },
    /** Leaves so many KiB of the disk, whatever is there. */
    leave: (kib: number) => {
      writeFileSync(padding, "")
      writeFileSync(padding, Buffer.alloc(Math.max(0, free() - kib * 1_024)))
    },
    /** Gives back so many of what was taken; all of them when there are no more. */
    giveBack: (kib: number) => truncateSync(padding, Math.max(0, statSync(padding).size - Math.round(kib) * 1_024))
  }
}

describe("given a project that lies on a disk which becomes full", () => {
  const kinds = small(16) === null ? [] : inTurn(Object.keys(beside), Math.floor(Date.now() / 86_400_000))

  it.skipIf(kinds.length === 0).each(kinds)(
    "when %s are given a little more space each time then each stop is log_disk_full and leaves a log that holds, and the last resume completes the run",
    async (kind) => {
      const on = onSmallDisk(beside[kind] as Beside)
      const content = contentOf(on.root)
      const own = ownOf(on.repository)
      on.leave(200)
      let before: ReadonlyArray<string> = []
      let stops = 0
      let next = on.args
      for (;;) {
        // a process of its own: what it could not give up for want of space it gives up by its end
        const ended = answerOf(await finish(start([...next, "--json"], on.root)))
        const now = eventsIn(on.state)
        expect(now.slice(0, before.length)).toEqual(before)
        before = now
        expect(ended.stderr).not.toMatch(/\n\s+at /)
        if (ended.code === 0) break
        expect([ended.code, ended.refused], ended.stderr).toEqual([1, ["log_disk_full"]])
        stops++
        if (now.length > 0) {
          const { code, data } = await asked(["verify"], on.root)
          expect([code, data.chain.ok, data.chain.events, data.run_status]).toEqual([1, true, now.length, "running"])
          next = ["resume"]
        }
        on.giveBack(150 * 1.5 ** stops)
      }
      expect(stops).toBeGreaterThan(2)
      on.giveBack(8_192)
      const { data } = await achieved(["history"], on.root)
      expect(data.runs).toMatchObject([{ status: "completed" }])
      await achieved(["verify"], on.root)
      // what could not be removed for want of space
      await achieved(["resume", data.runs[0].run_id], on.root)
      expect(leftOf(on.repository)).toEqual([])
      expect(ownOf(on.repository)).toEqual(own)
      expect(contentOf(on.root)).toEqual({ ...content, ...(beside[kind] as Beside).made })
      expect(readdirSync(Path.join(on.root, ".git")).filter((name) => name.startsWith("fast_import"))).toEqual([])
    }
  )

  it.skipIf(kinds.length === 0)(
    "when not a byte of it is left then what reads a run that has ended answers as before",
    async () => {
      const on = onSmallDisk(beside["the parts of a task"] as Beside)
      await achieved(on.args, on.root)
      const answers = async () => {
        const found: Array<readonly [string, Finished]> = []
        for (const command of ["verify", "status", "history", "stats"])
          found.push([command, await proofline([command], on.root, { TMPDIR: on.disk })])
        return found
      }
      const before = await answers()
      on.leave(0)
      expect(await answers()).toEqual(before)
    }
  )
})

describe("given a state directory that may only be read", () => {
  it("then what reads works, and what writes refuses with log_unwritable and leaves nothing behind", async () => {
    const dir = project(files)
    const { run_id } = (await achieved(run.slice(0, -1), dir)).data
    const [first, ...rest] = await eventsOf(run_id, dir)
    const at = 1 + rest.filter(({ command_id }) => command_id === first.command_id).length
    const begun = (await achieved(["fork", run_id, "--at", String(at)], dir)).data.run_id
    const state = Path.join(dir, ".proofline/state")
    const commands = [
      ["history"],
      ["history", "--show", run_id],
      ["show", run_id],
      ["events", run_id, "--follow"],
      ["verify", run_id],
      ["diff", begun, run_id],
      ["backtest", "--accept", "untouched"],
      ["bisect", run_id, "--", "false"]
    ]
    const pristine: Array<readonly [ReadonlyArray<string>, Finished]> = []
    for (const command of commands) pristine.push([command, await proofline(command, dir)])
    const { stdout: soFar } = await proofline(["events", begun], dir)
    const before = filesBelow(state).map((name) => [name, readFileSync(Path.join(state, name), "latin1")])
    chmodSync(state, 0o555)
    chmodSync(Path.join(state, "proofline.db"), 0o444)
    const as = (args: ReadonlyArray<string>) => finish(startBound(args, dir))
    const reading = [...pristine].map(async ([command, expected]) => {
      const answer = await as(command)
      expect([command, answer.code, answer.stdout], answer.stderr).toEqual([command, expected.code, expected.stdout])
    })
    // what is there is shown, and nobody waits for what never comes
    const following = [
      ["events", begun, "--follow"],
      ["watch", begun]
    ].map(async (command) => {
      const refused = await as(command)
      expect([refused.code, refused.stdout], refused.stderr).toEqual([
        1,
        command[0] === "events" ? soFar : expect.stringContaining("running")
      ])
      expect(refused.stderr).toContain("log_unwritable")
    })
    const writing = [run, ["resume", run_id], ["serve"]].map(async (command) => {
      const refused = await as(command)
      expect([command[0], refused.code], refused.stderr).toEqual([command[0], 1])
      expect(refused.stdout + refused.stderr).toContain("log_unwritable")
    })
    // what takes runs out of it into files
    const out = (name: string) => Path.join(dir, "out", name)
    mkdirSync(Path.join(dir, "out"))
    const taking = [
      ["events", "export", run_id, "--out", out("events.ndjson.gz")],
      ["history", "export", "--dir", out("history")],
      ["receipts", "export", run_id, "--out", out("receipts.json")],
      ["log", "archive", "--before", "2999-01-01"]
    ].map(async (command) => {
      const taken = await as(command)
      expect([command[0], taken.code], taken.stderr).toEqual([command[0], 0])
    })
    // one that is not completed would go on in both
    const copying = async () => {
      const copied = await as(["log", "copy", "--to", out("log"), "--json"])
      expect(copied.code, copied.stderr).toBe(1)
      expect(documentOf(copied).data.runs).toMatchObject([
        { run_id, outcome: "copied", moved: false },
        { run_id: begun, outcome: "left_out", problem: { code: "log_unwritable" } }
      ])
    }
    await Promise.all([...reading, ...following, ...writing, ...taking, copying()])
    expect((await proofline(["verify", run_id, "--state", out("log")], dir)).code).toBe(0)
    expect((await proofline(["verify", out("events.ndjson.gz")], dir)).code).toBe(0)
    expect(filesBelow(state).map((name) => [name, readFileSync(Path.join(state, name), "latin1")])).toEqual(before)
    chmodSync(state, 0o755)
  })
})
