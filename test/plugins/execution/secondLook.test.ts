import { assert, describe, it } from "@effect/vitest"
import type { CheckRun, WeakReason } from "@proofline/kernel"
import { Effect } from "effect"
import { repository } from "../git-scratch-checkouts/support.ts"
import { attempted } from "./stage.ts"

interface Passed {
  readonly what: string
  /** A command of the user; `$ROOT` stands for the project. It passes in the project after the work. */
  readonly check: string
  readonly before: Readonly<Record<string, string>>
  readonly after: Readonly<Record<string, string>>
  readonly accept?: ReadonlyArray<WeakReason>
  readonly instruction?: string
  /** A piece of evidence for an item of the task; none: the command alone shows the work. */
  readonly evidence?: string
  /** Exit codes of the further runs, files that were found, and what becomes of the task. */
  readonly comes: Readonly<Record<string, unknown>>
  /** Two checks are this command. */
  readonly isShared?: boolean
}

const two = { before: { "rules.txt": "one\n" }, after: { "rules.txt": "two\n" } }
const bent = { before: { "check.sh": "exit 3\n" }, after: { "check.sh": "exit 0\n" } }
const fresh = { before: {}, after: { "check.sh": "exit 0\n" } }
const looksForTwo = '{"scripts":{"test":"grep -q two rules.txt"}}'

const cases: ReadonlyArray<Passed> = [
  { what: "looks at the work", check: "grep -q two rules.txt", ...two, comes: { control: 0, status: "completed" } },
  { what: "passed before the work too", check: "true", ...two, comes: { status: "failed" } },
  { what: "names the project", check: "grep -q two $ROOT/rules.txt", ...two, comes: { status: "failed" } },
  {
    what: "passes in the project alone",
    check: "test -s ../made.txt",
    before: {},
    after: { "../made.txt": "more\n" },
    comes: { control: 1, status: "failed" }
  },
  {
    what: "stands beside evidence",
    check: "grep -q two rules.txt",
    ...two,
    evidence: "rules.txt:1",
    comes: { status: "completed" }
  },
  {
    what: "runs a script that the agent has bent",
    check: "sh check.sh",
    isShared: true,
    ...bent,
    comes: { changed: ["check.sh"], as_written: 3, status: "retrying" }
  },
  {
    what: "runs a bent script, which the user accepts",
    check: "sh check.sh",
    ...bent,
    accept: ["check_changed"],
    comes: { changed: ["check.sh"], control: 0, status: "completed" }
  },
  {
    what: "runs a script that is the work itself",
    check: "sh check.sh",
    ...bent,
    instruction: "Write the check in check.sh.",
    comes: { control: 0, status: "completed" }
  },
  {
    what: "runs a script that says the same in other words",
    check: "sh check.sh",
    before: { ...two.before, "check.sh": "grep -q two rules.txt\n" },
    after: { ...two.after, "check.sh": "# looks\ngrep -q two rules.txt\n" },
    comes: { changed: ["check.sh"], as_written: 0, status: "completed" }
  },
  {
    what: "runs a script of package.json that the agent has bent",
    check: "npm test --silent",
    before: { "package.json": '{"scripts":{"test":"exit 4"}}' },
    after: { "package.json": '{"scripts":{"test":"exit 0"}}' },
    comes: { changed: ["package.json"], as_written: 4, status: "retrying" }
  },
  {
    what: "runs a script of a package.json that has changed elsewhere",
    check: "npm test --silent",
    before: { ...two.before, "package.json": looksForTwo },
    after: { ...two.after, "package.json": looksForTwo.replace("{", '{"name":"a",') },
    comes: { control: 0, status: "completed" }
  },
  {
    what: "runs nothing but what the agent wrote",
    check: "sh check.sh",
    ...fresh,
    comes: { written: ["check.sh"], control: 0, status: "failed" }
  },
  {
    what: "runs what the agent wrote, which the user accepts",
    check: "sh check.sh",
    ...fresh,
    accept: ["agents_check"],
    comes: { control: 0, status: "completed" }
  },
  {
    what: "runs what the agent wrote among others",
    check: "sh check.sh && grep -q two rules.txt",
    before: two.before,
    after: { ...two.after, ...fresh.after },
    comes: { written: ["check.sh"], without: 1, control: 0, status: "completed" }
  },
  {
    what: "runs tests that it does not name, and the agent has emptied one",
    check: "node --test",
    before: {
      "a.mjs": "export const a = 1\n",
      "a.test.mjs": 'import { a } from "./a.mjs"\nif (a !== 2) throw new Error("no")\n'
    },
    after: { "a.test.mjs": "// nothing\n" },
    comes: { tests: ["a.test.mjs"], control: 1, status: "failed" }
  }
]

const codesOf = (run: CheckRun) => {
  const { as_written, changed, control, tests, without, written } = run
  const codes = { as_written, control, without }
  const ran = Object.entries(codes).flatMap(([name, one]) => (one === undefined ? [] : [[name, one.run?.exit_code]]))
  const found = Object.entries({ changed, tests, written }).filter(([, files]) => files !== undefined)
  return Object.fromEntries([...ran, ...found])
}

describe("a command of the user that has passed", () => {
  it.live.each(cases.map((one) => [one.what, one] as const))("given that it %s, then that is found", ([, one]) =>
    Effect.gen(function* () {
      const { accept = [], after, before, check, comes, evidence, instruction, isShared = false } = one
      const place = yield* repository(before)
      const { runs, task } = yield* attempted(place, {
        checks: Array(isShared ? 2 : 1).fill(check.replace("$ROOT", place.root)),
        items: evidence === undefined ? [] : [{ item: "add two" }],
        report: evidence === undefined ? [] : [{ item: "add two", status: "done", evidence }],
        isBaseChecked: true,
        instruction,
        config: { proof: { accept, max_waived: 1 } },
        files: after
      })
      const [run, same = run] = runs as readonly [CheckRun, CheckRun?]
      assert.strictEqual(run.exit_code, 0)
      assert.deepStrictEqual({ ...codesOf(run), status: task.status }, comes)
      // what another look shows is the same for all that share a command
      assert.lengthOf(runs, isShared ? 2 : 1)
      const { duration_ms, output, output_tail } = run
      assert.deepStrictEqual({ ...same, duration_ms, output, output_tail }, run)
    })
  )
})
