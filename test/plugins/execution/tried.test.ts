import { assert, describe, it } from "@effect/vitest"
import {
  type Ablation,
  type ChecklistItemSpec,
  type CommandOf,
  defaultChunkingConfig,
  type LineReceipt,
  type Plugin,
  type RecordVerification
} from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import type { CommandResult } from "@proofline/plugins/ports"
import { Effect } from "effect"
import { receipt as aReceipt, fact, judge, judgeBy } from "../../kernel/support/judge.ts"
import { done, endReporting, start } from "../../kernel/support/words.ts"
import { analysed, part, plan } from "../aggregation/support.ts"
import { type Copy, inMemory, type Memory } from "./memory.ts"

type Ended = Partial<Omit<CommandResult, "output">> & { readonly output?: string }

const commit = "c0ffee".padEnd(40, "0")
const base = { commit, snapshot: { sha256: "0".repeat(64), bytes: 0 } }
const green: Ended = { exit_code: 0 }
const red: Ended = { exit_code: 1 }
/** How a command ends that could not even be started. */
const unstarted: Ended = { exit_code: null, signal: null, output: "sh: not found\n" }

interface Given extends Memory {
  readonly checklist?: ReadonlyArray<ChecklistItemSpec>
  readonly receipt?: LineReceipt | null
  readonly judged?: Plugin
  readonly commit?: string | null
  /** At the commit where the run began, in the project as it is, and in that without the lines. */
  readonly runs?: readonly [before?: Ended, now?: Ended, without?: Ended]
}

const one = [{ item: "add adds", check: "npm test", ablation: true }]

/** Accepts an address for the first item. */
const byAddress = judgeBy(({ items: [item] }) => ({
  accepted: [
    {
      index: 0,
      item: item?.item ?? "",
      status: "done",
      verdict: "proven",
      evidence: "url:https://example.org",
      reason: null,
      receipt: { kind: "kind", scheme: "url", reference: "https://example.org", fact: 200 },
      weak: []
    }
  ],
  rejected: []
}))

const stateOf = (
  plugin: Plugin,
  { checklist = one, commit: at = commit, judged = judge, receipt = aReceipt }: Given
) => {
  const facts = checklist.map((_, index) => ({ ...fact(index), receipt }))
  const run = {
    ...aRun([aTask("task_1", { checklist, checks: [] })]),
    base: at === "" ? null : { ...base, commit: at }
  }
  return given([], [plugin, judged]).after(
    run,
    start("task_1"),
    endReporting(
      "task_1",
      1,
      checklist.map(({ item }) => done(item))
    ),
    { _tag: "RecordEvidence", task_id: "task_1", attempt: 1, facts }
  ).snapshot
}

const checked = (what: Given) => {
  const [before = red, now = green, without = red] = what.runs ?? []
  const world = inMemory({
    files: { "src/a.ts": "one\ntwo\nthree\n" },
    head: "beef",
    command: (_, copy) => {
      if (copy === null) return { ...green, output: "passed\n" }
      return copy.overlay !== true ? before : copy.written.length === 0 ? now : without
    },
    ...what
  })
  const command = Effect.runSync(world.does("checks", stateOf(world.plugin, what))) as CommandOf<
    typeof RecordVerification
  >
  return { ...world, checks: command.checks }
}

const ablationIn = (what: Given) => {
  const { checks, ...world } = checked(what)
  const ablation = checks[0]?.ablation
  assert.isNotNull(ablation ?? null)
  return { ...world, ablation: ablation as Ablation }
}

const codesIn = ({ base: first, head, neutralised }: Ablation) =>
  [first, head, neutralised].map((run) => (run === null ? "not run" : run.exit_code))

describe("what the runs of an ablation come to", () => {
  it.each([
    ["fails, passes and fails again", [red, green, red], "load_bearing", [1, 0, 1], "fails again when src/a.ts:1-2 is"],
    ["passes without the work", [green], "vacuous", [0, "not run", "not run"], "at commit c0ffee0000, where the run"],
    [
      "passes too late without the work",
      [{ exit_code: 0, timed_out: true }],
      "load_bearing",
      [0, 0, 1],
      "fails without"
    ],
    ["fails in a checkout", [red, { exit_code: 3 }], "unproven", [1, 3, "not run"], "it exits with 3. Let the check"],
    [
      "does not end in one",
      [red, { exit_code: 0, timed_out: true }],
      "unproven",
      [1, 0, "not run"],
      "runs out of time"
    ],
    [
      "is killed in one",
      [red, { exit_code: null, signal: "SIGKILL" }],
      "unproven",
      [1, null, "not run"],
      "by a signal"
    ],
    ["passes without the lines", [red, green, green], "vacuous", [1, 0, 0], "although src/a.ts:1-2 is disabled"],
    [
      "passes too late without them",
      [red, green, { exit_code: 0, timed_out: true }],
      "load_bearing",
      [1, 0, 0],
      "again"
    ],
    ["cannot be started at all", [unstarted], "unproven", Array(3).fill("not run"), "in a checkout: sh: not found|"],
    ["cannot be started now", [red, unstarted], "unproven", [1, "not run", "not run"], "could not be run"],
    ["cannot be started without the lines", [red, green, unstarted], "unproven", [1, 0, "not run"], "could not be run"],
    [
      "is killed without the work",
      [{ exit_code: null, signal: "SIGSEGV" }],
      "load_bearing",
      [null, 0, 1],
      "fails again"
    ],
    ["never ends without it", [{ exit_code: null, timed_out: true }], "load_bearing", [null, 0, 1], "fails again"]
  ] as const)("given a check that %s", (_, runs, verdict, codes, words) => {
    const { ablation } = ablationIn({ runs })
    assert.strictEqual(ablation.verdict, verdict, ablation.message)
    assert.deepStrictEqual(codesIn(ablation), codes)
    assert.include(`${ablation.message}|`, words)
  })

  it("given what they printed, then it is kept, and nothing where they printed nothing", () => {
    const { ablation, blobs } = ablationIn({ runs: [{ ...red, output: "no\n" }, green, red] })
    assert.deepStrictEqual(blobs, ["passed\n", "no\n"])
    assert.deepStrictEqual([ablation.base?.output?.bytes, ablation.head?.output], [3, null])
  })

  it("given a project with a commit of its own, then that is checked out with every change, and the first as it was", () => {
    const { commands, copies } = ablationIn({})
    assert.deepStrictEqual(copies, [
      { commit, overlay: false },
      { commit: "beef", overlay: true },
      { commit: "beef", overlay: true }
    ])
    assert.deepStrictEqual(ablationIn({ head: null }).copies[1], { commit, overlay: true })
    assert.deepStrictEqual(
      commands.map(({ command, directory }) => [command, directory]),
      [undefined, "/copies/1", "/copies/2", "/copies/3"].map((directory) => ["npm test", directory])
    )
    assert.notProperty(commands[0], "directory")
    for (const { env, timeout_ms } of commands)
      assert.deepStrictEqual(
        [env, timeout_ms],
        [{ PROOFLINE_RUN_ID: "run_1", PROOFLINE_TASK_ID: "task_1", PROOFLINE_ATTEMPT: "1" }, 600_000]
      )
  })
})

describe("how the lines are made to fail", () => {
  const covering = (start: number, end = start): LineReceipt => ({ ...aReceipt, covers: { start, end, sha256: null } })
  const writtenFor = (receipt: LineReceipt, more: Partial<Memory> = {}) => {
    const seen: Array<string> = []
    const { ablation } = ablationIn({
      receipt,
      ...more,
      command: (_, copy) => {
        if (copy !== null) seen.push(...copy.written)
        return copy === null || (copy.overlay === true && copy.written.length === 0) ? green : red
      }
    })
    return { seen, ablation }
  }

  it.each([
    ["the first", 1, 1, "one\ntwo\nthree", "two\nthree", "src/a.ts:1 is"],
    ["the last, without a line end", 3, 3, "one\ntwo\nthree", "one\ntwo\n", "src/a.ts:3 is"],
    ["those between, with other line ends", 2, 3, "one\r\n\r\nthree\r\nfour\r\n", "one\r\nfour\r\n", "src/a.ts:2-3 is"]
  ] as const)("given a file of no known language, then %s are left out", (_, start, end, text, left, words) => {
    const { ablation, seen } = writtenFor(covering(start, end), { files: { "src/a.ts": text } })
    assert.deepStrictEqual(seen, [`src/a.ts: ${left}`])
    assert.include(ablation.message, words)
  })

  it("given a language that says how, then the text is what it says", () => {
    assert.deepStrictEqual(writtenFor(aReceipt, { neutralised: () => "throw\n" }).seen, ["src/a.ts: throw\n"])
  })

  it.each([
    [
      "a language that does not say how",
      { neutralised: () => null } satisfies Memory,
      "how lines of TypeScript are made to fail"
    ],
    [
      "a language that changes nothing",
      { neutralised: () => "one\ntwo\nthree\n" } satisfies Memory,
      "how lines of TypeScript are made"
    ],
    ["lines that are not there", { receipt: covering(9) }, "how lines of this kind are made to fail"],
    ["a file that cannot be read", { files: {} }, "There is no src/a.ts."],
    ["a file that was changed", { receipt: { ...aReceipt, git_blob: "old" } }, "src/a.ts was changed after its lines"],
    ["evidence of another kind", { judged: byAddress }, "No lines are cited for its item."],
    ["no evidence", { receipt: null }, "No lines are cited for its item."],
    ["nothing known of the beginning", { commit: "" }, "not in a git repository with a commit"],
    ["an empty file", { files: { "src/a.ts": "" }, receipt: covering(2) }, "how lines of this kind are made to fail"],
    ["no commit at the beginning", { commit: null }, "not in a git repository with a commit"],
    ["no checkout", { refusedCopy: () => "git worktree add failed." }, "git worktree add failed."]
  ] as const)("given %s, then nothing is tried, and that is why", (_, what, words) => {
    const { ablation, copies } = ablationIn(what)
    assert.deepStrictEqual([ablation.verdict, codesIn(ablation)], ["unproven", Array(3).fill("not run")])
    assert.include(ablation.message, words)
    assert.lengthOf(copies, 0)
  })

  it.each([
    [
      "no checkout with the changes",
      { refusedCopy: ({ overlay }: Copy) => (overlay === true ? "It is too large." : null) },
      [1, "not run"]
    ],
    ["a checkout that takes no lines", { refusedWrite: "It is too large." }, [1, 0]]
  ] as const)("given %s, then what was run until then is told", (_, what, codes) => {
    const { ablation } = ablationIn(what)
    assert.deepStrictEqual(codesIn(ablation), [...codes, ...Array(3 - codes.length).fill("not run")])
    assert.deepInclude(ablation, { verdict: "unproven", message: "It is too large." })
  })
})

describe("the checks of a task", () => {
  const shared = ["one", "two"].map((item) => ({ item, check: "npm test", ablation: true }))

  it.each([
    ["fails before the work", [red, green, red], 4],
    ["passes before the work", [green], 1],
    ["fails in a checkout", [red, red], 2]
  ] as const)("given a command of two items that %s, then what both have in common is run once", (_, runs, times) => {
    const { checks, copies } = checked({ checklist: shared, runs })
    const [first, second] = checks.map(({ ablation }) => ablation)
    assert.deepStrictEqual(second, first)
    assert.lengthOf(copies, times)
  })

  it("given that no ablation is asked for, or the command fails, then none is tried", () => {
    const checklist = [
      { item: "one", check: "npm test", ablation: false },
      { item: "two", check: "npm run lint", ablation: true },
      { item: "three", check: "npm run slow", ablation: true }
    ]
    const { checks, copies } = checked({
      checklist,
      command: ({ command }) =>
        command === "npm test" ? green : command === "npm run slow" ? { exit_code: 0, timed_out: true } : red
    })
    assert.deepStrictEqual(
      checks.map(({ ablation, command, exit_code, item_index, output, output_tail }) => [
        command,
        item_index,
        exit_code,
        ablation,
        output,
        output_tail
      ]),
      [
        ["npm test", 0, 0, null, null, ""],
        ["npm run lint", 1, 1, null, null, ""],
        ["npm run slow", 2, 0, null, null, ""]
      ]
    )
    assert.lengthOf(copies, 0)
  })

  it("given a subtask with a directory of its own, then everything is run and looked at there, beside the work of others", () => {
    let beside = 0
    const world = inMemory({
      files: { "/elsewhere/src/a.ts": "one\ntwo\nthree\n" },
      command: (_, copy) => (copy === null || (copy.overlay === true && copy.written.length === 0) ? green : red),
      workspace: {
        beside: (work) =>
          Effect.andThen(
            Effect.sync(() => void beside++),
            work
          )
      }
    })
    const item = { item: "A is there", check: "npm test", ablation: true }
    const chunking = { ...defaultChunkingConfig, workspace: "worktree" as const }
    const whole = aTask("t", { checks: [], checklist: [item], chunk: "asked" })
    const run = { ...aRun([whole], { chunking }), base }
    const { snapshot } = given([], [world.plugin, judge]).after(
      run,
      analysed(plan(part("A", { checklist: [0] }), part("B"))),
      start("t-sub-1"),
      endReporting("t-sub-1", 1, [done(item.item)]),
      { _tag: "RecordEvidence", task_id: "t-sub-1", attempt: 1, facts: [fact(0)] }
    )
    const { checks } = Effect.runSync(world.does("checks", snapshot, "t-sub-1")) as CommandOf<typeof RecordVerification>
    assert.strictEqual(checks[0]?.ablation?.verdict, "load_bearing", checks[0]?.ablation?.message)
    assert.strictEqual(world.commands[0]?.directory, "/elsewhere")
    assert.deepStrictEqual(
      world.copies.map(({ root }) => root),
      ["/elsewhere", "/elsewhere", "/elsewhere"]
    )
    assert.strictEqual(beside, 1)
  })
})
