import { renameSync, rmSync, symlinkSync, truncateSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { type CommandOf, type RecordEvidence, taskOf, type WeakReason } from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import { layer as blobs } from "@proofline/plugins/adapters/file-blobs"
import { layer as workspaces } from "@proofline/plugins/adapters/git-workspaces"
import { layer as baseline } from "@proofline/plugins/adapters/node-baseline"
import { layer as digest } from "@proofline/plugins/adapters/node-digest"
import { layer as projectFiles } from "@proofline/plugins/adapters/node-project-files"
import { evidence } from "@proofline/plugins/policies/evidence"
import { Baseline } from "@proofline/plugins/ports"
import { Effect, Layer } from "effect"
import { endReporting, start, stateOf } from "../../kernel/support/words.ts"
import { carryOut } from "../carryOut.ts"
import { begin, type Files, git, room, write } from "../repositories.ts"
import { grammars } from "../tree-sitter/support.ts"

const repository = (files: Files) =>
  Effect.tap(room("proofline-files-"), (root) => Effect.sync(() => begin(root, files)))

const worldOf = (root: string) => {
  const state = Path.join(root, ".proofline", "state")
  const kept = Layer.provide(blobs({ directory: Path.join(state, "blobs") }), digest)
  return Layer.mergeAll(
    projectFiles({ root }),
    workspaces({ root, stateDir: state }),
    digest,
    grammars,
    Layer.provide(baseline({ root }), kept)
  )
}

interface Told {
  readonly accept?: ReadonlyArray<WeakReason>
  /** Items that may have been there before. */
  readonly existing?: boolean
  readonly isBaseKnown?: boolean
  /** What was recorded before it was asked whether a text is cited for code. */
  readonly isOfBefore?: boolean
}

const asOfBefore = (command: CommandOf<typeof RecordEvidence>): typeof command => ({
  ...command,
  facts: command.facts.map((fact) => {
    const { prose: _, ...rest } = { prose: undefined, ...fact }
    if (!("proof" in rest) || rest.proof === undefined) return rest
    const { prose: __, ...proof } = rest.proof
    return { ...rest, proof }
  })
})

const end = (task_id: string, claims: Readonly<Record<string, string>>) =>
  endReporting(
    task_id,
    1,
    Object.entries(claims).map(([item, text]) => ({ item, status: "done", evidence: text }))
  )

/** What becomes of the items of tasks that are reported in turn with this evidence, after the project was changed. */
const judged = Effect.fnUntraced(function* (
  root: string,
  change: (root: string) => void,
  tasks: ReadonlyArray<Readonly<Record<string, string>>>,
  { accept = [], existing = false, isBaseKnown = true, isOfBefore = false }: Told = {}
) {
  const world = worldOf(root)
  const captured = yield* Effect.provide(
    Effect.flatMap(Baseline, (found) => found.capture),
    world
  )
  const plugin = yield* Effect.provide(evidence, world)
  change(root)
  const specs = tasks.map((claims, i) =>
    aTask(`t${i}`, {
      checks: [],
      checklist: Object.keys(claims).map((item) => ({ item, ...(existing && { existing }) }))
    })
  )
  const config = { proof: { accept, max_waived: 0 }, evidence: { strict: false, ablation: false } }
  let run = given([], [plugin]).after({ ...aRun(specs, config), base: isBaseKnown ? captured : null })
  const found: Array<string> = []
  for (const [i, claims] of tasks.entries()) {
    run = run.after(start(`t${i}`))
    const ended = end(`t${i}`, claims)
    const state = run.when(ended).step?.after
    assert.isDefined(state)
    const recorded = yield* carryOut([plugin], "evidence", state, { task_id: `t${i}`, attempt: 1 })
    assert.isNotNull(recorded)
    const command = isOfBefore ? asOfBefore(recorded as CommandOf<typeof RecordEvidence>) : recorded
    const { events, step } = run.after(ended).when(command as CommandOf<typeof RecordEvidence>)
    run = run.after(ended, command)
    const refusals = events.flatMap(({ content, type }) =>
      type === "CHECKLIST_ITEM_REJECTED"
        ? [content as { item: string; key: string; message: string; fields: Record<string, string> }]
        : []
    )
    const items = step === null ? [] : (taskOf(stateOf(step.after), `t${i}`)?.items ?? [])
    for (const { item, verdict, weak } of items) {
      const refusal = refusals.find((one) => one.item === item)
      if (refusal !== undefined) found.push(`${refusal.key.slice(10)} ${refusal.fields["reasons"] ?? refusal.message}`)
      else found.push([verdict, ...weak.map(({ reason }) => reason)].join(" "))
    }
  }
  return found
})

const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3])
const code = "export const login = (user: string) => user.trim()\n"
const weak = (...reasons: ReadonlyArray<string>) => `evidence_weak ${reasons.join(", ")}`
const nothing = () => {}

describe("file:<path>", () => {
  const before = {
    "a.ts": code,
    "b.py": "def f(a):\n    return a\n",
    "logo.png": png,
    "notes.txt": "one\n",
    ".gitignore": "dist/\n",
    "dist.txt": ""
  }
  const changes: ReadonlyArray<readonly [what: string, change: Files, reference: string, becomes: string]> = [
    ["a new file of code", { "new.ts": code }, "new.ts", "proven"],
    ["a new file whose name has blanks", { "my dir/new file.ts": code }, '"my dir/new file.ts"', "proven"],
    ["a changed one", { "a.ts": `${code}export const logout = () => login("x")\n` }, "a.ts", "proven"],
    ["one that is cited by another spelling", { "new.ts": code }, "./new.ts", "proven"],
    ["an untouched one", {}, "a.ts", weak("untouched")],
    ["one touched by a blank", { "a.ts": `\n${code.replace("=>", "=>  ")}` }, "a.ts", weak("cosmetic")],
    ["one touched by a comment", { "a.ts": `// better\n${code}` }, "a.ts", weak("cosmetic")],
    ["one with other line ends", { "a.ts": code.replace("\n", "\r\n") }, "a.ts", weak("cosmetic")],
    ["a new file of what does nothing", { "new.js": "'login';\n" }, "new.js", "empty"],
    ["a barrel", { "index.ts": "export * from './a.js'\nexport { f } from './b.js'\n" }, "index.ts", "proven"],
    ["an empty file", { "py.typed": "" }, "py.typed", "proven"],
    ["a file of blanks", { "marker.txt": "\n  \n" }, "marker.txt", "proven"],
    ["an __init__ of a docstring", { "p/__init__.py": '"""The package."""\n' }, "p/__init__.py", "proven"],
    ["a source file of comments", { "c.ts": "// nothing here\n" }, "c.ts", "empty"],
    ["an empty source file", { "c.go": "" }, "c.go", "empty"],
    [
      "a source file that refers to others",
      { "c.d.ts": '/// <reference types="vite/client" />\n' },
      "c.d.ts",
      "proven"
    ],
    ["a file that was emptied", { "notes.txt": "" }, "notes.txt", "proven"],
    ["nothing but stubs", { "s.py": "def f():\n    pass\n\ndef g():\n    ...\n" }, "s.py", "empty"],
    ["a new binary file", { "new.png": png }, "new.png", "proven"],
    ["a changed binary file", { "logo.png": Uint8Array.from([...png, 9]) }, "logo.png", "proven"],
    ["an untouched binary file", {}, "logo.png", weak("untouched")],
    ["a text that became binary", { "notes.txt": png }, "notes.txt", "proven"],
    ["a file that git ignores", { "dist/a.png": png }, "dist/a.png", weak("ignored")],
    ["no file", {}, "nowhere.ts", "not_found"],
    ["a directory", { "d/a.ts": code }, "d", "not_found"],
    ["what leaves the project", {}, "../a.ts", "format"],
    ["an absolute path", {}, "/etc/hosts", "format"],
    ["lines behind the word", {}, "a.ts:1", "format"],
    ["what git keeps", {}, ".git/HEAD", "not_found"]
  ]
  const keys: Readonly<Record<string, string>> = {
    empty: "evidence_empty_impl Empty implementation detected",
    not_found: "evidence_file_not_found Evidence file not found",
    format: "evidence_format_invalid Evidence "
  }
  it.effect.each(changes)("given %s, when it is cited, then it is judged as what it is", ([, change, path, becomes]) =>
    Effect.gen(function* () {
      const root = yield* repository(before)
      const found = yield* judged(root, () => write(root, change), [{ A: `file:${path}` }])
      const expected = keys[becomes]
      if (expected === undefined) assert.deepStrictEqual(found, [becomes])
      else assert.include(found[0], expected)
    })
  )

  it.effect(
    "given tests that never run, when their file is cited, then it is weak; beside one that runs it is not",
    () =>
      Effect.gen(function* () {
        const root = yield* repository({})
        const skipped = "it.skip('a', () => { expect(f(1)).toBe(2) })\n"
        const change = () =>
          write(root, { "a.test.ts": skipped, "b.test.ts": `${skipped}it('b', () => { expect(f(2)).toBe(3) })\n` })
        assert.deepStrictEqual(yield* judged(root, change, [{ A: "file:a.test.ts" }, { B: "file:b.test.ts" }]), [
          weak("test_never_runs"),
          "proven"
        ])
      })
  )

  it.effect("given a file larger than any text that is read, when it is cited, then its digest decides", () =>
    Effect.gen(function* () {
      const root = yield* repository({})
      const change = () => {
        write(root, { "big.bin": "x" })
        truncateSync(Path.join(root, "big.bin"), 40 * 1_024 * 1_024)
      }
      assert.deepStrictEqual(yield* judged(root, change, [{ A: "file:big.bin" }]), ["proven"])
    })
  )

  it.effect("given links, when they are cited, then what they lead to counts, and nothing outside", () =>
    Effect.gen(function* () {
      const root = yield* repository(before)
      const change = () => {
        write(root, { "new.png": png })
        symlinkSync("a.ts", Path.join(root, "old-link"))
        symlinkSync("new.png", Path.join(root, "new-link"))
        symlinkSync("/etc/hosts", Path.join(root, "out-link"))
      }
      const claims = [{ A: "file:old-link" }, { B: "file:new-link" }, { C: "file:out-link" }]
      const [old, made, out] = yield* judged(root, change, claims)
      assert.deepStrictEqual([old, made], [weak("untouched"), "proven"])
      assert.include(out, "outside the project")
    })
  )

  it.effect("given a submodule, when it or a file in it is cited, then it is no file, and nobody can tell", () =>
    Effect.gen(function* () {
      const other = yield* repository({ "x.ts": code })
      const root = yield* repository(before)
      git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "sub")
      git(root, "commit", "-q", "-m", "sub")
      const [module, within] = yield* judged(root, nothing, [{ A: "file:sub" }, { B: "file:sub/x.ts" }])
      assert.include(module, "Cite the files in it")
      assert.strictEqual(within, weak("untouched"))
    })
  )

  it.effect("given a renamed file, when both names are cited, then one is new and the other gone", () =>
    Effect.gen(function* () {
      const root = yield* repository(before)
      const change = () => renameSync(Path.join(root, "a.ts"), Path.join(root, "z.ts"))
      assert.deepStrictEqual(yield* judged(root, change, [{ A: "file:z.ts", B: "absent:a.ts" }]), ["proven", "proven"])
    })
  )

  it.effect(
    "given the user accepts a reason, when it holds, then the item is weak; an existing one needs no change",
    () =>
      Effect.gen(function* () {
        const root = yield* repository(before)
        assert.deepStrictEqual(yield* judged(root, nothing, [{ A: "file:a.ts" }], { accept: ["untouched"] }), [
          "weak untouched"
        ])
        assert.deepStrictEqual(yield* judged(root, nothing, [{ A: "file:a.ts" }], { existing: true }), ["proven"])
        assert.deepStrictEqual(yield* judged(root, nothing, [{ A: "file:a.ts" }], { isBaseKnown: false }), ["proven"])
      })
  )

  it.effect(
    "given items that ask for code, when a text for people is cited, then it is prose, in lines and as a whole",
    () =>
      Effect.gen(function* () {
        const said = "The login function is there.\n"
        const change = (root: string) =>
          write(root, { "NOTES.md": said, "docs/a.rst": said, "a.js": "let a = f()\n", "b.txt": said })
        const claims = {
          "Implement the login function": "NOTES.md:1",
          "Write unit tests for it": "file:docs/a.rst",
          "A class that opens sessions": "file:b.txt",
          "A method a": "a.js:1"
        }
        const tried = Effect.fnUntraced(function* (told: Told) {
          return yield* judged(yield* repository({ "c.txt": "c\n" }), change, [claims], told)
        })
        const refused = [weak("prose"), weak("prose"), "proven", "proven"]
        assert.deepStrictEqual(yield* tried({}), refused)
        assert.deepStrictEqual(yield* tried({ existing: true }), refused)
        assert.deepStrictEqual(yield* tried({ accept: ["prose"] }), ["weak prose", "weak prose", "proven", "proven"])
        assert.deepStrictEqual(yield* tried({ isOfBefore: true }), ["proven", "proven", "proven", "proven"])
      })
  )

  it.effect("given items that name files, when another file is cited, then it is elsewhere", () =>
    Effect.gen(function* () {
      const root = yield* repository(before)
      const claims = [{ "Add login to src/auth.py": "file:x.png" }, { "Add the logo to y.svg": "file:y.svg" }]
      const change = () => write(root, { "x.png": png, "y.svg": "<svg><path d='M0 0'/></svg>\n" })
      assert.deepStrictEqual(yield* judged(root, change, claims), [weak("elsewhere"), "proven"])
    })
  )

  it.effect("given a file that is to be made into another, when it is gone, then the other one shows it", () =>
    Effect.gen(function* () {
      const old = { "src/a.js": code, "src/b.js": code, "src/c.js": code, "src/d.js": code }
      const root = yield* repository({ ...before, ...old })
      const names = ["a", "b", "c", "d", "e", "f"]
      const change = () => {
        write(root, Object.fromEntries(names.map((name) => [`src/${name}.ts`, code.replace("login", name)])))
        for (const name of ["a", "b", "e"]) rmSync(Path.join(root, `src/${name}.js`), { force: true })
      }
      const claims = [
        { "Convert src/a.js to TypeScript": "file:src/a.ts" },
        { "Port b.js to TypeScript": "src/b.ts:1" },
        // it is there still
        { "Convert src/c.js to TypeScript": "file:src/c.ts" },
        { "Rewrite d.js in TypeScript": "src/d.ts:1" },
        // it was not to be made into another
        { "Add the login to src/e.js": "file:src/e.ts" },
        { "Fix the login in src/e.js": "src/f.ts:1" }
      ]
      const elsewhere = Array.from({ length: 4 }, () => weak("elsewhere"))
      assert.deepStrictEqual(yield* judged(root, change, claims), ["proven", "proven", ...elsewhere])
    })
  )

  it.effect("given one file, when several items cite it, then none has anything of its own", () =>
    Effect.gen(function* () {
      const root = yield* repository(before)
      const change = () => write(root, { "x.png": png, "n.ts": code })
      assert.deepStrictEqual(yield* judged(root, change, [{ A: "file:x.png", B: "file:./x.png" }]), [
        weak("not_its_own"),
        weak("not_its_own")
      ])
      const root2 = yield* repository(before)
      const later = () => write(root2, { "x.png": png, "n.ts": code })
      const claims = [{ A: "file:x.png" }, { B: "file:x.png" }, { C: "file:n.ts" }, { D: "n.ts:1" }]
      assert.deepStrictEqual(yield* judged(root2, later, claims), [
        "proven",
        weak("not_its_own"),
        "proven",
        weak("not_its_own")
      ])
    })
  )

  it.effect(
    "given a file as a whole beside lines of it, when it holds more than they do, then both show something",
    () =>
      Effect.gen(function* () {
        const two = `${code}\nexport function b(n: number) {\n  return n - 1\n}\n`
        const root = yield* repository(before)
        const change = () => write(root, { "n.ts": two })
        const parts = { B: "n.ts:3-5", whole: "file:n.ts" }
        assert.deepStrictEqual(yield* judged(root, change, [parts]), ["proven", "proven"])
        // nothing is left for the whole: only that is refused, not what is shown by lines
        const root2 = yield* repository(before)
        const again = () => write(root2, { "n.ts": two })
        assert.deepStrictEqual(yield* judged(root2, again, [{ A: "n.ts:1", ...parts }]), [
          "proven",
          "proven",
          weak("not_its_own")
        ])
      })
  )

  it.effect("given a file that is called file, when a line of it is cited, then it is a line", () =>
    Effect.gen(function* () {
      const root = yield* repository({})
      assert.deepStrictEqual(yield* judged(root, () => write(root, { file: "one\ntwo\n" }), [{ A: "file:2" }]), [
        "proven"
      ])
    })
  )
})

describe("absent:<path>", () => {
  it.effect("given what was removed, was never there, is still there, or came back as something else", () =>
    Effect.gen(function* () {
      const root = yield* repository({
        "a.ts": code,
        "logo.png": png,
        "d/x.ts": code,
        "kept.ts": code,
        "link.ts": code
      })
      write(root, { "draft.txt": "not committed\n" })
      const change = () => {
        for (const path of ["a.ts", "logo.png", "d", "draft.txt", "link.ts"]) {
          rmSync(Path.join(root, path), { recursive: true })
        }
        symlinkSync("nowhere", Path.join(root, "link.ts"))
      }
      const cited = ["a.ts", "logo.png", "d", "d/x.ts", "draft.txt", "never.ts", "kept.ts", "link.ts", "a.ts/b", "../x"]
      const found = yield* judged(
        root,
        change,
        cited.map((path) => ({ A: `absent:${path}` }))
      )
      assert.deepStrictEqual(found.slice(0, 6), ["proven", "proven", "proven", "proven", "proven", weak("untouched")])
      assert.include(found[6], "evidence_refuted")
      assert.include(found[6], "kept.ts is still there (a file).")
      assert.include(found[7], "link.ts is still there (a link).")
      assert.strictEqual(found[8], weak("untouched"))
      assert.include(found[9], "evidence_format_invalid")
    })
  )

  it.effect("given one removal, when two items cite it, then neither has anything of its own", () =>
    Effect.gen(function* () {
      const root = yield* repository({ "a.ts": code })
      const change = () => rmSync(Path.join(root, "a.ts"))
      const claims = [{ A: "absent:a.ts", B: "absent:a.ts" }]
      assert.deepStrictEqual(yield* judged(root, change, claims), [weak("not_its_own"), weak("not_its_own")])
    })
  )

  it.effect("given no repository, when a file is removed, then it holds all the same", () =>
    Effect.gen(function* () {
      const root = yield* room("proofline-files-")
      write(root, { "a.ts": code, "b.ts": code })
      const change = () => rmSync(Path.join(root, "a.ts"))
      assert.deepStrictEqual(yield* judged(root, change, [{ A: "absent:a.ts" }, { B: "absent:c.ts" }]), [
        "proven",
        weak("untouched")
      ])
    })
  )

  it.effect("given an item that asks to delete several files, when one of them is left, then it is still there", () =>
    Effect.gen(function* () {
      const there = { "A.md": "a\n", "b.js": code, "src/c.js": code, "src/d.js": code }
      const gone = (...paths: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const root = yield* repository(there)
          const change = () => {
            for (const path of paths) rmSync(Path.join(root, path))
          }
          const claims = { "Delete A.md and b.js": "absent:A.md", "Remove c.js and d.js": "absent:src/c.js" }
          return yield* judged(root, change, [claims])
        })
      assert.deepStrictEqual(yield* gone("A.md", "src/c.js"), [weak("still_there"), weak("still_there")])
      assert.deepStrictEqual(yield* gone("A.md", "b.js", "src/c.js", "src/d.js"), ["proven", "proven"])
      const root = yield* repository(there)
      const change = () => rmSync(Path.join(root, "A.md"))
      assert.deepStrictEqual(yield* judged(root, change, [{ "Delete A.md and use b.js instead": "absent:A.md" }]), [
        "proven"
      ])
    })
  )
})

describe("a function that looks like a test and is none", () => {
  const go = 'package a\n\nfunc checkAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal("wrong")\n\t}\n}\n'
  const js = "import test from 'ava'\nimport f from './f.js'\n\ntest('f', t => { t.is(f(1), 1) })\n"
  const more = "\nexport const two = t => {\n  t.is(f(2), 2)\n}\n"
  const py = "from a import f\n\n\ndef test_one():\n    assert f(1) == 1\n"
  const dead = "\n\ndef check_two():\n    assert f(2) == 2\n"
  const before = { "test.js": js, "tests/test_a.py": py, "a.go": "package a\n" }
  const change = { "test.js": js + more, "tests/test_a.py": py + dead, "a_test.go": go }
  const claims = {
    "Test f in test.js": "test.js:6-8",
    "Test f in tests/test_a.py": "tests/test_a.py:8-9",
    "Test Add()": "file:a_test.go"
  }
  const refused = weak("test_never_runs")

  it.effect("given no file that names it, when it is cited, then nothing runs it", () =>
    Effect.gen(function* () {
      const root = yield* repository(before)
      assert.deepStrictEqual(yield* judged(root, () => write(root, change), [claims]), [refused, refused, refused])
    })
  )

  const honest: ReadonlyArray<readonly [what: string, files: Files, found: ReadonlyArray<string>]> = [
    ["another file of tests", { "more.test.js": "import { two } from './test.js'\n" }, ["proven", refused, refused]],
    ["another test of the folder", { "b_test.go": "package a\n\nvar all = checkAdd\n" }, [refused, refused, "proven"]],
    ["a test of another folder", { "b/b_test.go": "package b\n\nvar all = checkAdd\n" }, [refused, refused, refused]],
    [
      "settings of pytest",
      { "setup.cfg": "[tool:pytest]\npython_functions = test check\n" },
      [refused, "proven", refused]
    ],
    ["settings without it", { "pytest.ini": "[pytest]\naddopts = -q\n" }, [refused, refused, refused]]
  ]
  it.effect.each(honest)("given %s, when it is cited, then what names it may run it", ([, files, found]) =>
    Effect.gen(function* () {
      const root = yield* repository({ ...before, ...files })
      assert.deepStrictEqual(yield* judged(root, () => write(root, change), [claims]), found)
    })
  )

  it.effect(
    "given an item that asks for what tests share, or for it by name, when it is cited, then it is what is asked for",
    () =>
      Effect.gen(function* () {
        const root = yield* repository(before)
        const asked = {
          "Add the helper two to test.js": "test.js:6-8",
          "Add check_two() to tests/test_a.py": "tests/test_a.py:8-9"
        }
        assert.deepStrictEqual(yield* judged(root, () => write(root, change), [asked]), ["proven", "proven"])
      })
  )
})
