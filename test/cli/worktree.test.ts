import { spawnSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync
} from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { contentOf, leftOf, ownOf } from "../plugins/git-workspaces/support.ts"
import {
  bigTask,
  chunk,
  gitStage,
  logOf,
  ofType,
  part,
  pass,
  planned,
  type Stage,
  stage,
  writes
} from "./chunkStage.ts"
import { documentOf, finish, launcher, proofline, start, until } from "./proofline.ts"

const two = planned(part("first"), part("second"))
const inWorktrees = (on: Stage, ...more: ReadonlyArray<string>) => chunk(on, "--workspace", "worktree", ...more)
const lines = (...words: ReadonlyArray<string>) => words.map((word) => `export const ${word} = 1\n`).join("")

describe("a subtask with a worktree", () => {
  it("works there, sees what it builds on and nothing else, and everything comes together in the project", async () => {
    const on = gitStage(
      {
        "analyze:task-001": planned(part("first"), part("second"), part("third", [1])),
        "task-001-sub-1": [{ ...writes("a.js"), meet: 2, run: "cp mine.js seen-by-first.js; test ! -e b.js" }],
        "task-001-sub-2": [{ ...writes("b.js"), meet: 2 }],
        // fails unless it has what the first did, and not what the second did
        "task-001-sub-3": [{ run: "test -e a.js && test ! -e b.js", ...writes("c.js") }],
        "review:*": [pass]
      },
      { "kept.js": lines("kept"), "mine.js": lines("committed"), "both.js": lines("x") }
    )
    // what the user has not committed: changed, staged, new, stashed
    on.git("config", "user.name", "U")
    on.git("config", "user.email", "u@example.org")
    writeFileSync(Path.join(on.dir, "both.js"), lines("stashed"))
    on.git("stash")
    writeFileSync(Path.join(on.dir, "mine.js"), lines("uncommitted"))
    writeFileSync(Path.join(on.dir, "staged.js"), lines("staged"))
    on.git("add", "staged.js")
    writeFileSync(Path.join(on.dir, "staged.js"), lines("staged", "and", "changed"))
    on.git("branch", "another")
    const before = ownOf(on.repository)

    const finished = await inWorktrees(on, "--check", "test -e a.js && test -e b.js && test -e c.js")
    expect(finished.code, finished.stdout).toBe(0)
    expect(ownOf(on.repository)).toEqual(before)
    expect(leftOf(on.repository)).toEqual([])
    expect(contentOf(on.dir)).toEqual({
      "a.js": 'export const made = "a.js"\n',
      "b.js": 'export const made = "b.js"\n',
      "both.js": lines("x"),
      "c.js": 'export const made = "c.js"\n',
      "kept.js": lines("kept"),
      "mine.js": lines("uncommitted"),
      // uncommitted changes are part of what a subtask begins with
      "seen-by-first.js": lines("uncommitted"),
      "staged.js": lines("staged", "and", "changed")
    })
    const calls = on.calls("work")
    const root = realpathSync(on.dir)
    for (const { cwd, root: said } of calls) {
      expect(cwd.startsWith(Path.join(root, ".proofline/state/worktrees"))).toBe(true)
      expect(said).toBe(cwd)
    }
    expect(new Set(calls.map(({ cwd }) => cwd)).size).toBe(3)
    // who reviews looks there too; the whole is checked in the project
    expect(
      on
        .calls("review")
        .map(({ cwd }) => cwd)
        .toSorted()
    ).toEqual(calls.map(({ cwd }) => cwd).toSorted())
    expect(
      documentOf(finished).data.tasks[0].subtasks.map((one: { files_modified: unknown }) => one.files_modified)
    ).toEqual([["a.js", "seen-by-first.js"], ["b.js"], ["c.js"]])
    expect((await proofline(["replay"], on.dir)).code).toBe(0)
  })

  it("works in the folder of a project that is not the whole repository", async () => {
    const on = gitStage(
      { "analyze:task-001": two, "*": [{ ...writes("src/%task.js"), run: "test -e here.js" }], "review:*": [pass] },
      { "here.js": lines("here") },
      "packages/one"
    )
    writeFileSync(Path.join(on.repository.top, "outside.js"), lines("outside"))
    const before = ownOf(on.repository)
    const finished = await inWorktrees(on)
    expect(finished.code, finished.stdout).toBe(0)
    expect(ownOf(on.repository)).toEqual(before)
    expect(leftOf(on.repository)).toEqual([])
    expect(Object.keys(contentOf(on.dir))).toEqual(["here.js", "src/task-001-sub-1.js", "src/task-001-sub-2.js"])
    expect(on.git("status", "--porcelain", "--untracked-files=all").trim().split("\n")).toEqual([
      "?? outside.js",
      "?? packages/one/src/task-001-sub-1.js",
      "?? packages/one/src/task-001-sub-2.js"
    ])
    expect(on.calls("work").every(({ cwd }) => cwd.endsWith("/packages/one"))).toBe(true)
  })

  it.each([
    ["is not a repository", false],
    ["has no commit yet", true]
  ])("cannot be had where the project %s: nothing is begun, and the reason is told", async (_, isRepository) => {
    const on = stage(
      { "analyze:task-001": two, "*": [writes("%task.js")] },
      {
        "tasks.yaml": "tasks:\n  - { id: a, name: A, instruction: A, chunk: true }\n",
        "proofline.yaml": "chunking: { workspace: worktree }\n"
      }
    )
    if (isRepository) on.git("init", "--quiet")
    for (const args of [
      ["chunk", bigTask],
      ["run", "tasks.yaml"]
    ]) {
      const finished = await proofline([...args, ...on.withAgent, "--json"], on.dir)
      expect(finished.code, finished.stdout).toBe(2)
      const [problem] = documentOf(finished).data.problems
      expect(problem.code).toBe("workspace_no_repository")
      expect(problem.hint).toContain("git commit")
      expect(problem.hint).toContain("shared")
    }
    expect(on.calls()).toEqual([])
    expect(documentOf(await proofline(["history", "--json"], on.dir)).data.runs).toEqual([])
    // a plan needs no worktree
    expect((await proofline(["chunk", bigTask, "--plan"], on.dir)).code).toBe(0)
  })

  it("stays when it is locked or holds what nobody kept, and is named", async () => {
    const on = gitStage({
      "analyze:task-001": planned(part("first"), part("second"), part("third")),
      "task-001-sub-1": [{ ...writes("a.js"), run: "git worktree lock --reason mine ." }],
      "task-001-sub-2": [writes("b.js")],
      "task-001-sub-3": [writes("c.js")],
      // writes after the work was kept
      "review:task-001-sub-2": [{ ...pass, files: { "notes.md": "What I saw.\n" } }],
      "review:*": [pass]
    })
    const finished = await inWorktrees(on)
    expect(finished.code, finished.stdout).toBe(0)
    const run = documentOf(finished).data.run_id
    const folder = Path.join(realpathSync(on.dir), ".proofline/state/worktrees", run)
    expect(readdirSync(folder).toSorted()).toEqual(["task-001-sub-1", "task-001-sub-2"])
    expect(finished.stderr).toMatch(new RegExp(`${folder}/task-001-sub-1 stays, because it is locked`))
    expect(finished.stderr).toMatch(
      new RegExp(`${folder}/task-001-sub-2 stays, because it holds work that was not kept`)
    )
    expect(existsSync(Path.join(folder, "task-001-sub-2/notes.md"))).toBe(true)
    expect(Object.keys(contentOf(on.dir))).toEqual(["a.js", "b.js", "c.js"])
    // once nothing keeps them any more a resume of the completed run removes them
    on.git("worktree", "unlock", Path.join(folder, "task-001-sub-1"))
    rmSync(Path.join(folder, "task-001-sub-2/notes.md"))
    const resumed = await proofline(["resume", run], on.dir)
    expect(resumed.code, resumed.stderr).toBe(0)
    expect(resumed.stderr).not.toContain("stays")
    expect(leftOf(on.repository)).toEqual([])
  })
})

describe("what the user changes meanwhile", () => {
  const body = (first: string, last: string) => `${lines(first)}\n\n\n\n\n${lines(last)}`
  const moves = (text: string) => ({
    "analyze:task-001": two,
    "task-001-sub-1": [{ ...writes("shared.js", text), until: "edited", run: "touch %stage/x" }],
    "task-001-sub-2": [writes("b.js")],
    "review:*": [pass]
  })
  const edited = async (on: Stage, text: string) => {
    const child = start(
      ["chunk", bigTask, ...on.withAgent, "--analyzer", "agent", "--workspace", "worktree", "--json"],
      on.dir
    )
    const ended = finish(child)
    await until(() => on.calls("work").length > 0)
    writeFileSync(Path.join(on.dir, "shared.js"), text)
    writeFileSync(Path.join(on.dir, "new.js"), lines("mine"))
    writeFileSync(Path.join(on.room, "edited"), "")
    return ended
  }

  it("is merged where it can be", async () => {
    const on = gitStage(moves(body("theirs", "old")), { "shared.js": body("old", "old") })
    const finished = await edited(on, body("old", "ours"))
    expect(finished.code, finished.stdout).toBe(0)
    expect(on.read("shared.js")).toBe(body("theirs", "ours"))
    expect(on.read("new.js")).toBe(lines("mine"))
    expect(on.read("b.js")).not.toBeNull()
  })

  it("is a conflict where it cannot be, and nothing is written", async () => {
    const on = gitStage(moves(lines("theirs")), { "shared.js": lines("old") })
    const finished = await edited(on, lines("ours"))
    expect(finished.code).toBe(1)
    expect(on.read("shared.js")).toBe(lines("ours"))
    expect(on.read("b.js")).toBeNull()
    const [task] = documentOf(finished).data.tasks
    expect(task).toMatchObject({ status: "failed", reason: "conflict" })
    expect(task.message).toContain("shared.js (task-001-sub-1 and project)")
    // what the subtasks did is kept: without the change in the way it is written
    writeFileSync(Path.join(on.dir, "shared.js"), lines("old"))
    const resumed = await proofline(["resume", "--json"], on.dir)
    expect(resumed.code, resumed.stdout).toBe(0)
    expect(on.read("shared.js")).toBe(lines("theirs"))
    expect(on.calls("work").length).toBe(2)
    expect(leftOf(on.repository)).toEqual([])
  })
})

describe("subtasks that changed the same lines", () => {
  const moves = {
    "analyze:task-001": planned(part("first"), part("second"), part("third")),
    "task-001-sub-1": [writes("shared.js", lines("one"))],
    "task-001-sub-2": [writes("shared.js", lines("two"))],
    "task-001-sub-3": [writes("c.js")],
    "review:*": [pass]
  }
  const files = { "shared.js": lines("old") }

  it("fail the task, and the project stays as it was", async () => {
    const on = gitStage(moves, files)
    const finished = await inWorktrees(on)
    expect(finished.code).toBe(1)
    expect(contentOf(on.dir)).toEqual(files)
    const [task] = documentOf(finished).data.tasks
    expect(task).toMatchObject({ status: "failed", reason: "conflict" })
    expect(task.message).toContain("shared.js (task-001-sub-1 and task-001-sub-2)")
    expect(ofType(logOf(on.dir), "CHUNKING_AGGREGATION")[0]?.content.aggregation_result).toMatchObject({
      outcome: "conflict",
      conflicts_detected: true,
      conflicts: [{ file: "shared.js", sources: ["task-001-sub-1", "task-001-sub-2"] }]
    })
  })

  it("cannot both be built on: who needs them fails and says why, the others are kept", async () => {
    const on = gitStage(
      { ...moves, "analyze:task-001": planned(part("first"), part("second"), part("third", [1, 2])) },
      files
    )
    const finished = await inWorktrees(on)
    expect(finished.code).toBe(1)
    const [task] = documentOf(finished).data.tasks
    expect(task.subtasks.map(({ status }: { status: string }) => status)).toEqual(["completed", "completed", "failed"])
    expect(task.subtasks[2]).toMatchObject({ reason: "workplace_conflict", attempts: 0 })
    expect(task.subtasks[2].message).toContain("shared.js (task-001-sub-1 and task-001-sub-2)")
    expect(on.calls("work").length).toBe(2)
  })

  it("are taken from the later one with overwrite, what does not conflict from both", async () => {
    const wide = (first: string, last: string) => `${lines(first)}\n\n\n\n${lines(last)}`
    const on = gitStage(
      {
        ...moves,
        "task-001-sub-1": [writes("shared.js", `${lines("top")}${wide("one", "old")}`)],
        "task-001-sub-2": [writes("shared.js", wide("old", "two"))]
      },
      { "shared.js": wide("old", "old") }
    )
    const finished = await inWorktrees(on, "--conflict-resolution", "overwrite")
    expect(finished.code, finished.stdout).toBe(0)
    expect(on.read("shared.js")).toBe(`${lines("top")}${wide("one", "two")}`)
    const same = gitStage(moves, files)
    expect((await inWorktrees(same, "--conflict-resolution", "overwrite")).code).toBe(0)
    expect(contentOf(same.dir)).toMatchObject({ "shared.js": lines("two"), "c.js": expect.anything() })
  })

  it("wait for a person with manual, who types what is printed", { timeout: 120_000 }, async () => {
    const on = gitStage(moves, files, "it's here")
    const before = ownOf(on.repository)
    const finished = await inWorktrees(on, "--conflict-resolution", "manual")
    expect(finished.code).toBe(3)
    expect(contentOf(on.dir)).toEqual(files)
    const { data } = documentOf(finished)
    const [task] = data.tasks
    expect(task).toMatchObject({ status: "failed", reason: "needs_person" })
    const commands = commandsIn(task.message)
    expect(commands.length).toBe(3)
    // for people the same stands in the report
    const shown = await proofline(["history", "--show", data.run_id], on.dir)
    for (const command of commands) expect(shown.stdout).toContain(command)

    // asked again before anything was done: nothing is lost, the same is wanted
    const early = await proofline(["resume", data.run_id, "--json"], on.dir)
    expect(early.code).toBe(3)
    expect(commandsIn(documentOf(early).data.tasks[0].message)).toEqual(commands)

    const shell = terminal(on)
    const [goThere = "", commit = "", resume = ""] = commands
    expect(shell.type(goThere)).toMatchObject({ status: 0 })
    const conflicting = Path.join(shell.directory(), "it's here/shared.js")
    expect(readFileSync(conflicting, "utf8")).toContain("<<<<<<<")
    writeFileSync(conflicting, lines("one", "two"))
    expect(shell.type(commit)).toMatchObject({ status: 0 })
    const resumed = shell.type(resume)
    expect(resumed.status, resumed.stderr).toBe(0)
    expect(contentOf(on.dir)).toMatchObject({ "shared.js": lines("one", "two"), "c.js": expect.anything() })
    expect(on.calls("work").length).toBe(3)
    expect(ownOf(on.repository)).toEqual(before)
    expect(leftOf(on.repository)).toEqual([])
    expect((await proofline(["replay"], on.dir)).code).toBe(0)
  })
})

/** The indented lines of a message: what a person is asked to type. */
const commandsIn = (message: string): ReadonlyArray<string> =>
  message
    .split("\n")
    .filter((line) => line.startsWith("  "))
    .map((line) => line.trim())

/** A person at a terminal: one line after the other through `sh -c`, each where the one before has ended up. */
const terminal = (on: Stage) => {
  const bin = Path.join(on.room, "bin")
  mkdirSync(bin)
  writeFileSync(Path.join(bin, "proofline"), `#!/bin/sh\nexec "${process.execPath}" "${launcher}" "$@"\n`)
  chmodSync(Path.join(bin, "proofline"), 0o755)
  const who = { NAME: "P", EMAIL: "p@example.org" }
  const { FORCE_COLOR, ...inherited } = process.env
  const environment = {
    ...inherited,
    ...Object.fromEntries(
      Object.entries(who).flatMap(([key, value]) =>
        ["AUTHOR", "COMMITTER"].map((role) => [`GIT_${role}_${key}`, value])
      )
    )
  }
  let cwd = on.dir
  return {
    directory: () => cwd,
    type: (command: string) => {
      const { output, status, stderr, stdout } = spawnSync("sh", ["-c", `${command}\ncode=$?; pwd >&3; exit $code`], {
        cwd,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe", "pipe"],
        env: { ...environment, PATH: `${bin}:${environment["PATH"]}` }
      })
      cwd = output[3]?.trim() ?? cwd
      return { status, stdout, stderr }
    }
  }
}
