import { chmodSync, existsSync, readdirSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { shell } from "../plugins/git-workspaces/support.ts"
import { contentOf, write } from "../plugins/repositories.ts"
import { done, type Move, type Script } from "./agent.ts"
import { answerOf, asked } from "./asked.ts"
import { chunk, gitStage, logOf, ofType, part, pass, planned, type Stage, stage, writes } from "./chunkStage.ts"
import { eventsOf, finish, proofline, start, until } from "./proofline.ts"
import { letGo, stage as requirementsStage } from "./requirementsStage.ts"

const item = (id: string) => `Add ${id}() to ${id}.js`
/** One after the other. */
const tasksOf = (...ids: ReadonlyArray<string>) => ({
  "tasks.yaml": JSON.stringify({
    tasks: ids.map((id, i) => ({
      ...{ id, name: id, instruction: id, checklist: [item(id)], depends_on: i === 0 ? [] : [ids[i - 1]] }
    }))
  }),
  "value.txt": "good\n",
  ".gitignore": "tools\n"
})
const text = (id: string) => `export const ${id} = () => {\n  return 1\n}\n`
const made = (id: string, more: Readonly<Record<string, string>> = {}): Move => ({
  files: { [`${id}.js`]: text(id), ...more },
  report: done({ [item(id)]: `${id}.js:1-3` }, `wrote ${id}`)
})
const refused = (id: string, more: Readonly<Record<string, string>> = {}): Move => ({
  files: { [`${id}.js`]: `${text(id)}\n`, ...more },
  report: done({ [item(id)]: `${id}.js:99` }, `claimed ${id}`)
})
const bad = { "value.txt": "bad\n" }
const isGood = "grep -q good value.txt"

const run = (on: Pick<Stage, "agent" | "dir">, ...more: ReadonlyArray<string>) =>
  asked(["run", "tasks.yaml", ...on.agent, ...more], on.dir)
const bisect = async (
  dir: string,
  command: string,
  more: ReadonlyArray<string> = [],
  env: Readonly<Record<string, string>> = {}
) => answerOf(await proofline(["bisect", ...more, "--json", "--", command], dir, env))
const found = async (...given: Parameters<typeof bisect>) => {
  const answer = await bisect(...given)
  expect(answer.code, answer.stdout + answer.stderr).toBe(0)
  return answer.data
}

/** Everything in the repository and its checkout but for objects, and what is Proofline's own. */
const everything = (dir: string): unknown => [
  contentOf(dir, /^\.proofline\//),
  shell(
    dir,
    `cd .git && find . -path ./objects -prune -o -type f -print | sort | xargs sha256sum
    cd .. && git for-each-ref && git worktree list && git status --porcelain`
  )
]

describe("bisect", () => {
  it("finds the attempt of a run after which a command fails, after garbage was collected, and changes nothing", async () => {
    const on = gitStage(
      {
        a: [made("a")],
        // the first attempt breaks it, and is refused for something else
        b: [refused("b", bad), made("b")],
        c: [made("c")]
      },
      tasksOf("a", "b", "c")
    )
    // what git ignores is there as it is now
    write(on.dir, { "tools/check": `#!/bin/sh\n${isGood}\n` })
    write(on.dir, { "uncommitted.txt": "before the run\n" })
    expect((await run(on)).code).toBe(0)
    on.git("add", "--all")
    on.git("commit", "--quiet", "--message", "all of it")
    on.git("gc", "--quiet", "--prune=now")
    const before = everything(on.dir)

    const data = await found(on.dir, "tools/check")
    const ended = ofType(logOf(on.dir), "ATTEMPT_ENDED")
    expect(data).toMatchObject({
      ...{ attempt: 1, task_id: "b", version: ended[1]?.version, agent: "command", claim: "claimed b", steps: [] },
      good: { version: 1, exit_code: 0 },
      bad: { version: ended[3]?.version, exit_code: 1 },
      files: [
        { path: "b.js", added: 4, removed: 0, by_attempt: true },
        { path: "value.txt", added: 1, removed: 1, by_attempt: true }
      ]
    })
    expect(data.notes).toEqual(["The agent told of no steps, so the attempt is the finest answer."])
    expect(on.git("show", `${data.trees.bad}:value.txt`)).toBe("bad\n")
    expect(on.git("show", `${data.trees.good}:uncommitted.txt`)).toBe("before the run\n")
    expect(everything(on.dir)).toEqual(before)

    const told = await proofline(["bisect", "--good", String(ended[0]?.version), "--", "sh", "-c", isGood], on.dir)
    expect(told.stdout).toContain(`fails after attempt 1 of b by command (version ${ended[1]?.version} of`)
    expect(told.stderr).toMatch(/✔ the end of attempt 1 of a .*\n✘ the end of attempt 1 of c /)
  })

  it("tells what no attempt did, and which attempt left no tree", async () => {
    const on = gitStage({ a: [made("a")], b: [made("b")], c: [{ hang: true }, made("c")] }, tasksOf("a", "b", "c"))
    const child = start(["run", "tasks.yaml", ...on.agent], on.dir)
    const hanging = Path.join(on.room, "hanging")
    await until(() => existsSync(hanging))
    write(on.dir, bad)
    child.kill("SIGKILL")
    await finish(child)
    expect((await asked(["resume", ...on.agent], on.dir)).code).toBe(0)
    const data = await found(on.dir, isGood)
    // nobody looked when it was lost
    expect(data).toMatchObject({ attempt: 1, task_id: "c", outcome: "LOST", files: [{ path: "value.txt" }] })
    expect(data.notes[0]).toContain("attempt 1 of c, after which no tree was kept, or by somebody else meanwhile")

    const other = gitStage({ a: [made("a")], b: [made("b")] }, tasksOf("a", "b"))
    // a command of the user's that changes files when a has ended
    const tasks = JSON.parse(tasksOf("a", "b")["tasks.yaml"])
    tasks.tasks[0].checks = ["echo bad > value.txt"]
    write(other.dir, { "tasks.yaml": JSON.stringify(tasks) })
    await run(other)
    const between = await found(other.dir, isGood)
    expect(between).toMatchObject({ attempt: null, task_id: null, files: [{ path: "value.txt" }] })
    expect(between.notes[0]).toContain("between the attempts, before attempt 1 of b began: by a person, a command")
  })

  it("finds the step of an attempt, where the agent tells of its steps", async () => {
    const tool = (id: string, path: string) =>
      JSON.stringify({
        type: "assistant",
        message: { content: [{ type: "tool_use", id, name: "Edit", input: { file_path: path } }] }
      })
    const ended = (id: string) =>
      JSON.stringify({ type: "user", message: { content: [{ type: "tool_result", tool_use_id: id, content: "ok" }] } })
    // goes on when there is a tree with what it has done; it is told before, so that no look falls between the two
    const step = (id: string, path: string, content: string) =>
      `echo '${tool(id, path)}'; echo '${ended(id)}'; printf '${content}' > ${path}
      i=0; until [ "$(git show "$(git for-each-ref --format='%(objectname)' refs/proofline/_trees)":${path} 2>/dev/null)" = "$(cat ${path})" ]; do i=$((i+1)); [ $i -gt 3000 ] && exit 9; sleep 0.01; done`
    const on = gitStage({}, tasksOf("a"))
    const claude = `#!/bin/sh
[ "$1" = --version ] && { echo 2.1.0; exit; }
cat > /dev/null
${step("t1", "a.js", text("a").replaceAll("\n", "\\n"))}
${step("t2", "value.txt", "bad\\n")}
${step("t3", "b.txt", "b\\n")}
echo '${JSON.stringify(done({ [item("a")]: "a.js:1-3" }))}' > "$PROOFLINE_REPORT_FILE"
echo '{"type":"result","subtype":"success","is_error":false,"result":"done"}'
`
    write(on.room, { "bin/claude": claude })
    chmodSync(Path.join(on.room, "bin/claude"), 0o755)
    const env = { PATH: `${on.room}/bin:${process.env["PATH"]}` }
    expect((await asked(["run", "tasks.yaml", "--agent", "claude"], on.dir, env)).code).toBe(0)
    const data = await found(on.dir, isGood, [], env)
    expect(data).toMatchObject({
      ...{ attempt: 1, task_id: "a", agent: "claude", notes: [] },
      steps: [{ title: "Edit: value.txt", files: ["value.txt"], status: "done" }],
      files: [{ path: "value.txt", by_attempt: true }]
    })
  })

  it("finds the subtask that worked in a worktree of its own, or that only together they fail", async () => {
    const script: Script = {
      "analyze:task-001": planned(part("first"), part("second")),
      "task-001-sub-1": [{ ...writes("a.js"), meet: 2 }],
      "task-001-sub-2": [{ ...writes("b.js"), meet: 2 }],
      "review:*": [pass]
    }
    const on = gitStage(script, { "kept.js": "1\n" })
    await chunk(on, "--workspace", "worktree")
    const data = await found(on.dir, "test ! -e b.js")
    expect(data).toMatchObject({ attempt: 1, task_id: "task-001-sub-2", files: [{ path: "b.js", by_attempt: true }] })
    const together = await found(on.dir, "test ! -e a.js || test ! -e b.js")
    expect(together).toMatchObject({ attempt: null, task_id: "task-001" })
    expect(together.notes[0]).toContain("Each subtask passes by itself: together they fail")
  })

  it("finds it in a project without a repository, and in the task runs of a requirements run", async () => {
    const on = stage({ a: [made("a")], b: [made("b", bad)], c: [made("c")] }, tasksOf("a", "b", "c"))
    expect((await run(on)).code).toBe(0)
    expect(await found(on.dir, isGood)).toMatchObject({
      ...{ attempt: 1, task_id: "b", trees: { good: null, bad: null } },
      files: [{ path: "b.js" }, { path: "value.txt" }]
    })

    const dir = requirementsStage()
    letGo(dir)
    const { code, data } = await asked(
      ["run-requirements", "requirements.yaml", "--agent", "command", "--agent-command", "node agent.mjs"],
      dir
    )
    expect(code).toBe(0)
    expect(await found(dir, "test ! -e task_2.txt")).toMatchObject({
      ...{ asked_run_id: data.run_id, run_id: `${data.run_id}-iter2`, attempt: 1, task_id: "task_2" }
    })
  })

  it("says where nothing can be found, and why", async () => {
    const on = gitStage({ a: [made("a")], b: [made("b", bad)], c: [made("c")] }, tasksOf("a", "b", "c"))
    expect((await run(on)).code).toBe(0)
    const ends = async (command: string, ...more: ReadonlyArray<string>) => {
      const { code, refused } = await bisect(on.dir, command, more)
      return [code, ...refused]
    }
    expect(await ends("true")).toEqual([1, "bisect_bad_passes"])
    expect(await ends("false")).toEqual([2, "bisect_good_fails"])
    expect(await ends("no-such-program")).toEqual([2, "bisect_cannot_run"])
    expect(await ends("exit 125")).toEqual([2, "bisect_end_skipped"])
    expect(await ends(" ")).toEqual([2, "bisect_command"])
    expect(await ends(isGood, "--good", "9", "--bad", "8")).toEqual([2, "bisect_versions"])
    expect(await ends(isGood, "--bad", "2")).toEqual([2, "bisect_same_tree"])
    // skips what it could be found in
    expect(await ends(`test -e c.js || test ! -e a.js || exit 125; ${isGood}`)).toEqual([1, "bisect_inconclusive"])
    const count = Path.join(on.room, "count")
    expect(await ends(`echo >> ${count}; test $(wc -l < ${count}) -ne 2`, "--runs", "2")).toEqual([1, "bisect_flaky"])
    expect(await ends("sleep 60", "--timeout", "10ms")).toEqual([2, "bisect_good_fails"])
    on.git("update-ref", "-d", on.git("for-each-ref", "--format=%(refname)", "refs/proofline/_trees").trim())
    on.git("gc", "--quiet", "--prune=now")
    expect(await ends(isGood)).toEqual([2, "bisect_end_skipped"])
    // of a fork in which nothing was tried so far no version can be named
    const events = await eventsOf("last", on.dir)
    const begun = events.filter(({ command_id }) => command_id === events[0]?.command_id).length
    expect((await proofline(["fork", "last", "--at", String(begun)], on.dir)).code).toBe(0)
    expect(await ends(isGood)).toEqual([2, "bisect_no_attempts"])
  })

  it("leaves nothing behind when it is killed, and the next one removes its copies", async () => {
    const on = gitStage({ a: [made("a")], b: [made("b", bad)] }, tasksOf("a", "b"))
    expect((await run(on)).code).toBe(0)
    const before = everything(on.dir)
    const temporary = Path.join(on.room, "temporary")
    write(temporary, { none: "" })
    const env = { TMPDIR: temporary }
    const begun = Path.join(on.room, "begun")
    const child = start(["bisect", "--", `echo $$ > ${begun}; exec sleep 60`], on.dir, env)
    await until(() => existsSync(begun))
    child.kill("SIGKILL")
    await finish(child)
    expect(contentOf(on.dir, /^\.proofline\//)).toEqual((before as ReadonlyArray<unknown>)[0])
    const copies = () => readdirSync(temporary).filter((name) => name.startsWith("proofline-checkout-"))
    expect(copies()).toHaveLength(1)
    expect(await found(on.dir, isGood, [], env)).toMatchObject({ task_id: "b" })
    expect(copies()).toEqual([])
    expect(everything(on.dir)).toEqual(before)
  })
})
