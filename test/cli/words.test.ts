import { it } from "@effect/vitest"
import type { RunOverview } from "@proofline/plugins/adapters/sqlite-log/summary"
import { Context, Effect, Option, Result } from "effect"
import type { HelpDoc } from "effect/cli"
import { assert, describe } from "vitest"
import { taskUnknown } from "../../packages/cli/src/base/selection.ts"
import { commandLine } from "../../packages/cli/src/commandLine/commandLine.ts"
import { statusText } from "../../packages/cli/src/quick/status.ts"
import { runMeant } from "../../packages/cli/src/reading/historyIds.ts"
import { helpText } from "../../packages/cli/src/render/help.ts"
import { helpPage } from "../../packages/cli/src/render/helpPage.ts"
import { styleFor } from "../../packages/cli/src/render/style.ts"

const row = (run_id: string, over: Partial<RunOverview> = {}): RunOverview => ({
  ...{ run_id, kind: "tasks", name: "n", status: "completed", parent_run_id: null, active: [], driver: null },
  ...{ started_at: "2026-01-01T10:00:00.000Z", ended_at: "2026-01-01T10:05:00.000Z" },
  ...{ tasks_total: 1, tasks_completed: 1, tasks_failed: 0, tasks_skipped: 0, items_total: 1, items_closed: 1 },
  ...over
})

/** Newest first, as the database gives them. */
const rows = [
  row("run_20260102_100000_k3x9q2-iter1", { parent_run_id: "run_20260102_100000_k3x9q2" }),
  row("run_20260102_100000_k3x9q2"),
  row("run_20260101_100000_k3aaaa")
]

describe("given a run that is named in short", () => {
  it.effect(
    "then its id, its beginning, a part of it or `last` means it, and what means none is left for others to refuse",
    () =>
      Effect.gen(function* () {
        for (const [named, meant] of [
          ["run_20260101_100000_k3aaaa", "run_20260101_100000_k3aaaa"],
          ["run_20260101", "run_20260101_100000_k3aaaa"],
          ["k3a", "run_20260101_100000_k3aaaa"],
          // the whole, not its part
          ["k3x", "run_20260102_100000_k3x9q2"],
          ["k3x9q2-iter1", "run_20260102_100000_k3x9q2-iter1"],
          ["last", "run_20260102_100000_k3x9q2"],
          ["k3", "k3"],
          ["run_x", "run_x"],
          ["", ""]
        ] as const) {
          assert.strictEqual(yield* runMeant(named, rows), meant)
        }
      })
  )

  it.effect("when that may be several, then they are told and none is taken", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.result(runMeant("run_2026", rows))
      assert.isTrue(Result.isFailure(refused))
      const [problem] = Result.isFailure(refused) ? refused.failure.problems : []
      assert.strictEqual(problem?.code, "run_ambiguous")
      assert.include(problem?.message, "run_20260102_100000_k3x9q2, run_20260101_100000_k3aaaa")
    })
  )
})

describe("given runs, when it is asked what runs now", () => {
  const shown = ["▶ run_1\n"]
  const lines = (text: string) => text.trimEnd().split("\n")

  it("then it is what goes on, and below it what ended last", () => {
    const text = lines(statusText([row("run_1", { status: "running" }), ...rows], shown, false))
    assert.deepStrictEqual(text.slice(0, 2), ["▶ run_1", "Ended last:"])
    // parts of a run are no runs of their own
    assert.deepStrictEqual(
      text.slice(2).map((line) => line.split(" ")[1]),
      ["run_20260102_100000_k3x9q2", "run_20260101_100000_k3aaaa"]
    )
  })

  it("then it says so when nothing does, or nothing ever did", () => {
    assert.deepStrictEqual(lines(statusText(rows, shown, false)).slice(0, 2), ["Nothing runs now.", "Ended last:"])
    assert.deepStrictEqual(lines(statusText([], [], false)), ["No run so far."])
    assert.deepStrictEqual(lines(statusText([row("run_1", { status: "running" })], shown, false)), ["▶ run_1"])
  })
})

describe("given the help of a command", () => {
  const flag = { aliases: [], required: false }
  const doc: HelpDoc.HelpDoc = {
    description: "Show a run. ".repeat(20).trim(),
    usage: "proofline show [flags] [<run>]",
    commandPath: ["proofline", "show"],
    annotations: Context.empty(),
    args: [{ name: "run", type: "string", description: Option.some("The run."), required: false, variadic: false }],
    flags: [{ ...flag, name: "format", aliases: ["-f"], type: "string", description: Option.some("How.") }],
    globalFlags: [
      { ...flag, name: "help", type: "boolean", description: Option.none() },
      { ...flag, name: "log-level", type: "string", description: Option.none() }
    ],
    examples: [{ command: "proofline show", description: "Look." }]
  }
  const lines = helpText(helpPage(doc), styleFor(false), 60).split("\n")

  it("then examples come before what there is to say, and no line is wider than the terminal", () => {
    const at = ["Examples", "Usage", "Arguments", "Flags"].map((title) => lines.indexOf(title))
    assert.deepStrictEqual(
      at,
      at.toSorted((a, b) => a - b)
    )
    assert.notInclude(at, -1)
    for (const line of lines) assert.isAtMost(line.length, 60)
    assert.include(lines, "  --format, -f string  How.")
  })

  it("then flags of the library that help nobody are not spoken of", () => {
    assert.isTrue(lines.some((line) => line.includes("--help")))
    assert.isFalse(lines.some((line) => line.includes("--log-level")))
  })
})

describe("given a task that is not there", () => {
  it("then it is told which are, and which was meant", () => {
    const { hint, message } = taskUnknown("lgoin", ["login", "logout"], "run_1")
    assert.strictEqual(message, 'There is no task "lgoin" in run_1.')
    assert.strictEqual(hint, "Did you mean `login`? Its tasks are: login, logout.")
    assert.strictEqual(taskUnknown("x", ["login"], "the file").hint, "Its tasks are: login.")
  })
})

describe("given any command", () => {
  interface Described {
    readonly name: string
    readonly subcommands: ReadonlyArray<{ readonly commands: ReadonlyArray<Described> }>
    readonly buildHelpDoc: (path: ReadonlyArray<string>) => HelpDoc.HelpDoc
  }
  const docsOf = (command: Described, path: ReadonlyArray<string>): ReadonlyArray<HelpDoc.HelpDoc> => [
    command.buildHelpDoc(path),
    ...command.subcommands.flatMap(({ commands }) => commands.flatMap((one) => docsOf(one, [...path, one.name])))
  ]

  it("then it, its arguments and its flags are described in whole sentences", () => {
    for (const doc of docsOf(commandLine() as unknown as Described, ["proofline"])) {
      assert.match(doc.description, /^[A-Z].*\.$/, doc.usage)
      for (const { description, name } of [...doc.flags, ...(doc.args ?? [])]) {
        const said = Option.getOrElse(description, () => "").replace(/ \(choices: .*\)$/, "")
        assert.match(said, /^.*[A-Za-z].*\.$/, `${doc.usage}: ${name}`)
      }
    }
  })

  it("then it is the same where it is named first and made alone, and whatever is no command has all to choose from", () => {
    const [, ...whole] = docsOf(commandLine() as unknown as Described, ["proofline"])
    for (const { commands } of commandLine().subcommands) {
      for (const { name } of commands) {
        const [, ...alone] = docsOf(commandLine(name) as unknown as Described, ["proofline"])
        const isBelow = ({ usage }: HelpDoc.HelpDoc) => new RegExp(`^proofline ${name}( |$)`).test(usage)
        assert.deepStrictEqual(alone, whole.filter(isBelow))
      }
    }
    for (const word of ["nonsense", "--help", ""]) {
      const [, ...all] = docsOf(commandLine(word) as unknown as Described, ["proofline"])
      assert.lengthOf(all, whole.length)
    }
  })

  it("then a command that is shown has an example, or commands below it", () => {
    const [root, ...docs] = docsOf(commandLine() as unknown as Described, ["proofline"])
    const shown = root?.subcommands?.flatMap(({ commands }) => commands.map(({ name }) => name)) ?? []
    assert.isAbove(shown.length, 15)
    for (const name of shown) {
      const doc = docs.find(({ usage }) => usage.startsWith(`proofline ${name} `))
      assert.isTrue((doc?.examples ?? doc?.subcommands ?? []).length > 0, name)
    }
  })
})
