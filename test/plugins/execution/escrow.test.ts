import { readdirSync, readFileSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { hasPassed } from "@proofline/kernel"
import { refusals, workPrompt } from "@proofline/plugins/policies/execution"
import { Effect } from "effect"
import { daily } from "../../often.ts"
import { repository } from "../git-scratch-checkouts/support.ts"
import type { Hidden } from "../hidden.ts"
import { type Attempt, attempted } from "./stage.ts"

const secret = "SECRET-EXPECTED"

const theSource = { "a.txt": "one\n" }
const visible = "grep -q . a.txt"

/** A check of one criterion, which reads what it expects beside its manifest. */
const hidden = (
  command: string,
  more: Partial<Hidden> = {},
  about: Partial<Hidden["checks"][number]> = {}
): Hidden => ({
  files: { "expected.txt": `${secret}\n`, "run.sh": '#!/bin/sh\nexec "$@"\n' },
  checks: [{ criterion: "a.txt holds what it should", command, ...about }],
  ...more
})

const compares = hidden("diff a.txt $PROOFLINE_CHECKS/expected.txt")
const right = { "a.txt": `${secret}\n` }
const testThat = (name: string) =>
  `import { test } from "node:test"\nimport assert from "node:assert"\ntest("${name}", () => assert.ok(true))\n`

interface Checked {
  readonly what: string
  readonly before?: Readonly<Record<string, string>>
  readonly after: Readonly<Record<string, string>>
  readonly hidden: Hidden
  readonly checks?: ReadonlyArray<string>
  readonly evidence?: string
  readonly config?: Attempt["config"]
  /** Of the escrowed check: its exit code, or why it was not run; "none": nobody ran it. And what becomes of the task. */
  readonly comes: readonly [ended: number | RegExp | "none", status: string, verdict: string]
}

const cases: ReadonlyArray<Checked> = [
  { what: "holds, and did not before", after: right, hidden: compares, comes: [0, "completed", "proven"] },
  {
    what: "does not hold, although what agents see does",
    after: { "a.txt": "two\n" },
    checks: [visible],
    hidden: compares,
    comes: [1, "retrying", "unproven"]
  },
  {
    what: "does not hold, although evidence does",
    after: { "a.txt": "two\n" },
    evidence: "a.txt:1",
    hidden: compares,
    comes: [1, "retrying", "unproven"]
  },
  {
    what: "held before the work too, and nothing else shows it",
    after: right,
    hidden: hidden("test -f a.txt"),
    comes: [0, "failed", "unproven"]
  },
  {
    what: "held before the work too, beside evidence",
    after: right,
    evidence: "a.txt:1",
    hidden: hidden("test -f a.txt"),
    comes: [0, "completed", "proven"]
  },
  {
    what: "is not asked while what agents see does not hold",
    after: right,
    checks: ["false"],
    hidden: compares,
    comes: ["none", "retrying", "unproven"]
  },
  {
    what: "is about another task",
    after: right,
    checks: [visible],
    evidence: "a.txt:1",
    hidden: hidden("exit 9", {}, { tasks: ["another"] }),
    comes: ["none", "completed", "proven"]
  },
  {
    what: "is about a requirement",
    after: right,
    checks: [visible],
    evidence: "a.txt:1",
    hidden: hidden("exit 9", {}, { requirement: "req_1" }),
    comes: ["none", "completed", "proven"]
  },
  {
    what: "runs tests, and none is there",
    after: right,
    hidden: hidden("grep -q SECRET a.txt && node --test $PROOFLINE_CHECKS/none", {
      files: { "none/readme.txt": "" }
    }),
    comes: [1, "retrying", "unproven"]
  },
  {
    what: "runs a test that lies beside it",
    after: right,
    hidden: hidden("grep -q SECRET a.txt && node --test $PROOFLINE_CHECKS/hidden.test.mjs", {
      files: { "hidden.test.mjs": testThat(`${secret} of a test`) }
    }),
    comes: [0, "completed", "proven"]
  },
  {
    what: "runs out of its own time",
    after: right,
    hidden: hidden("sleep 30", {}, { timeout_ms: 50 } as never),
    comes: [1, "retrying", "unproven"]
  },
  {
    what: "compares with a fixture that the agent has changed",
    before: { "fixtures/said.txt": "one\n" },
    after: { ...right, "fixtures/said.txt": `${secret}\n` },
    hidden: hidden("diff a.txt fixtures/said.txt"),
    comes: [1, "retrying", "unproven"]
  },
  {
    what: "holds only with new settings of a runner of tests, beside evidence",
    after: { ...right, "pytest.ini": "[pytest]\n" },
    evidence: "a.txt:1",
    hidden: hidden("ls | grep -q ^pytest"),
    comes: [1, "retrying", "unproven"]
  },
  {
    what: "holds only with a new fixture, beside evidence",
    after: { ...right, "fixtures/new.txt": "new\n" },
    evidence: "a.txt:1",
    hidden: hidden("ls * | grep -q ^new"),
    comes: [0, "completed", "proven"]
  },
  {
    what: "runs nothing but what the agent wrote",
    after: { "made.sh": "exit 0\n" },
    hidden: hidden("sh made.sh"),
    comes: [0, "failed", "unproven"]
  },
  {
    what: "was changed since the run began",
    after: right,
    evidence: "a.txt:1",
    hidden: { ...compares, later: { "expected.txt": "one\n" } },
    comes: [/^The checks were changed since the run began/, "failed", "unproven"]
  },
  {
    what: "names the directory of the project",
    after: right,
    evidence: "a.txt:1",
    hidden: hidden("grep -q SECRET $ROOT/a.txt"),
    comes: [/names the directory of the project itself/, "failed", "unproven"]
  }
]

/** All that is written down in a directory. */
const writtenIn = (directory: string): string =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => readFileSync(Path.join(parentPath, name), "utf8"))
    .join("\n")

describe("a check that agents do not see", () => {
  it.live.each(daily(cases, 3))("given that it $what, then that is found, and nothing of it is kept", (given) =>
    Effect.gen(function* () {
      const { after, before = theSource, checks = [], comes, config, evidence } = given
      const place = yield* repository({ ...theSource, ...before })
      const named = given.hidden.checks.map((one) => ({ ...one, command: one.command.replace("$ROOT", place.root) }))
      const { events, runs, state, task } = yield* attempted(place, {
        checks,
        files: after,
        hidden: { ...given.hidden, checks: named },
        isBaseChecked: true,
        items: evidence === undefined ? [] : [{ item: "It is done." }],
        report: evidence === undefined ? [] : [{ item: "It is done.", status: "done", evidence }],
        instruction: "Do it.",
        ...(config === undefined ? {} : { config })
      })
      const [ended, status, verdict] = comes
      const run = runs.find(({ escrow }) => escrow !== undefined)
      assert.strictEqual(task.status, status)
      assert.strictEqual(task.verdict, verdict)
      if (ended === "none") assert.isUndefined(run)
      else if (ended instanceof RegExp) assert.match(run?.not_run ?? "", ended)
      else assert.strictEqual(run?.exit_code, ended)
      if (run !== undefined) assert.strictEqual(hasPassed(run), ended === 0)
      const prompt = workPrompt(state, task, 2, place.root)
      const told = [
        JSON.stringify([events, state.tasks.base_checks, runs]),
        prompt,
        ...refusals(task.refused ?? task.current ?? assert.fail()),
        writtenIn(Path.join(place.room, "blobs"))
      ].join("\n")
      const kept = [
        ...named.map(({ command }) => command),
        Path.join(place.room, "hidden"),
        "PROOFLINE_CHECKS",
        `${secret} of a test`
      ]
      for (const one of kept) assert.notInclude(told, JSON.stringify(one).slice(1, -1))
      const isAsked = named.some(({ requirement, tasks }) => requirement === undefined && tasks === undefined)
      assert.strictEqual(prompt.includes("- a.txt holds what it should"), isAsked)
    })
  )
})
