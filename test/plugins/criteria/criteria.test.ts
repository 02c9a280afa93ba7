import { assert, describe, it } from "@effect/vitest"
import { criteriaReviewer } from "@proofline/kernel"
import { Effect } from "effect"
import { sandbox } from "../node-baseline/support.ts"
import { judged, refused } from "./support.ts"

const whole = "export const add = (a: number, b: number): number => {\n  return a + b\n}\n"

describe("given an attempt", () => {
  it.effect("when its work is whole, then it passes by every criterion", () =>
    Effect.gen(function* () {
      const judgement = yield* judged({ files: { "src/a.ts": whole }, part: { paths: ["src/a.ts"] } })
      assert.strictEqual(judgement.reviewer, criteriaReviewer)
      assert.strictEqual(judgement.judgment, "PASS")
      assert.isNull(judgement.modification_prompt)
      assert.deepStrictEqual(
        judgement.checks.map(({ criterion }) => criterion.split(":")[0]),
        ["expected_files", "no_omission_markers", "no_todo_left", "syntax_parses", "evidence_present"]
      )
    })
  )

  it.effect("when several criteria are not met, then every place is told, with what to do", () =>
    Effect.gen(function* () {
      const judgement = yield* judged({
        files: {
          "src/a.ts": "export const a = 1\n// TODO: b\n// ... rest of the code\n",
          "src/b.ts": "export const b = {\n"
        },
        part: { paths: ["src/missing.ts"] }
      })
      assert.strictEqual(judgement.judgment, "REJECT")
      const prompt = judgement.modification_prompt ?? ""
      for (const told of [
        "src/missing.ts: it does not exist",
        "src/a.ts:2: // TODO: b",
        "src/a.ts:3: // ... rest of the code",
        "src/b.ts:1: export const b = {"
      ])
        assert.include(prompt, told)
      assert.notInclude(prompt, "evidence_present")
    })
  )

  it.effect("when the same lines were there before the run, then they are not blamed", () =>
    Effect.gen(function* () {
      const old = "// TODO: later\n// ... rest of the code\nexport const a = (\n"
      assert.deepStrictEqual(yield* refused({ before: { "a.ts": old }, files: { "a.ts": old } }), [])
      assert.deepStrictEqual(
        yield* refused({ before: { "a.ts": old }, files: { "a.ts": `export const b = 1\n${old}` } }),
        []
      )
      assert.deepStrictEqual(yield* refused({ before: { "a.ts": old }, files: { "a.ts": `${old}// FIXME: now\n` } }), [
        "no_todo_left: a.ts:4: // FIXME: now"
      ])
    })
  )

  it.effect("when there is no repository, then it is judged all the same", () =>
    Effect.gen(function* () {
      const files = { "a.py": "def a():\n    return 1\n\n\n# TODO: b\n" }
      assert.deepStrictEqual(yield* refused({ before: { "x.txt": "x\n" }, files, inRepository: false }), [
        "no_todo_left: a.py:5: # TODO: b"
      ])
    })
  )

  it.effect("when it works in another directory, then what is new there is judged", () =>
    Effect.gen(function* () {
      const directory = yield* sandbox
      directory.write("old.ts", "// TODO: long known\nexport const old = 1\n")
      const work = {
        before: { "old.ts": "// TODO: long known\n" },
        files: { "new.ts": "export const b = 1\n// TODO: finish\n" },
        modified: ["new.ts", "old.ts"],
        directory,
        config: { workspace: "worktree" },
        part: { paths: ["new.ts"] }
      } as const
      assert.deepStrictEqual(yield* refused(work), ["no_todo_left: new.ts:2: // TODO: finish"])
    }).pipe(Effect.scoped)
  )

  it.effect("when its files are foreign, no text or gone, then they are not looked into", () =>
    refused({
      files: {
        "node_modules/x/index.js": "// TODO: x\n(",
        "vendor/y.go": "// FIXME: y\n",
        "z.bin": "\u0000// TODO: z"
      },
      modified: ["node_modules/x/index.js", "vendor/y.go", "z.bin", "gone.ts"]
    }).pipe(Effect.map((found) => assert.deepStrictEqual(found, [])))
  )
})

describe("given parts that work in one directory at the same time", () => {
  const files = { "src/login.ts": whole, "src/logout.ts": "// TODO: implement\n" }

  it.effect("when a file is the work of the other one, then it is not blamed for it", () =>
    Effect.gen(function* () {
      const paths = { part: { paths: ["src/login.ts"] }, other: { paths: ["src/logout.ts"] } }
      assert.deepStrictEqual(yield* refused({ files, ...paths }), [])
      const words = { part: { prompt: "Implement the login." }, other: { prompt: "Implement the logout." } }
      assert.deepStrictEqual(yield* refused({ files, ...words }), [])
    })
  )

  it.effect("when it is its own work by name, then it is judged; when it may be anybody's, nobody is blamed", () =>
    Effect.gen(function* () {
      const told = [
        "no_todo_left: src/logout.ts:1: // TODO: implement",
        "evidence_present: what was changed holds nothing but blanks, comments and functions in which nothing is done"
      ]
      const swapped = { part: { paths: ["src/logout.ts"] }, other: { paths: ["src/login.ts"] } }
      assert.deepStrictEqual(yield* refused({ files, ...swapped }), told)
      assert.deepStrictEqual(yield* refused({ files, other: {} }), [])
    })
  )
})

describe("given work in which nothing is done", () => {
  const nothing =
    "evidence_present: what was changed holds nothing but blanks, comments and functions in which nothing is done"
  const stub = 'export function a(): number {\n  throw new Error("not implemented")\n}\n'

  it.effect("when new files are empty, or hold only blanks, comments and stubs, then that is refused", () =>
    Effect.gen(function* () {
      for (const text of ["", "\n\n", "// the login\n", "export function a() {}\n", "/*\n * all of it\n */\n\n"]) {
        assert.deepStrictEqual(yield* refused({ files: { "src/a.ts": text } }), [nothing], JSON.stringify(text))
      }
      assert.deepStrictEqual(yield* refused({ files: { "src/a.ts": stub } }), [
        "no_omission_markers: src/a.ts:1: export function a(): number {",
        nothing
      ])
    })
  )

  it.effect("when something is done beside it, or comments were asked for, then only what says so is refused", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* refused({ files: { "src/a.ts": `${whole}export const noop = () => {}\n` } }), [])
      assert.deepStrictEqual(
        yield* refused({ before: { "src/a.ts": whole }, files: { "src/a.ts": `// adds one\n${whole}` } }),
        []
      )
      assert.deepStrictEqual(yield* refused({ files: { "src/a.ts": `${whole}${stub}` } }), [
        `no_omission_markers: src/a.ts:${whole.split("\n").length}: export function a(): number {`
      ])
    })
  )

  it.effect("when another function of the file overrides it, then it is meant so", () =>
    Effect.map(
      refused({
        files: {
          "a.py":
            "class Base:\n    def f(self):\n        raise NotImplementedError\n\n\nclass One(Base):\n    def f(self):\n        return 1\n"
        }
      }),
      (found) => assert.deepStrictEqual(found, [])
    )
  )
})

describe("given files that the part names", () => {
  const missing = (prompt: string, paths: ReadonlyArray<string>, files = {}) =>
    refused({ files: { "src/done.ts": whole, ...files }, part: { prompt, paths } })

  it.effect("when one does not exist, then that is refused", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* missing("Create src/a.ts and src/done.ts.", ["src/a.ts", "src/done.ts"]), [
        "expected_files: src/a.ts: it does not exist"
      ])
      assert.deepStrictEqual(yield* missing("Rename src/old.ts to src/new.ts.", ["src/old.ts", "src/new.ts"]), [
        "expected_files: src/new.ts: it does not exist"
      ])
      assert.deepStrictEqual(yield* missing("Write Notes.md.", ["Notes.md"], { "notes.md": "x\n" }), [
        "expected_files: Notes.md: it does not exist; notes.md is written in another way"
      ])
      assert.deepStrictEqual(yield* missing("Create a.ts.", ["a.ts"], { "a.ts/b.ts": "export {}\n" }), [
        "expected_files: a.ts: it is not a file"
      ])
    })
  )

  it.effect("when the words say that it goes away, or it lies elsewhere, then it is not missed", () =>
    Effect.gen(function* () {
      const fine: ReadonlyArray<readonly [string, string]> = [
        ["Delete src/old.ts.", "src/old.ts"],
        ["Remove the helpers in `src/old.ts` and create src/done.ts.", "src/old.ts"],
        ["src/old.ts should be removed.", "src/old.ts"],
        ["src/old.tsを削除する", "src/old.ts"],
        ["Split src/old.ts into src/done.ts.", "src/old.ts"],
        ["Fix the bug in done.ts.", "done.ts"],
        ["Look at utils.ts.", "utils.ts"],
        ["Add types to src/*.ts.", "src/*.ts"],
        ["Support client/server mode.", "client/server"],
        ["Add tests below src.", "src"]
      ]
      for (const [prompt, path] of fine) assert.deepStrictEqual(yield* missing(prompt, [path]), [], prompt)
    })
  )
})

describe("given nothing that was changed", () => {
  const none = { files: {}, modified: [] }
  it.effect("when work was asked for, then that is refused", () =>
    Effect.map(refused(none), (found) =>
      assert.deepStrictEqual(found, [
        "evidence_present: no file of the project was changed by this part, and the report cites no evidence that holds"
      ])
    )
  )

  it.effect("when only an answer was asked for, or nobody has looked, then it passes", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* refused({ ...none, part: { changes_files: false } }), [])
      assert.deepStrictEqual(yield* refused({ ...none, modified: null }), [])
    })
  )
})
