import { existsSync, rmSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { handOverAgain, mergedTree, workIn } from "@proofline/plugins/adapters/git-workspaces"
import { Effect, Schema } from "effect"
import { live } from "../../../effects.ts"
import { daily, often } from "../../../often.ts"
import { contentOf, git, ownOf, write } from "../support.ts"
import {
  again,
  begun,
  found,
  home,
  type Machines,
  machine,
  machines,
  refsOf,
  refusalOf,
  reported,
  worked
} from "./support.ts"

const lines = (changed: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: 12 }, (_, i) => `${changed[i] ?? `line ${i}`}\n`).join("")

const base = { "a.txt": lines(), "b.txt": "b\n" }

/** Two pieces of work that begin with the same, the second reported after the first. */
const both = Effect.fnUntraced(function* (
  all: Machines,
  first: (root: string) => void,
  second: (root: string) => void
) {
  const one = yield* machine(all, "one")
  const two = yield* machine(all, "two")
  return yield* Effect.gen(function* () {
    const [a, b] = [yield* one.open("run_1"), yield* two.open("run_1")]
    first(a.begun.root)
    second(b.begun.root)
    return [yield* reported(all, one, a), yield* Effect.result(reported(all, two, b))] as const
  }).pipe(Effect.scoped)
})

describe("given two pieces of work that begin with the same", () => {
  type Change = (root: string) => void
  const rows: ReadonlyArray<readonly [what: string, Change, Change, Readonly<Record<string, string>>]> = [
    [
      "different files",
      (root) => write(root, { "one.txt": "1\n" }),
      (root) => write(root, { "two.txt": "2\n" }),
      { ...base, "one.txt": "1\n", "two.txt": "2\n" }
    ],
    [
      "different lines of a file",
      (root) => write(root, { "a.txt": lines({ 0: "one" }) }),
      (root) => write(root, { "a.txt": lines({ 11: "two" }) }),
      { ...base, "a.txt": lines({ 0: "one", 11: "two" }) }
    ],
    [
      "the same lines in the same way",
      (root) => write(root, { "a.txt": lines({ 3: "same" }), "new.txt": "n\n" }),
      (root) => write(root, { "a.txt": lines({ 3: "same" }), "new.txt": "n\n" }),
      { ...base, "a.txt": lines({ 3: "same" }), "new.txt": "n\n" }
    ],
    [
      "a file that one of them has removed, and another",
      (root) => rmSync(Path.join(root, "b.txt")),
      (root) => write(root, { "a.txt": lines({ 5: "five" }) }),
      { "a.txt": lines({ 5: "five" }) }
    ]
  ]
  for (const [what, first, second, expected] of daily(rows, 4)) {
    live(`when they have changed ${what}, then the run stands on both`, function* () {
      const all = yield* machines(base)
      yield* begun(all)
      const [one, two] = yield* both(all, first, second)
      assert.strictEqual(two._tag, "Success")
      assert.deepStrictEqual(yield* found(yield* machine(all, "three")), expected)
      yield* home(all)
      assert.deepStrictEqual(contentOf(all.project.root), expected)
      git(all.project.top, "merge-base", "--is-ancestor", `${one?.commit}`, refsOf(all.project)[0] ?? "")
    })
  }

  const conflicts: ReadonlyArray<readonly [what: string, Change, Change, path: string]> = [
    [
      "the same lines",
      (root) => write(root, { "a.txt": lines({ 4: "one" }), "b.txt": "c\n" }),
      (root) => write(root, { "a.txt": lines({ 4: "two" }), "own.txt": "own\n" }),
      "a.txt"
    ],
    [
      "a file that one has removed",
      (root) => rmSync(Path.join(root, "b.txt")),
      (root) => write(root, { "b.txt": "c\n" }),
      "b.txt"
    ],
    ["a new file", (root) => write(root, { "ü n.txt": "1\n" }), (root) => write(root, { "ü n.txt": "2\n" }), "ü n.txt"]
  ]
  for (const [what, first, second, path] of daily(conflicts, 3)) {
    live(
      `when both have changed ${what}, then the second is refused with its path, and nothing of it is merged`,
      function* () {
        const all = yield* machines(
          Object.fromEntries(Object.entries(base).map(([name, text]) => [`app/${name}`, text])),
          "app"
        )
        yield* begun(all)
        let left = {}
        const [one, two] = yield* both(
          all,
          (root) => {
            first(root)
            left = contentOf(root)
          },
          second
        )
        assert.isNotNull(one)
        const refusal = two._tag === "Failure" ? (two.failure as { code: string; message: string }) : null
        assert.strictEqual(refusal?.code, "workplace_conflict")
        assert.include(refusal?.message, ` ${path}.`)
        for (const name of ["one", "two"]) assert.deepStrictEqual(yield* found(yield* machine(all, name)), left)
      }
    )
  }

  live("when the second asks again, then it is merged onto what the run stands on then", function* () {
    const all = yield* machines(base)
    yield* begun(all)
    const one = yield* machine(all, "one")
    const two = yield* machine(all, "two")
    yield* Effect.gen(function* () {
      const opened = yield* two.open("run_1")
      write(opened.begun.root, { "two.txt": "2\n" })
      const work = yield* workIn(opened.begun, opened.trees)
      assert.isNotNull(work)
      const early = yield* mergedTree(all.sources, opened.begun, opened.trees, work, null)
      const other = yield* worked(all, one, (root) => write(root, { "one.txt": "1\n" }))
      const late = yield* mergedTree(all.sources, opened.begun, yield* two.trees("run_1"), work, null)
      assert.deepStrictEqual([early.onto, late.onto], [opened.begun.start.commit, other?.commit])
      assert.notStrictEqual(early.commit, late.commit)
    }).pipe(Effect.scoped)
  })

  live("when neither has changed anything, then nothing is recorded", function* () {
    const all = yield* machines(base)
    yield* begun(all)
    const [one, two] = yield* both(
      all,
      () => {},
      (root) => write(root, { "a.txt": lines() })
    )
    assert.isNull(one)
    assert.deepStrictEqual(two._tag === "Success" && two.success, null)
  })
})

describe("given pieces of work that each change something else", () => {
  const Edit = Schema.Struct({
    kind: Schema.Literals(["line", "file", "remove"]),
    text: Schema.Literals(["x", "y", "z"]),
    order: Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 1_000 })))
  })
  const Edits = Schema.Array(Edit).pipe(Schema.check(Schema.isMinLength(2)), Schema.check(Schema.isMaxLength(4)))
  const start = {
    "a.txt": Array.from({ length: 40 }, (_, i) => `${i}\n`).join(""),
    ...Object.fromEntries([0, 1, 2, 3].map((i) => [`old${i}.txt`, `${i}\n`]))
  }
  const edit = (root: string, { kind, text }: typeof Edit.Type, i: number) => {
    const own = contentOf(root)["a.txt"] ?? ""
    if (kind === "line") write(root, { "a.txt": own.replace(`\n${i * 10 + 5}\n`, `\n${text}${i}\n`) })
    else if (kind === "file") write(root, { [`new ${i}.txt`]: text })
    else rmSync(Path.join(root, `old${i}.txt`))
  }

  it.live.prop(
    "when they are merged in any order, then all of it is there, and the same",
    [Edits],
    ([edits]) =>
      Effect.gen(function* () {
        const all = yield* machines(start)
        yield* begun(all)
        const on = yield* machine(all)
        const opened = yield* Effect.forEach(edits, () => on.open("run_1"))
        for (const [i, one] of edits.entries()) edit(opened[i]?.begun.root ?? "", one, i)
        const byOrder = edits.map((one, i) => [one.order, i] as const).sort(([a], [b]) => a - b)
        for (const [, i] of byOrder) {
          const one = opened[i]
          if (one !== undefined) yield* reported(all, on, one)
        }
        yield* home(all)
        const expected = yield* machines(start)
        for (const [i, one] of edits.entries()) edit(expected.project.root, one, i)
        assert.deepStrictEqual(contentOf(all.project.root), contentOf(expected.project.root))
      }).pipe(Effect.scoped),
    { arbitrary: { runs: often(40) } }
  )
})

describe("given a user who changes the project while a run goes on", () => {
  const apart = Effect.gen(function* () {
    const all = yield* machines(base)
    yield* begun(all)
    yield* worked(all, yield* machine(all), (root) => write(root, { "a.txt": lines({ 0: "run" }), "run.txt": "run\n" }))
    return all
  })

  live("when it comes home, then the user's changes stay, and nothing else of the user's is other", function* () {
    const all = yield* apart
    const { project } = all
    write(project.root, { "a.txt": lines({ 11: "user" }), "user.txt": "user\n", "staged.txt": "s\n" })
    git(project.top, "add", "staged.txt")
    const own = ownOf(project)
    const brought = yield* home(all)
    assert.deepStrictEqual(brought?.files, ["a.txt", "run.txt"])
    assert.deepStrictEqual(contentOf(project.root), {
      ...base,
      "a.txt": lines({ 0: "run", 11: "user" }),
      "run.txt": "run\n",
      "user.txt": "user\n",
      "staged.txt": "s\n"
    })
    assert.strictEqual(ownOf(project), own)
    assert.isNull(yield* home(all))
  })

  const ways: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    "the same lines": { "a.txt": lines({ 0: "user" }) },
    "a new file of the same name": { "run.txt": "user\n" }
  }
  for (const [what, files] of daily(Object.entries(ways), 2)) {
    live(
      `when the user has changed ${what}, then nothing is written, and the commit can be merged by hand`,
      function* () {
        const all = yield* apart
        const { project } = all
        write(project.root, { ...files, "b.txt": "also\n" })
        const before = contentOf(project.root)
        const refused = yield* refusalOf(home(all))
        assert.strictEqual(refused.code, "workplace_conflict")
        assert.include(refused.message, ` at ${Object.keys(files)[0]}.`)
        assert.deepStrictEqual(contentOf(project.root), before)
        const [, commit = ""] = /git merge ([0-9a-f]+)/.exec(refused.message) ?? []
        assert.strictEqual(git(project.top, "rev-parse", "refs/proofline/_come/run_1").trim(), commit)
        assert.strictEqual(git(project.top, "show", `${commit}:run.txt`), "run\n")
        git(project.top, "checkout", "--quiet", "--", ".")
        rmSync(Path.join(project.root, "run.txt"), { force: true })
        assert.deepStrictEqual((yield* home(all))?.files, ["a.txt", "run.txt"])
      }
    )
  }

  live("when the run goes on, then it is handed what the user has changed, with what it had", function* () {
    const all = yield* apart
    const { project } = all
    write(project.root, { "a.txt": lines({ 11: "user" }), "user.txt": "user\n" })
    assert.isNotNull(yield* again(all))
    const together = { ...base, "a.txt": lines({ 0: "run", 11: "user" }), "run.txt": "run\n", "user.txt": "user\n" }
    const on = yield* machine(all, "later")
    assert.deepStrictEqual(yield* found(on), together)
    assert.isNull(yield* again(all))
    yield* worked(all, on, (root) => rmSync(Path.join(root, "user.txt")))
    const { "user.txt": gone, ...rest } = together
    assert.strictEqual(gone, "user\n")
    yield* home(all)
    assert.deepStrictEqual(contentOf(project.root), rest)
  })

  live("when what was handed over again is never recorded, then the user's changes stay nevertheless", function* () {
    const all = yield* apart
    const { project } = all
    write(project.root, { "user.txt": "user\n" })
    // as if the worker had been killed before it asked to record it
    assert.isNotNull(yield* handOverAgain(all.sources, project, "run_1", null))
    yield* home(all)
    assert.strictEqual(contentOf(project.root)["user.txt"], "user\n")
    assert.strictEqual(contentOf(project.root)["run.txt"], "run\n")
    assert.isNotNull(yield* again(all))
    assert.strictEqual((yield* found(yield* machine(all, "later")))["user.txt"], "user\n")
  })

  live("when the user and the run have changed the same lines, then going on is refused with the path", function* () {
    const all = yield* apart
    write(all.project.root, { "a.txt": lines({ 0: "user" }) })
    const refused = yield* refusalOf(again(all))
    assert.strictEqual(refused.code, "workplace_conflict")
    assert.include(refused.message, ": a.txt.")
  })

  live("when it has come home, then refs stay only where the run may go on or something is in the way", function* () {
    const all = yield* apart
    const { project } = all
    const left = () => refsOf(project).map((ref) => ref.replace("refs/proofline/", ""))
    write(project.root, { "a.txt": lines({ 0: "user" }) })
    yield* refusalOf(home(all, true))
    assert.deepStrictEqual(left(), ["_come/run_1", "_handed/run_1", "_trees/run_1"])
    git(project.top, "checkout", "--quiet", "--", ".")
    yield* home(all)
    assert.deepStrictEqual(left(), ["_handed/run_1", "_trees/run_1"])
    write(project.root, { "user.txt": "user\n" })
    assert.isNotNull(yield* again(all))
    yield* worked(all, yield* machine(all, "later"), (root) => write(root, { "later.txt": "later\n" }))
    assert.deepStrictEqual((yield* home(all, true))?.files, ["later.txt"])
    // what the run stood on, one after the other
    assert.deepStrictEqual(left(), ["_trees/run_1"])
    rmSync(Path.join(project.root, "later.txt"))
    assert.isNull(yield* home(all, true))
    assert.isFalse(existsSync(Path.join(project.root, "later.txt")))
    assert.notInclude(git(project.top, "status", "--porcelain", "--untracked-files=all"), "brought-home")
  })

  live("when it is another project that asks, then it is told so, and has no new refs", function* () {
    const all = yield* apart
    const other = yield* machines({ ...base, "other.txt": "other\n" })
    const there = { ...all, project: other.project }
    for (const asked of [Effect.asVoid(home(there)), Effect.asVoid(again(there))]) {
      const refused = yield* refusalOf(asked)
      assert.strictEqual(refused.code, "checkout_not_handed")
    }
    assert.deepStrictEqual(refsOf(other.project), [])
  })
})
