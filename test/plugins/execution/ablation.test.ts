import { readFileSync, rmSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Ablation, ReportedItem, TaskState } from "@proofline/kernel"
import { refusals, workPrompt } from "@proofline/plugins/policies/execution"
import { Effect } from "effect"
import { commit, git, leftOf, repository, write } from "../git-scratch-checkouts/support.ts"
import { type Attempt, attempted } from "./stage.ts"

const doneWith = (evidence: string, item = "add adds"): ReportedItem => ({ item, status: "done", evidence })

/** One item with a check whose ablation is asked for. */
const oneItem = (check: string, evidence: string, files: Attempt["files"]): Attempt => ({
  items: [{ item: "add adds", check, ablation: true }],
  report: [doneWith(evidence)],
  files
})

const ablationOf = ({ runs }: { readonly runs: TaskRuns }): Ablation => {
  const ablation = runs[0]?.ablation
  assert.isNotNull(ablation ?? null)
  return ablation as Ablation
}
type TaskRuns = NonNullable<NonNullable<TaskState["current"]>["verification"]>["checks"]

const codesOf = ({ base, head, neutralised }: Ablation) =>
  [base, head, neutralised].map((run) => run?.exit_code ?? null)

const addJs = "export const unrelated = () => {\n  return 1\n}\n\nexport const add = (a, b) => {\n  return a + b\n}\n"
const testJs = (body: string) =>
  `import assert from "node:assert"\nimport { test } from "node:test"\nimport { add } from "./add.js"\ntest("add", () => {\n  ${body}\n})\n`
const jsProject = { "package.json": '{"type":"module"}\n', "add.js": "export const add = (a, b) => {\n}\n" }
const addPy = "def unrelated(a):\n    return a * 2\n\n\ndef add(a, b):\n    total = a + b\n    return total\n"

describe("an ablation of real work", () => {
  it.live.each([
    [
      "a function of JavaScript",
      jsProject,
      "node --test add.test.js",
      "add.js:5",
      {
        "add.js": addJs,
        "add.test.js": testJs("assert.equal(add(1, 2), 3)")
      }
    ],
    [
      "a statement of a function of JavaScript",
      jsProject,
      "node --test add.test.js",
      "add.js:6",
      {
        "add.js": addJs,
        "add.test.js": testJs("assert.equal(add(1, 2), 3)")
      }
    ],
    [
      "a function of Python",
      { "add.py": "def add(a, b):\n    pass\n" },
      "python3 -B -c 'from add import add; assert add(1, 2) == 3'",
      "add.py:5-7",
      {
        "add.py": addPy
      }
    ],
    [
      "lines of a language nobody knows",
      { "rules.unknown": "one\n" },
      "grep -q three rules.unknown",
      "rules.unknown:3",
      {
        "rules.unknown": "one\r\ntwo\r\nthree\r\n"
      }
    ]
  ] as const)("shows that they bear the check: %s", ([, before, check, cited, files]) =>
    Effect.gen(function* () {
      const place = yield* repository(before)
      const result = yield* attempted(place, oneItem(check, cited, files))
      const ablation = ablationOf(result)
      assert.strictEqual(ablation.verdict, "load_bearing", ablation.message)
      const [base, head, neutralised] = codesOf(ablation)
      assert.strictEqual(head, 0)
      assert.isAbove(base ?? 0, 0)
      assert.isAbove(neutralised ?? 0, 0)
      assert.strictEqual(result.task.status, "completed")
      assert.strictEqual(result.task.items[0]?.verdict, "proven")
    })
  )

  it.live("counts commits that the agent has made, in a project that is a folder of its repository", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "part/rules.txt": "one\n", "shared.txt": "" })
      const part = { ...place, root: Path.join(place.root, "part") }
      const check = "git log --format=%s | grep -q mine && grep -q new rules.txt && grep -q shared ../shared.txt"
      const result = yield* attempted(part, {
        ...oneItem(check, "rules.txt:2", {}),
        work: () => {
          write(part.root, { "rules.txt": "one\nnew\n" })
          commit(place.root, "mine")
          write(place.root, { "shared.txt": "shared\n" })
        }
      })
      const ablation = ablationOf(result)
      assert.strictEqual(ablation.verdict, "load_bearing", ablation.message)
      assert.deepStrictEqual(codesOf(ablation), [1, 0, 1])
      assert.deepStrictEqual(leftOf(place), [])
    })
  )

  it.live("takes a check that never ends without the work for one that fails", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "rules.txt": "one\n" })
      const result = yield* attempted(place, {
        ...oneItem("until grep -q two rules.txt; do sleep 0.05; done", "rules.txt:2", { "rules.txt": "one\ntwo\n" }),
        config: { check_timeout_ms: 2_000 }
      })
      const { base, neutralised, verdict } = ablationOf(result)
      assert.deepStrictEqual([verdict, base?.timed_out, neutralised?.timed_out], ["load_bearing", true, true])
    })
  )

  it.live("runs what items share only once where it does not depend on the item", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "rules.txt": "one\n" })
      const check = `echo run >> "${place.room}/runs"; grep -q two rules.txt && grep -q three rules.txt`
      const result = yield* attempted(place, {
        items: ["add two", "add three"].map((item) => ({ item, check })),
        report: [doneWith("rules.txt:2", "add two"), doneWith("rules.txt:3", "add three")],
        config: { evidence: { strict: false, ablation: true } },
        files: { "rules.txt": "one\ntwo\nthree\n" }
      })
      assert.deepStrictEqual(
        result.runs.map(({ ablation }) => ablation?.verdict),
        ["load_bearing", "load_bearing"]
      )
      // each by itself in the project and without its lines; before the work and in a clean checkout once
      assert.strictEqual(readFileSync(Path.join(place.room, "runs"), "utf8"), "run\n".repeat(2 + 2 + 2))
      assert.strictEqual(result.task.status, "completed")
    })
  )
})

describe("an ablation of work that is not there", () => {
  const refuted = (
    result: Effect.Success<ReturnType<typeof attempted>>,
    codes: ReadonlyArray<number | null>,
    words: string
  ) => {
    const ablation = ablationOf(result)
    assert.strictEqual(ablation.verdict, "vacuous", ablation.message)
    assert.deepStrictEqual(codesOf(ablation), codes)
    assert.include(ablation.message, words)
    assert.strictEqual(result.task.items[0]?.verdict, "refuted")
    const changed = result.events.find(({ type }) => type === "TASK_STATUS_CHANGED")
    assert.deepInclude(changed?.content, { to: "retrying", reason: "checks_failed" })
    const said = `\`${result.runs[0]?.command}\` shows nothing: ${ablation.message}`
    // the next attempt is told, and so is whoever reads why the task has failed
    assert.include(workPrompt(result.state, result.task, 2, result.state.run.root), said)
    assert.deepStrictEqual(result.task.refused === null ? [] : refusals(result.task.refused), [
      `- checks_failed: ${said}`
    ])
  }

  it.live("finds a test that asserts nothing", () =>
    Effect.gen(function* () {
      const place = yield* repository(jsProject)
      const result = yield* attempted(
        place,
        oneItem("node --test add.test.js", "add.js:5", {
          "add.js": addJs,
          "add.test.js": testJs("assert.ok(add)")
        })
      )
      refuted(result, [1, 0, 0], "passes without the cited lines: it exits with 0 although add.js:5-7 is disabled")
    })
  )

  it.live("finds a check that was green already", () =>
    Effect.gen(function* () {
      const place = yield* repository(jsProject)
      const result = yield* attempted(place, oneItem("test -e package.json", "add.js:5", { "add.js": addJs }))
      refuted(result, [0, null, null], `passes without the work: at commit ${place.base.slice(0, 10)}`)
    })
  )

  it.live("finds evidence that points at other code", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "add.py": "" })
      const result = yield* attempted(
        place,
        oneItem("python3 -B -c 'from add import add; assert add(1, 2) == 3'", "add.py:1-2", { "add.py": addPy })
      )
      refuted(result, [1, 0, 0], "although add.py:1-2 is disabled")
    })
  )
})

describe("an ablation that cannot be tried", () => {
  const unproven = (result: Effect.Success<ReturnType<typeof attempted>>, words: string) => {
    const ablation = ablationOf(result)
    assert.strictEqual(ablation.verdict, "unproven", ablation.message)
    assert.include(ablation.message, words)
    assert.isFalse(result.task.current?.verification?.passed)
    // nothing spoke against it, so nobody tries again; nothing proved it, so it is not done
    assert.deepStrictEqual(
      [result.task.status, result.task.verdict, result.task.items[0]?.verdict],
      ["failed", "unproven", "unproven"]
    )
    assert.include(result.task.message, `has not shown anything: ${ablation.message}`)
  }

  it.live("outside of a repository", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "add.js": "" })
      rmSync(Path.join(place.root, ".git"), { recursive: true })
      const result = yield* attempted(place, oneItem("true", "add.js:5", { "add.js": addJs }))
      unproven(result, "not in a git repository with a commit")
      assert.deepStrictEqual(codesOf(ablationOf(result)), [null, null, null])
    })
  )

  it.live("before the first commit", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "add.js": "" })
      rmSync(Path.join(place.root, ".git"), { recursive: true })
      git(place.root, "init", "--quiet")
      unproven(yield* attempted(place, oneItem("true", "add.js:5", { "add.js": addJs })), "with a commit")
    })
  )

  it.live("when the check needs what git ignores", () =>
    Effect.gen(function* () {
      const place = yield* repository({ ".gitignore": "secret\n", "rules.txt": "" })
      write(place.root, { secret: "x" })
      const result = yield* attempted(
        place,
        oneItem("grep -q two rules.txt && cat secret", "rules.txt:1", { "rules.txt": "two\n" })
      )
      unproven(
        result,
        "in a clean checkout of it, with every change but without the files that git ignores, it exits with 1"
      )
      assert.deepStrictEqual(codesOf(ablationOf(result)), [1, 1, null])
    })
  )

  it.live("when the cited file is one that git ignores", () =>
    Effect.gen(function* () {
      const place = yield* repository({ ".gitignore": "built.txt\n", "rules.txt": "" })
      const files = { "built.txt": "built\n", "rules.txt": "two\n" }
      const result = yield* attempted(place, oneItem("grep -q two rules.txt", "built.txt:1", files))
      unproven(result, "built.txt is not in a checkout of the project, because git ignores it")
    })
  )

  it.live("when the cited file was changed after its lines were accepted", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "rules.txt": "" })
      const result = yield* attempted(place, {
        ...oneItem("grep -q two rules.txt", "rules.txt:1", { "rules.txt": "two\n" }),
        meanwhile: { "rules.txt": "zero\ntwo\n" }
      })
      unproven(result, "rules.txt was changed after its lines were accepted")
    })
  )

  it.live("when the commit at which the run began cannot be had any more", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "rules.txt": "" })
      const result = yield* attempted(place, {
        ...oneItem("grep -q two rules.txt", "rules.txt:1", {}),
        work: () => {
          rmSync(Path.join(place.root, ".git"), { recursive: true })
          git(place.root, "init", "--quiet")
          write(place.root, { "rules.txt": "two\n" })
          commit(place.root)
        }
      })
      unproven(result, "git worktree add")
    })
  )

  it.live("is said beside what was refuted, and once for all items that share the check", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "rules.txt": "" })
      rmSync(Path.join(place.root, ".git"), { recursive: true })
      const items = ["one", "two", "three"].map((item, index) => ({
        item,
        check: index < 2 ? "true" : "exit 7",
        ablation: true
      }))
      const result = yield* attempted(place, {
        items,
        report: items.map(({ item }) => doneWith("rules.txt:1", item)),
        files: { "rules.txt": "x\n" },
        config: { max_retries: 0 }
      })
      assert.deepStrictEqual(
        result.task.items.map(({ verdict }) => verdict),
        ["unproven", "unproven", "refuted"]
      )
      assert.strictEqual(result.task.verdict, "refuted")
      assert.match(
        result.task.message,
        /^Checks failed: `exit 7` exited with 7\. `true` has not shown anything: [^`]*`ablation`[^`]*$/
      )
    })
  )
})

describe("an ablation that nobody asked for", () => {
  it.live("is not tried: without the setting, with `false`, for a waived item, after a failed check", () =>
    Effect.gen(function* () {
      const place = yield* repository({ "rules.txt": "" })
      const items = [
        { item: "off", check: "true", ablation: false },
        { item: "waived", check: "true" },
        { item: "failed", check: "exit 7" },
        { item: "none" }
      ]
      const report: ReadonlyArray<ReportedItem> = [
        doneWith("rules.txt:1", "off"),
        { item: "waived", status: "skipped", reason: "it is not needed here" },
        doneWith("rules.txt:1", "failed"),
        doneWith("rules.txt:1", "none")
      ]
      const attempt = { items, report, files: { "rules.txt": "x\n" } }
      const asked = yield* attempted(place, { ...attempt, config: { evidence: { strict: false, ablation: true } } })
      assert.deepStrictEqual(
        asked.runs.map(({ ablation }) => ablation),
        [null, null, null]
      )
      const plain = yield* repository({ "rules.txt": "" })
      const result = yield* attempted(plain, {
        ...attempt,
        items: [{ item: "off", check: "true" }],
        report: report.slice(0, 1)
      })
      assert.deepStrictEqual([result.runs[0]?.ablation, result.task.status], [null, "completed"])
      assert.notInclude(workPrompt(result.state, result.task, 1, result.state.run.root), "rest on the work")
    })
  )
})
