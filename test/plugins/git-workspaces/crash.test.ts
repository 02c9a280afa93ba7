import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { inTurn } from "../../often.ts"
import { ended, program, quiet } from "../programs.ts"
import {
  aggregate,
  close,
  contentOf,
  copiesOf,
  git,
  isAlive,
  leftOf,
  open,
  ownOf,
  type Project,
  place,
  repository,
  shell,
  subtask,
  until,
  use,
  write
} from "./support.ts"

const killed = (project: Project, step: string, end: number | string) =>
  ended(program(new URL("./worker.ts", import.meta.url), [project.root, project.stateDir, step, String(end)])).pipe(
    Effect.andThen(quiet(project.room))
  )

const many = Array.from({ length: 40 }, (_, i) => `many/${i}.txt`)

const prepared = copiesOf(
  Effect.gen(function* () {
    const project = yield* repository({ "a.txt": "a\n", ...Object.fromEntries(many.map((name) => [name, "old\n"])) })
    write(project.root, { "mine.txt": "the user's\n" })
    git(project.root, "add", "mine.txt")
    yield* subtask(project, "p-sub-1", (folder) => {
      write(folder, Object.fromEntries(many.slice(10).map((name) => [name, "new\n"])))
      shell(folder, `mkdir moved; git mv --force ${many.slice(0, 10).join(" ")} moved`)
    })
    yield* subtask(project, "p-sub-2", (folder) => write(folder, { "a.txt": "two\n", "added/b.txt": "b\n" }))
    return project
  })
)

const after = {
  "a.txt": "two\n",
  "added/b.txt": "b\n",
  "mine.txt": "the user's\n",
  ...Object.fromEntries(many.slice(0, 10).map((name) => [`moved/${Path.basename(name)}`, "old\n"])),
  ...Object.fromEntries(many.slice(10).map((name) => [name, "new\n"]))
}

// from before git is started to after everything has ended: a turn is short while git works
const moments = [
  [60, 3_000],
  [400, 8_000],
  [1_200, 20_000]
]

describe.skipIf(process.platform !== "linux")("a process that is killed at whatever moment", () => {
  for (const [turn, step] of ["open", "keep", "aggregate", "close"].entries())
    it.live(
      `of ${step} has harmed nothing: the next one does all of it, and leaves nothing behind`,
      () =>
        Effect.forEach(
          inTurn(moments, turn).flat(),
          (turns) =>
            Effect.gen(function* () {
              const project = yield* prepared
              const before = ownOf(project)
              yield* killed(project, step, turns)
              if (step !== "close") {
                const third = yield* open(project, "p-sub-3")
                assert.strictEqual(git(third.directory, "status", "--porcelain"), "", `${turns} turns`)
                assert.deepStrictEqual(yield* third.keep, [])
                const { outcome } = yield* aggregate(project, ["p-sub-1", "p-sub-2", "p-sub-3"])
                assert.strictEqual(outcome, "merged", `${turns} turns`)
                assert.deepStrictEqual(contentOf(project.root), after, `${turns} turns`)
              }
              assert.deepStrictEqual(yield* close(project), [], `${turns} turns`)
              assert.deepStrictEqual(leftOf(project), [], `${turns} turns`)
              assert.deepStrictEqual(ownOf(project), before, `${turns} turns`)
            }),
          { concurrency: 2, discard: true }
        ),
      120_000
    )

  it.live(
    "in the middle of writing the project has written no file in part, and the user's edits since then stay",
    () =>
      Effect.gen(function* () {
        const project = yield* prepared
        yield* killed(project, "aggregate", Path.join(project.root, many[0] ?? ""))
        const seen = contentOf(project.root)
        assert.notDeepEqual(seen, after)
        assert.isUndefined(seen[many[0] ?? ""])
        for (const name of many.slice(10)) assert.include(["old\n", "new\n"], seen[name])
        write(project.root, { "mine.txt": "edited since\n" })
        assert.strictEqual((yield* aggregate(project, ["p-sub-1", "p-sub-2"])).outcome, "merged")
        assert.deepStrictEqual(contentOf(project.root), { ...after, "mine.txt": "edited since\n" })
      })
  )

  it.live("in the middle of writing the project, is told where the rest cannot be written", () =>
    Effect.gen(function* () {
      const project = yield* prepared
      yield* killed(project, "aggregate", Path.join(project.root, many[0] ?? ""))
      write(project.root, { "a.txt": "edited since\n" })
      const { message, outcome } = yield* aggregate(project, ["p-sub-1", "p-sub-2"])
      assert.strictEqual(outcome, "conflict")
      const [, written] =
        message.match(/^A process ended while it wrote to the project: (\d+) of 52 changed files/) ?? []
      assert.isAtLeast(Number(written), 1, message)
      assert.strictEqual(contentOf(project.root)["a.txt"], "edited since\n")
    })
  )
})

describe("what a crash may leave", () => {
  it.live("is put right: half of what was to be written, stale locks, half-made worktrees", () =>
    Effect.gen(function* () {
      const project = yield* prepared
      yield* aggregate(project, ["p-sub-1", "p-sub-2"])
      const ref = "refs/proofline/run_1/p/project"
      const [goal = ""] = git(project.top, "rev-parse", `${ref}^2`).trim().split("\n")
      // as it was when only some of the files had been written
      const was = git(
        project.top,
        "commit-tree",
        "-m",
        "was",
        `${git(project.top, "rev-parse", "refs/proofline/run_1/p/base^{tree}").trim()}`
      ).trim()
      const begun = git(project.top, "commit-tree", "-m", "begun", "-p", was, "-p", goal, `${ref}^{tree}`).trim()
      git(project.top, "update-ref", ref, begun)
      write(project.root, { "a.txt": "a\n", [many[3] ?? ""]: "old\n", [many[20] ?? ""]: "old\n" })
      rmSync(Path.join(project.root, "added"), { recursive: true })
      const folder = Path.join(project.stateDir, "worktrees")
      const dead = "0-deadbeef0000"
      const host = readdirSync(Path.join(project.top, ".git/worktrees"))[0]?.split("-")[2] ?? ""
      const name = (kind: string) => `proofline-${kind}-${host}-4194305-${dead}`
      write(folder, {
        [name("scratch")]: "index",
        [`${name("scratch")}.lock`]: "",
        [`run_1/${name("worktree")}/a.txt`]: "half"
      })
      mkdirSync(Path.join(project.top, ".git/worktrees", name("worktree")))
      writeFileSync(Path.join(project.top, ".git/worktrees", name("worktree"), "locked"), "initializing")
      const locks = [
        ".git/refs/proofline/run_1/p/p-sub-4.start.lock",
        `.git/worktrees/${readdirSync(Path.join(project.top, ".git/worktrees"))[0]}/index.lock`
      ]
      for (const lock of locks) {
        writeFileSync(Path.join(project.top, lock), "")
        utimesSync(Path.join(project.top, lock), 1, 1)
      }
      yield* open(project, "p-sub-1")
      yield* open(project, "p-sub-2")
      yield* open(project, "p-sub-4")
      for (const lock of locks) assert.isFalse(existsSync(Path.join(project.top, lock)), lock)
      assert.strictEqual((yield* aggregate(project, ["p-sub-1", "p-sub-2"])).outcome, "merged")
      assert.deepStrictEqual(contentOf(project.root), after)
      assert.deepStrictEqual(yield* close(project), [])
      assert.deepStrictEqual(leftOf(project), [])
    })
  )
})

describe("interrupting", () => {
  it.live("ends git with what it has started, and leaves nothing half made", () =>
    Effect.gen(function* () {
      const project = yield* repository({ ".gitattributes": "slow.txt filter=slow\n", "slow.txt": "s\n" })
      const pid = Path.join(project.room, "pid")
      write(project.room, {
        "slow.sh": `#!/bin/sh\necho $$ > "${pid}.part"; mv "${pid}.part" "${pid}"; while :; do sleep 1000; done\n`
      })
      git(project.top, "config", "filter.slow.clean", "cat")
      git(project.top, "config", "filter.slow.smudge", `"${project.room}/slow.sh"`)
      const before = ownOf(project)
      const fiber = yield* Effect.forkChild(use(project, ({ open }) => open(place("p-sub-1"))))
      yield* until(() => existsSync(pid))
      yield* Fiber.interrupt(fiber)
      yield* until(() => !isAlive(Number(readFileSync(pid, "utf8"))))
      assert.isFalse(existsSync(Path.join(project.top, ".git/worktrees")))
      assert.deepStrictEqual(readdirSync(Path.join(project.stateDir, "worktrees/run_1")), [])
      assert.deepStrictEqual(ownOf(project), before)
    })
  )
})
