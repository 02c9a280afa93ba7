import { spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { contentOf, leftOf, ownOf } from "../plugins/git-workspaces/support.ts"
import { bigTask, chunk, gitStage, part, pass, planned, type Stage, stage, writes } from "./chunkStage.ts"
import { documentOf, launcher, proofline } from "./proofline.ts"

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

  it("cannot be had where the project has no commit yet: nothing is begun, and the reason is told", async () => {
    const on = stage(
      { "analyze:task-001": two, "*": [writes("%task.js")] },
      {
        "tasks.yaml": "tasks:\n  - { id: a, name: A, instruction: A, chunk: true }\n",
        "proofline.yaml": "chunking: { workspace: worktree }\n"
      }
    )
    on.git("init", "--quiet")
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
