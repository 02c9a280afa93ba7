import { chmodSync, existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { blocksOf } from "../docs/blocks.ts"
import { contentOf, leftOf, ownOf } from "../plugins/git-workspaces/support.ts"
import { shell, write } from "../plugins/repositories.ts"
import type { Move, Script } from "./agent.ts"
import { achieved, answerOf, asked, each, expectReplay } from "./asked.ts"
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
import { finish, launcher, proofline, start, until, withSources } from "./proofline.ts"
import { serving } from "./serveClient.ts"

const two = planned(part("first"), part("second"))
const inWorktrees = async (on: Stage, ...more: ReadonlyArray<string>) =>
  answerOf(await chunk(on, "--workspace", "worktree", ...more))
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
    write(on.dir, { "both.js": lines("stashed") })
    on.git("stash")
    write(on.dir, { "mine.js": lines("uncommitted"), "staged.js": lines("staged") })
    on.git("add", "staged.js")
    write(on.dir, { "staged.js": lines("staged", "and", "changed") })
    on.git("branch", "another")
    const before = ownOf(on.repository)

    const { code, data, stdout } = await inWorktrees(on, "--check", "test -e a.js && test -e b.js && test -e c.js")
    expect(code, stdout).toBe(0)
    expect(ownOf(on.repository)).toEqual(before)
    expect(leftOf(on.repository)).toEqual([])
    const made = (name: string) => ({ [name]: `export const made = "${name}"\n` })
    expect(contentOf(on.dir)).toEqual({
      ...made("a.js"),
      ...made("b.js"),
      ...made("c.js"),
      "both.js": lines("x"),
      "kept.js": lines("kept"),
      "mine.js": lines("uncommitted"),
      // uncommitted changes are part of what a subtask begins with
      "seen-by-first.js": lines("uncommitted"),
      "staged.js": lines("staged", "and", "changed")
    })
    const places = each(on.calls("work"), "cwd")
    expect(each(on.calls("work"), "root")).toEqual(places)
    expect(new Set(places).size).toBe(3)
    for (const place of places) expect(place).toContain(Path.join(realpathSync(on.dir), ".proofline/state/worktrees"))
    // who reviews looks there too; the whole is checked in the project
    expect(each(on.calls("review"), "cwd").toSorted()).toEqual(places.toSorted())
    expect(each(data.tasks[0].subtasks, "files_modified")).toEqual([["a.js", "seen-by-first.js"], ["b.js"], ["c.js"]])
    await expectReplay(on.dir)
  })

  it("is where a plugin of the pages about plugins looks at its work", async () => {
    const lint = blocksOf("docs/plugins.md").find(({ text }) => text.includes("directoryOf("))?.text ?? ""
    const on = gitStage(
      {
        "analyze:task-001": two,
        "task-001-sub-1": [writes("a.js")],
        "task-001-sub-2": [writes("b.js")],
        "review:*": [pass]
      },
      {
        "proofline.yaml": "plugins: [./lint.ts]\n",
        "lint.ts": withSources(lint),
        // nothing of it is in the project before all parts are done
        "lint.sh": "#!/bin/sh\ntest -e a.js || test -e b.js\n"
      }
    )
    chmodSync(Path.join(on.dir, "lint.sh"), 0o755)
    on.git("commit", "--quiet", "--all", "--message", "Let it be run")
    const { code, stdout } = await inWorktrees(on)
    expect(code, stdout).toBe(0)
    const linted = ofType(logOf(on.dir), "LINTED").map(({ content }) => [content.task_id, content.exit_code])
    expect(linted).toEqual(
      expect.arrayContaining([
        ["task-001-sub-1", 0],
        ["task-001-sub-2", 0]
      ])
    )
  })

  it("takes nothing of the user's away when its agent checks out the branch, and the end names what it had put aside", async () => {
    const on = gitStage(
      {
        "analyze:task-001": two,
        "*": [writes("%task.js")],
        "task-001-sub-1": [{ ...writes("a.js"), run: "git checkout --detach main" }],
        "review:*": [pass]
      },
      { "mine.js": lines("committed") }
    )
    write(on.dir, { "mine.js": lines("uncommitted"), "draft/new.js": lines("draft") })
    const args = ["chunk", bigTask, ...on.withAgent, "--analyzer", "agent", "--workspace", "worktree"]
    const { code, stderr, stdout } = await proofline(args, on.dir)
    expect(code, stderr).toBe(0)
    expect(on.read("mine.js")).toBe(lines("uncommitted"))
    expect(on.read("draft/new.js")).toBe(lines("draft"))
    for (const file of ["draft/new.js", "mine.js"])
      expect(stdout).toContain(`put aside by a part, and still there: ${file} (task-001-sub-1)`)
  })

  it("stays when it holds work that was not kept, and that is said with what to do, which removes all that is left", async () => {
    const on = gitStage({
      "analyze:task-001": two,
      "*": [writes("%task.js")],
      "review:task-001-sub-1": [pass],
      // writes what nobody has asked for
      "review:task-001-sub-2": [{ ...pass, files: { "left.js": "" } }]
    })
    const { code, stderr } = await inWorktrees(on)
    expect(code, stderr).toBe(0)
    const said = stderr.split("\n").filter((line) => line.includes("stays"))
    const place = on.calls("review").find(({ task }) => task === "task-001-sub-2")?.cwd
    expect(said).toEqual([
      `The worktree ${place} stays, because it holds work that was not kept. Look at it, then remove it with \`git worktree remove --force\`.`
    ])
    expect(on.read("left.js")).toBeNull()
    const rest = /^When that is settled, remove the rest with: .*proofline (resume \S+)$/m.exec(stderr)?.[1] ?? ""
    on.git("worktree", "remove", "--force", String(place))
    await achieved(rest.split(" "), on.dir)
    expect(leftOf(on.repository)).toEqual([])
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
      const { code, data, refused } = await asked([...args, ...on.withAgent], on.dir)
      expect([code, refused]).toEqual([2, ["workspace_no_repository"]])
      expect(data.problems[0].hint).toMatch(/git commit.*shared|shared.*git commit/s)
    }
    expect(on.calls()).toEqual([])
    expect((await asked(["history"], on.dir)).data.runs).toEqual([])
    // a plan needs no worktree
    await achieved(["chunk", bigTask, "--plan"], on.dir)
  })
})

describe("subtasks that changed the same lines", () => {
  /** The indented lines of a message: what a person is asked to type. */
  const commandsIn = (message: string): ReadonlyArray<string> =>
    message
      .split("\n")
      .filter((line) => line.startsWith("  "))
      .map((line) => line.trim())

  it("wait for a person with manual, who types what is printed", async () => {
    const files = { "shared.js": lines("old") }
    const on = gitStage(
      {
        "analyze:task-001": planned(part("first"), part("second"), part("third")),
        "task-001-sub-1": [writes("shared.js", lines("one"))],
        "task-001-sub-2": [writes("shared.js", lines("two"))],
        "task-001-sub-3": [writes("c.js")],
        "review:*": [pass]
      },
      files,
      "it's here"
    )
    const before = ownOf(on.repository)
    const { code, data } = await inWorktrees(on, "--conflict-resolution", "manual")
    expect([code, data.tasks]).toMatchObject([3, [{ status: "failed", reason: "needs_person" }]])
    expect(contentOf(on.dir)).toEqual(files)
    const commands = commandsIn(data.tasks[0].message)
    expect(commands).toHaveLength(3)
    // for people the same stands in the report
    const shown = await proofline(["history", "--show", data.run_id], on.dir)
    for (const command of commands) expect(shown.stdout).toContain(command)
    // and wherever somebody looks for what waits
    for (const look of [["status"], ["status", data.run_id], ["answer"], ["answer", "--run", data.run_id], ["show"]]) {
      const looked = await proofline(look, on.dir)
      for (const command of commands) expect(looked.stdout, look.join(" ")).toContain(command)
    }
    const answered = await asked(["answer"], on.dir)
    expect(answered).toMatchObject({ code: 3, data: { undecided: [{ task_id: "task-001" }] } })
    expect(answered.data.undecided[0].message).toBe(data.tasks[0].message)
    for (const look of [["status"], ["status", data.run_id]]) {
      expect((await asked(look, on.dir)).data.undecided, look.join(" ")).toEqual(answered.data.undecided)
    }
    expect(await asked(["answer", "overwrite"], on.dir)).toMatchObject({ code: 2, refused: ["no_question"] })
    // asked again before anything was done: nothing is lost, the same is wanted
    const early = await asked(["resume", data.run_id], on.dir)
    expect([early.code, commandsIn(early.data.tasks[0].message)]).toEqual([3, commands])

    write(on.room, { "bin/proofline": `#!/bin/sh\nexec "${process.execPath}" "${launcher}" "$@"\n` })
    const typed = (...some: ReadonlyArray<string>) =>
      shell(on.dir, ["set -e", `PATH='${on.room}/bin':"$PATH"`, ...some].join("\n"))
    const [goThere = ""] = commands
    const conflicting = Path.join(typed(goThere, "pwd").trim(), "it's here/shared.js")
    expect(readFileSync(conflicting, "utf8")).toContain("<<<<<<<")
    writeFileSync(conflicting, lines("one", "two"))
    typed(...commands)
    expect(contentOf(on.dir)).toMatchObject({ "shared.js": lines("one", "two"), "c.js": expect.anything() })
    expect(on.calls("work")).toHaveLength(3)
    expect(ownOf(on.repository)).toEqual(before)
    expect(leftOf(on.repository)).toEqual([])
    await expectReplay(on.dir)
  })
})

describe("parts that write one file", () => {
  /**
   * Writes a function into a file as honest agents do: it reads the file, takes its time, and writes it with one
   * function more. Where others do the same meanwhile, theirs is gone.
   */
  const adds = (name: string, file: string, item: string): Move => ({
    run: `cat ${file} > %stage/${name} 2>/dev/null; sleep 0.5; n=$(wc -l < %stage/${name})
{ cat %stage/${name}; printf 'export function ${name}(a, b) {\\n  return [a, b, "${name}"]\\n}\\n'; } > ${file}
printf '{"summary":"","checklist":[{"item":"${item}","status":"done","evidence":"${file}:%d-%d"}]}' $((n+1)) $((n+3)) > "$PROOFLINE_REPORT_FILE"`
  })
  const functions = ["add", "sub", "mul"]
  const lead = "Implement these functions in shared.js:"
  const request = `${lead}\n${functions.map((name) => `- ${name}(a, b)\n`).join("")}`
  const script: Script = Object.fromEntries(
    functions.map((name, i) => [`task-001-sub-${i + 1}`, [adds(name, "shared.js", `Done: ${lead} ${name}(a, b)`)]])
  )
  const aggregationOf = (on: Stage) => ofType(logOf(on.dir), "CHUNKING_AGGREGATION")[0]?.content.aggregation_result

  it.each([
    ["without a repository", stage, []],
    [
      "in one directory, also when asked for at the same time",
      gitStage,
      ["--workspace", "shared", "--execution-mode", "parallel"]
    ]
  ])("overwrite nothing of each other %s, and the run is completed", async (_, make, more) => {
    const on = make(script)
    await achieved(["chunk", request, ...on.agent, "--analyzer", "heuristic", "--reviewer", "none", ...more], on.dir)
    const written = on.read("shared.js") ?? ""
    expect(functions.filter((name) => written.includes(`function ${name}(`))).toEqual(functions)
    expect(aggregationOf(on)).toMatchObject({ outcome: "merged", conflicts_detected: false })
    await expectReplay(on.dir)
  })

  it("when nothing tells that they do, have worktrees in a repository, and what both wrote is never lost in silence", async () => {
    const on = gitStage({
      "analyze:task-001": two,
      "task-001-sub-1": [adds("add", "one.js", "first: done")],
      "task-001-sub-2": [adds("sub", "one.js", "second: done")]
    })
    const { code, data } = answerOf(await chunk(on, "--reviewer", "none"))
    expect(code).not.toBe(0)
    const log = logOf(on.dir)
    expect(ofType(log, "CHUNKING_ANALYSIS")[0]?.content).toMatchObject({
      execution_mode: "parallel",
      workspace: "worktree"
    })
    expect(aggregationOf(on)).toMatchObject({ outcome: "conflict", conflicts_detected: true })
    expect(ofType(log, "ATTEMPT_ENDED").map(({ content }) => content.files_modified)).toContainEqual(["one.js"])
    // what the parts did is not lost: it is where they did it
    const looked = await asked(["verify", data.run_id], on.dir)
    expect(looked.data.receipts.length).toBeGreaterThan(0)
    for (const { reason, task_id } of looked.data.receipts)
      expect(reason).toBe(
        `What ${task_id} did is in its worktree, and is not in the project until the subtasks are put together.`
      )
    const report = await proofline(["report", data.run_id], on.dir)
    expect(report.stdout).toContain("What task-001-sub-1 did is in its worktree")
    expect(report.stdout).not.toContain("gone")
    // and whoever looks at one item alone is told the same
    const [{ item_index, reason, task_id }] = looked.data.receipts
    const server = await serving(on.dir)
    const url = `${server.url}/api/v1/runs/${data.run_id}/tasks/${encodeURIComponent(task_id)}/checklist/${item_index}/evidence`
    const alone = await fetch(url, { headers: { authorization: `Bearer ${server.token}` } })
    expect(await alone.json()).toMatchObject({ reason, in_worktree: true })
    await server.stop()
  })
})

describe("given subtasks that are put together", () => {
  // writing so many takes far longer than ending the process
  const many = 1_000
  const putTogether = async () => {
    const writesMany = `mkdir -p many; i=0; while [ $i -lt ${many} ]; do echo $i > many/$i.txt; i=$((i + 1)); done`
    const on = gitStage(
      {
        "analyze:task-001": two,
        "task-001-sub-1": [{ ...writes("a.js"), run: writesMany }],
        "task-001-sub-2": [writes("b.js")],
        "review:*": [pass]
      },
      { "kept.js": lines("kept") }
    )
    const flags = ["--analyzer", "agent", "--workspace", "worktree", "--json"]
    const child = start(["chunk", bigTask, ...on.withAgent, ...flags], on.dir)
    await until(() => existsSync(Path.join(on.dir, "many")))
    return { on, child }
  }
  const goesOn = async (on: Stage) => {
    const resumed = await achieved(["resume", ...on.agent], on.dir)
    expect(resumed.stderr).not.toContain("has been changed")
    expect(Object.keys(contentOf(on.dir))).toHaveLength(many + 3)
  }

  it("when the run is interrupted then its end says that all of it is in the project, and how it goes on", async () => {
    const { child, on } = await putTogether()
    child.kill("SIGTERM")
    const { data, stderr } = answerOf(await finish(child))
    expect(data.status).toBe("cancelled")
    expect(stderr).toMatch(
      new RegExp(
        `The project has been changed: .* task-001 .* ${many + 2} changed files are in it.* resume ${data.run_id}\\n`
      )
    )
    await goesOn(on)
  }, 60_000)

  it("when its process is killed and it is cancelled then that says how much is in the project, and how it goes on", async () => {
    const { child, on } = await putTogether()
    child.kill("SIGKILL")
    await finish(child)
    const { data, stderr } = await achieved(["cancel"], on.dir)
    const [, files] = /has been changed: .* and (\d+) of (\d+) changed files are in it/.exec(stderr) ?? []
    expect(Number(files), stderr).toBeGreaterThan(0)
    expect(Number(files)).toBeLessThan(many + 2)
    expect(stderr).toMatch(new RegExp(`resume ${data.run_id}\\n`))
    await goesOn(on)
  }, 60_000)
})
