import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import type {
  BaseCheck,
  CheckRun,
  CommandOf,
  Plugin,
  RecordBaseChecks,
  RecordVerification,
  RunConfig,
  StartTasks,
  TaskSpec
} from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import type { Before } from "@proofline/plugins/ports"
import { Effect } from "effect"
import { end, start } from "../../kernel/support/words.ts"
import { type Copy, inMemory, type Memory } from "./memory.ts"

const base = { commit: "c".repeat(40), snapshot: { sha256: "0".repeat(64), bytes: 0 } }
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")
const text = (content: string): Before => ({ _tag: "text", text: content })
const strict = { accept: [], max_waived: 0 } as const

const begun = (
  plugin: Plugin,
  tasks: ReadonlyArray<TaskSpec>,
  run: Partial<StartTasks> = {},
  config: Partial<RunConfig> = {}
) => given([], [plugin]).after({ ...aRun(tasks, { proof: strict, ...config }), base, ...run })

describe("the commands of the user on the project as it was", () => {
  const tasks = [
    aTask("task_1", { checks: [], checklist: [{ item: "a", check: "one" }] }),
    aTask("task_2", { checks: ["two", "one"] })
  ]
  const checkedIn = (memory: Memory, all: ReadonlyArray<TaskSpec> = tasks) => {
    const world = inMemory(memory)
    const command = Effect.runSync(world.does("base_checks", begun(world.plugin, all).snapshot))
    return { ...world, checks: (command as CommandOf<typeof RecordBaseChecks>).checks }
  }

  it("are run each once, in a copy of that, as for the first task that has them", () => {
    const { checks, commands, copies } = checkedIn({})
    assert.deepStrictEqual(
      commands.map(({ command, directory, env }) => [command, directory, env]),
      [
        ["one", "/copies/1", "task_1"],
        ["two", "/copies/2", "task_2"]
      ].map(([command, directory, task = ""]) => [
        command,
        directory,
        { PROOFLINE_RUN_ID: "run_1", PROOFLINE_TASK_ID: task, PROOFLINE_ATTEMPT: "0" }
      ])
    )
    assert.deepStrictEqual(copies, [{ at: base }, { at: base }])
    assert.deepStrictEqual(
      checks.map(({ command, outcome }) => [command, outcome]),
      [
        ["one", "green"],
        ["two", "green"]
      ]
    )
  })

  it.each<readonly [string, Memory, Partial<BaseCheck>]>([
    [
      "fails",
      { command: () => ({ exit_code: 3, output: "no\n" }) },
      { outcome: "red", message: "", exit_code: 3, output_tail: "no\n" }
    ],
    ["passes and says nothing", {}, { outcome: "green", output: null, output_tail: "" }],
    [
      "never ends",
      { command: () => ({ exit_code: null, timed_out: true }) },
      { outcome: "unknown", message: "It ran out of time." }
    ],
    ["is not there", { command: () => ({ exit_code: 127 }) }, { outcome: "unknown", exit_code: 127 }],
    [
      "cannot be tried",
      { refusedCopy: () => "No room." },
      { outcome: "unknown", message: "No room.", exit_code: null, rests_on: [] }
    ]
  ])("given one that %s, then that is known", (_, memory, expected) => {
    assert.deepInclude(checkedIn(memory).checks[0], expected)
  })

  it("given one that names the project itself, then no copy can be tried with it", () => {
    const { checks, commands } = checkedIn({}, [aTask("task_1", { checks: ["grep x /project/a.ts"] })])
    assert.deepStrictEqual([checks[0]?.outcome, commands], ["unknown", []])
    assert.include(checks[0]?.message, "names the directory of the project")
  })

  it("given what it runs, then every file and script that was there is remembered as it was", () => {
    const pack = { scripts: { test: "node test.js" } }
    const rests = (command: string, before: Readonly<Record<string, Before>>) =>
      checkedIn({ before }, [aTask("task_1", { checks: [command] })]).checks[0]?.rests_on
    assert.deepStrictEqual(rests("sh check.sh", { "check.sh": text("exit 0\n") }), [
      { path: "check.sh", sha256: sha256("exit 0\n") }
    ])
    assert.deepStrictEqual(rests("./tool", { tool: { _tag: "other", sha256: "f".repeat(64) } }), [
      { path: "tool", sha256: "f".repeat(64) }
    ])
    assert.deepStrictEqual(rests("./tool", { tool: { _tag: "other", sha256: null } }), [])
    assert.deepStrictEqual(rests("./tool", { tool: { _tag: "unknown" } }), [])
    assert.deepStrictEqual(
      rests("cd web && npm test", { "web/package.json": text(JSON.stringify(pack)), "web/test.js": text("x") }),
      [
        { path: "web/package.json", script: "test", sha256: sha256("node test.js") },
        { path: "web/test.js", sha256: sha256("x") }
      ]
    )
    assert.deepStrictEqual(rests("npm test", { "package.json": text("{}"), "test.js": text("x") }), [])
    assert.deepStrictEqual(rests("npm test", { "package.json": { _tag: "unknown" } }), [])
  })

  it("given those that are known, or no project that is known, then none is run", () => {
    const world = inMemory({})
    const known = begun(world.plugin, tasks)
    const first = Effect.runSync(world.does("base_checks", known.snapshot)) as CommandOf<typeof RecordBaseChecks>
    const again = Effect.runSync(world.does("base_checks", known.after(first).snapshot))
    assert.deepStrictEqual((again as CommandOf<typeof RecordBaseChecks>).checks, [])
    assert.isNull(Effect.runSync(world.does("base_checks", begun(world.plugin, tasks, { base: null }).snapshot)))
    assert.lengthOf(world.commands, 2)
  })
})

interface Looked extends Memory {
  readonly check?: string
  readonly config?: Partial<RunConfig>
  /** How it ended before the work; red when left out, null: nobody knows. */
  readonly was?: BaseCheck["outcome"] | null
  readonly rests_on?: BaseCheck["rests_on"]
  readonly run?: Partial<StartTasks>
  readonly spec?: Partial<TaskSpec>
}

const lookedAt = ({ check = "node test.js", config, rests_on = [], run, spec, was = "red", ...memory }: Looked) => {
  const world = inMemory(memory)
  const atBase: BaseCheck = {
    ...{ command: check, outcome: was ?? "red", message: "", exit_code: 1, signal: null, timed_out: false },
    ...{ duration_ms: 0, output: null, output_tail: "", rests_on }
  }
  const known = was === null ? [] : [{ _tag: "RecordBaseChecks", checks: [atBase] } as const]
  const { snapshot } = begun(world.plugin, [aTask("task_1", { checks: [check], ...spec })], run, config).after(
    ...known,
    start("task_1"),
    end("task_1")
  )
  const { checks } = Effect.runSync(world.does("checks", snapshot)) as CommandOf<typeof RecordVerification>
  return { ...world, seen: checks[0] as CheckRun }
}

const ofCopies =
  (
    ends: (copy: Copy & { readonly written: ReadonlyArray<string> }, command: string) => object
  ): NonNullable<Memory["command"]> =>
  ({ command }, copy) =>
    copy === null ? {} : ends(copy, command)

/** A run in the clean room, which has these files as they were. */
const roomOf = (run: object, ...restored: ReadonlyArray<string>) => ({
  clean_room: { ...green, ...run, restored, left_out: [] }
})

const green = { run: { exit_code: 0, timed_out: false, duration_ms: 5, output: null }, message: "" }

describe("a command that has passed and failed before", () => {
  it.each<readonly [string, Looked]>([
    ["nobody knows how it ended", { was: null }],
    ["it fails", { command: () => ({ exit_code: 1 }) }],
    ["it is of an agent", { spec: { commands_by: "agent" }, was: null }]
  ])("is looked at no more where %s", (_, looked) => {
    const { commands, seen } = lookedAt(looked)
    assert.lengthOf(commands, 1)
    for (const more of ["clean_room", "changed", "written", "without", "lost_tests", "changed_tests"])
      assert.notProperty(seen, more)
  })

  it.each<readonly [string, Looked, object]>([
    ["passes in a copy", {}, roomOf(green)],
    ["passes in a copy, as it passed before", { was: "green" }, roomOf(green)],
    [
      "fails there",
      { command: ofCopies(() => ({ exit_code: 4, output: "no\n" })) },
      roomOf({
        run: { exit_code: 4, timed_out: false, duration_ms: 5, output: { sha256: "1".padStart(64, "0"), bytes: 3 } },
        message: "There it exits with 4."
      })
    ],
    [
      "never ends there",
      { command: ofCopies(() => ({ exit_code: 0, timed_out: true })) },
      roomOf({ run: { ...green.run, timed_out: true }, message: "There it runs out of time." })
    ],
    [
      "is killed there",
      { command: ofCopies(() => ({ exit_code: null, signal: "SIGKILL" })) },
      roomOf({
        run: { ...green.run, exit_code: null },
        message: "There it is ended by a signal, or cannot be started."
      })
    ],
    ["cannot be tried there", { refusedCopy: () => "No room." }, roomOf({ run: null, message: "No room." })]
  ])("and %s", (_, looked, expected) => {
    const { copies, seen } = lookedAt(looked)
    assert.deepInclude(seen, expected)
    assert.deepStrictEqual(copies, looked.refusedCopy === undefined ? [{ at: "now" }] : [])
  })

  const check = { path: "test.js", sha256: sha256("old") }
  it.each<readonly [string, Looked, object]>([
    [
      "which is as it was",
      { rests_on: [check], files: { "test.js": "old" }, before: { "test.js": text("old") } },
      roomOf(green)
    ],
    [
      "which was changed",
      { rests_on: [check], files: { "test.js": "new" }, before: { "test.js": text("old") } },
      { changed: ["test.js"], ...roomOf(green, "test.js") }
    ],
    ["which is gone", { rests_on: [check] }, { changed: ["test.js"], ...roomOf(green, "test.js") }],
    [
      "which was changed, and the user accepts it",
      {
        rests_on: [check],
        files: { "test.js": "new" },
        before: { "test.js": text("old") },
        config: { proof: { accept: ["check_changed"], max_waived: 0 } }
      },
      { changed: ["test.js"], ...roomOf(green) }
    ],
    [
      "which was changed, as the work was to be",
      {
        rests_on: [check],
        files: { "test.js": "new" },
        before: { "test.js": text("old") },
        spec: { instruction: "Write test.js." }
      },
      roomOf(green)
    ],
    ["which was written in this run", { files: { "test.js": "new" } }, { written: ["test.js"], ...roomOf(green) }],
    [
      "which was written in this run beside other commands",
      {
        check: "node test.js && grep -q x a.ts",
        files: { "test.js": "new" },
        command: ofCopies(({ at }) => ({ exit_code: at === "now" ? 0 : 1 }))
      },
      {
        written: ["test.js"],
        without: { run: { ...green.run, exit_code: 1 }, message: "There it exits with 1." },
        ...roomOf(green)
      }
    ],
    [
      "which was written in this run, and the user accepts it",
      { files: { "test.js": "new" }, config: { proof: { accept: ["agents_check"], max_waived: 0 } } },
      roomOf(green)
    ],
    [
      "of which nobody can tell since when",
      { files: { "test.js": "new" }, before: { "test.js": { _tag: "unknown" } } },
      roomOf(green)
    ],
    [
      "which is a build file of this run",
      { check: "make test", files: { Makefile: "test:\n" } },
      { written: ["Makefile"], ...roomOf(green) }
    ],
    [
      "which is an older build file",
      { check: "make test", files: { Makefile: "test:\n" }, before: { Makefile: text("all:\n") } },
      roomOf(green)
    ],
    [
      "which is an older build file that is no text",
      { check: "make test", files: { Makefile: "x" }, before: { Makefile: { _tag: "unknown" } } },
      roomOf(green)
    ],
    [
      "which is a script of this run",
      {
        check: "npm test",
        files: { "package.json": '{"scripts":{"test":"x"}}' },
        before: { "package.json": text("{}") }
      },
      { written: ["package.json"], ...roomOf(green) }
    ],
    [
      "which is an older script",
      {
        check: "npm test",
        files: { "package.json": '{"scripts":{"test":"x"}}' },
        before: { "package.json": text('{"scripts":{"test":"x"}}') }
      },
      roomOf(green)
    ],
    [
      "which is an older script that was changed",
      {
        check: "npm test",
        rests_on: [{ path: "package.json", script: "test", sha256: sha256("x") }],
        files: { "package.json": '{"scripts":{"test":"y"}}' },
        before: { "package.json": text('{"scripts":{"test":"x"}}') },
        command: ofCopies(({ written }) => ({ exit_code: written.some((one) => one.includes('"x"')) ? 0 : 9 }))
      },
      { changed: ["package.json"], ...roomOf(green, "package.json") }
    ],
    [
      "which is an older script that is gone",
      {
        check: "npm test",
        rests_on: [{ path: "package.json", script: "test", sha256: sha256("x") }],
        before: { "package.json": text('{"scripts":{"test":"x"}}') },
        command: ofCopies(({ written }) => ({ exit_code: written.includes("package.json: as before") ? 0 : 9 }))
      },
      { changed: ["package.json"], ...roomOf(green, "package.json") }
    ]
  ])("and rests on something %s", (_, looked, expected) => {
    const { changed, changed_tests, clean_room, lost_tests, without, written } = lookedAt(looked).seen
    const known = Object.entries({ changed, changed_tests, clean_room, lost_tests, without, written }).filter(
      ([, value]) => value !== undefined
    )
    assert.deepStrictEqual(Object.fromEntries(known), expected)
  })
})
