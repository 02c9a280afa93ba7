import { createHash } from "node:crypto"
import { rmSync, symlinkSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import {
  type AnyEvent,
  type CommandOf,
  composePlugins,
  emptySnapshot,
  isLineFact,
  isLineReceipt,
  type Receipt,
  type RecordEvidence,
  type ReportedItem,
  recall,
  type Snapshot,
  taskOf,
  type Weakness
} from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import { layer as blobs } from "@proofline/plugins/adapters/file-blobs"
import { layer as workspaces } from "@proofline/plugins/adapters/git-workspaces"
import { layer as baseline } from "@proofline/plugins/adapters/node-baseline"
import { layer as digest } from "@proofline/plugins/adapters/node-digest"
import { layer as projectFiles } from "@proofline/plugins/adapters/node-project-files"
import { evidence } from "@proofline/plugins/policies/evidence"
import { Baseline } from "@proofline/plugins/ports"
import { Effect, Layer } from "effect"
import { meantPath } from "../../../packages/plugins/src/policies/evidence/meantPath.ts"
import { end, start, stateOf } from "../../kernel/support/words.ts"
import { carryOut } from "../carryOut.ts"
import { begin, type Files, git, room, write } from "../repositories.ts"
import { grammars } from "../tree-sitter/support.ts"

const startAttempt = start("task_1")

const endWith = (checklist: ReadonlyArray<ReportedItem> | null) =>
  end("task_1", 1, "COMPLETE", { report: { summary: "Done.", checklist, problems: [] } })

const project = (files: Files) =>
  Effect.tap(room("proofline-evidence-"), (root) => Effect.sync(() => write(root, files)))

const worldOf = (root: string) =>
  Layer.mergeAll(
    projectFiles({ root }),
    workspaces({ root, stateDir: Path.join(root, ".proofline", "state") }),
    digest,
    grammars,
    Layer.provide(baseline({ root }), blobsAt(root))
  )

const pluginAt = (root: string) => Effect.provide(evidence, worldOf(root))

/** The snapshot of a project lies where its state does. */
const blobsAt = (root: string) =>
  Layer.provide(blobs({ directory: Path.join(root, ".proofline", "state", "blobs") }), digest)

/** The rules with a run of one task in it. */
const runWith = (plugin: Effect.Success<typeof evidence>, items: ReadonlyArray<string>) =>
  given([], [plugin]).after(aRun([aTask("task_1", { checklist: items.map((item) => ({ item })) })]), startAttempt)

/** Given files and a registered checklist, when an agent reports: what was recorded of it. */
const whenReported = Effect.fnUntraced(function* (
  files: Files,
  items: ReadonlyArray<string>,
  checklist: ReadonlyArray<ReportedItem> | null
) {
  const root = yield* project(files)
  const plugin = yield* pluginAt(root)
  const run = runWith(plugin, items)
  const ended = run.when(endWith(checklist))
  const state = ended.step?.after
  assert.isDefined(state)
  const command = yield* look(plugin, state)
  assert.isNotNull(command)
  const decided = run.after(endWith(checklist)).when(command)
  assert.isNull(decided.rejected)
  const facts = command.facts.filter(isLineFact)
  return { events: decided.events, facts, command, plugin, root, run, state: decided.step?.after }
})

/** Carries out the activity as a worker does. */
const look = (plugin: Effect.Success<typeof evidence>, after: Snapshot, attempt = 1, task_id = "task_1") =>
  Effect.map(
    carryOut([plugin], "evidence", after, { task_id, attempt }),
    (command) => command as CommandOf<typeof RecordEvidence> | null
  )

const rejections = (events: ReadonlyArray<AnyEvent>) =>
  events.flatMap((event) =>
    event.type === "CHECKLIST_ITEM_REJECTED"
      ? [event.content as { index: number | null; key: string; error: string; message: string }]
      : []
  )

const keys = (events: ReadonlyArray<AnyEvent>) => rejections(events).map(({ key }) => key)
const types = (events: ReadonlyArray<AnyEvent>) =>
  events.map(({ type }) => type).filter((type) => /^(?:EVIDENCE|CHECKLIST)_/.test(type))

const lineReceipt = (receipt: Receipt | null | undefined) =>
  receipt != null && isLineReceipt(receipt) ? receipt : undefined

const done = (item: string, evidence: string): ReportedItem => ({ item, status: "done", evidence })

const auth = `import os

def login(user):
    return os.environ[user]

def logout(user):
    # TODO
    pass
`

describe("a checklist", () => {
  it.effect("given a task with a checklist, when it is registered, then every item is open", () =>
    Effect.gen(function* () {
      const plugin = yield* pluginAt("/")
      const { events, step } = given([], [plugin]).when(
        aRun([aTask("task_1", { checklist: [{ item: "Add login" }, { item: "Add logout" }] })])
      )
      assert.include(
        events.map(({ type }) => type),
        "CHECKLIST_REGISTERED"
      )
      const state = step?.after
      assert.isDefined(state)
      assert.deepStrictEqual(
        taskOf(stateOf(state), "task_1")?.items.map(({ item, status, verdict }) => [item, status, verdict]),
        [
          ["Add login", "pending", "unproven"],
          ["Add logout", "pending", "unproven"]
        ]
      )
    })
  )

  it.effect("given a task without a checklist, when it ends, then no evidence is asked for", () =>
    Effect.gen(function* () {
      const plugin = yield* pluginAt("/")
      const { rejected, step } = runWith(plugin, []).when(endWith(null))
      assert.isNull(rejected)
      assert.isFalse(step?.starts.some(({ activity }) => activity === "evidence"))
    })
  )

  it.effect("given no checklist, when evidence is recorded anyway, then 0 of 0 completes nothing", () =>
    Effect.gen(function* () {
      const { events } = yield* whenReported({}, [], null)
      assert.deepStrictEqual(types(events), ["EVIDENCE_CHECKED"])
    })
  )

  it.effect("given registered items, when the report names others, then checklist_items_mismatch", () =>
    Effect.gen(function* () {
      const { events } = yield* whenReported({ "auth.py": auth }, ["Add login"], [done("Add log-in", "auth.py:3-4")])
      assert.deepStrictEqual(keys(events), ["checklist_items_mismatch"])
      assert.strictEqual(rejections(events)[0]?.index, null)
      assert.notInclude(types(events), "CHECKLIST_COMPLETED")
    })
  )

  it.effect("given a registered checklist, when the report has none, then checklist_items_mismatch", () =>
    Effect.gen(function* () {
      const { events } = yield* whenReported({}, ["Add login"], null)
      assert.deepStrictEqual(keys(events), ["checklist_items_mismatch"])
    })
  )

  it.effect("given an item, when it is reported as pending, then checklist_item_pending", () =>
    Effect.gen(function* () {
      const { events } = yield* whenReported({}, ["Add login"], [{ item: "Add login", status: "pending" }])
      assert.deepStrictEqual(keys(events), ["checklist_item_pending"])
    })
  )

  it.effect("given an item, when it is done without evidence, then checklist_evidence_required", () =>
    Effect.gen(function* () {
      const { events } = yield* whenReported({}, ["Add login"], [{ item: "Add login", status: "done" }])
      assert.deepStrictEqual(keys(events), ["checklist_evidence_required"])
    })
  )

  it.effect.each([
    "auth.py:3",
    "auth.py:3-4",
    "src/services/auth.py:3",
    "src/services/auth.py:3-4",
    '"my dir/auth copy.py":3-4',
    "app/[id]/page.py:3",
    "認証/ログイン.py:3-4"
  ])("given the lines, when evidence is written as %s, then it is accepted", (text) =>
    Effect.gen(function* () {
      const paths = ["auth.py", "src/services/auth.py", "my dir/auth copy.py", "app/[id]/page.py", "認証/ログイン.py"]
      const files = Object.fromEntries(paths.map((path) => [path, auth]))
      const { events } = yield* whenReported(files, ["Add login"], [done("Add login", text)])
      assert.deepStrictEqual(types(events), ["EVIDENCE_CHECKED", "CHECKLIST_ITEM_ACCEPTED", "CHECKLIST_COMPLETED"])
    })
  )

  it.effect.each([
    "auth.py line 3",
    "line 3 in auth.py",
    "auth.py at line 3",
    "around auth.py:3",
    "auth.py の 3行目",
    "auth.py:3〜4",
    "3-4 in auth.py",
    "auth.py:4-3",
    "auth.py:0",
    "auth.py:3\n",
    "../auth.py:3",
    "/etc/hosts:1"
  ])("given the lines, when evidence is written as %j, then checklist_evidence_format_invalid", (text) =>
    Effect.gen(function* () {
      const { events, facts } = yield* whenReported({ "auth.py": auth }, ["Add login"], [done("Add login", text)])
      assert.deepStrictEqual(keys(events), ["checklist_evidence_format_invalid"])
      assert.deepInclude(facts[0], { index: 0, outcome: "format_invalid", receipt: null })
    })
  )

  it.effect("given no such file, when it is cited, then checklist_evidence_file_not_found", () =>
    Effect.gen(function* () {
      const { events } = yield* whenReported({}, ["Add login"], [done("Add login", "auth.py:3")])
      assert.deepStrictEqual(keys(events), ["checklist_evidence_file_not_found"])
      assert.match(rejections(events)[0]?.message ?? "", /^Evidence file not found: auth\.py\. Verify the file path/)
    })
  )

  it.effect.each([
    ["index.js:1", {}, "packages/minimist/index.js is probably meant."],
    ["lib/parse.js:1", {}, "packages/qs/lib/parse.js is probably meant."],
    ["file:index.js", {}, "packages/minimist/index.js is probably meant."],
    ["index.js:1", { "a/index.js": "" }, "a/index.js or packages/minimist/index.js may be meant."],
    ["index.js:1", { "a/index.js": "", "b/index.js": "", "c/index.js": "" }, null],
    ["dex.js:1", {}, null]
  ] as const)("given %s, which leads nowhere, then it is said what may be meant: %j", ([cited, more, meant]) =>
    Effect.gen(function* () {
      const files = { "packages/minimist/index.js": "var a = 1\n", "packages/qs/lib/parse.js": "var b = 1\n", ...more }
      const { events } = yield* whenReported(files, ["A"], [done("A", cited)])
      const [{ key, message } = { key: "", message: "" }] = rejections(events)
      assert.strictEqual(key, "checklist_evidence_file_not_found")
      if (meant === null) assert.notInclude(message, "meant")
      else assert.include(message, `Paths start at the root of the project: ${meant}`)
    })
  )

  it.effect(
    "given a path from the repository of which the project is a folder, then the path in the project is meant",
    () =>
      Effect.sync(() => {
        const paths = ["index.js", "test/index.js"]
        const of = (path: string) => meantPath(path, paths, "/work/repository/packages/minimist")
        assert.include(of("packages/minimist/index.js"), ": index.js is probably meant.")
        assert.include(of("minimist/test/index.js"), ": test/index.js is probably meant.")
        assert.strictEqual(of("packages/other/index.js"), "")
      })
  )

  it.effect("given a file without lines, when it is cited, then the file as a whole is offered", () =>
    Effect.gen(function* () {
      const of = Effect.fnUntraced(function* (evidence: string) {
        const { events } = yield* whenReported({ "a/README.md": "# A\n" }, ["A"], [done("A", evidence)])
        return rejections(events)[0]?.message ?? ""
      })
      const whole = yield* of("a/README.md")
      assert.include(
        whole,
        "It names no lines: cite those that show the item, or the file as a whole with `file:a/README.md`."
      )
      assert.strictEqual(whole.split("<start>-<end>").length, 2)
      assert.notInclude(yield* of("line 3 in README"), "file:")
    })
  )

  it.effect("given a directory, a link outside and no text, when they are cited, then each says why", () =>
    Effect.gen(function* () {
      const root = yield* project({ "src/a.py": auth, "bin.dat": new Uint8Array([0xff, 0xfe, 0x00]) })
      symlinkSync("/etc/hosts", Path.join(root, "hosts"))
      const plugin = yield* pluginAt(root)
      const checklist = [done("A", "src:1"), done("B", "hosts:1"), done("C", "bin.dat:1")]
      const run = runWith(plugin, ["A", "B", "C"]).after(endWith(checklist))
      const state = runWith(plugin, ["A", "B", "C"]).when(endWith(checklist)).step?.after
      assert.isDefined(state)
      const command = yield* look(plugin, state)
      assert.isNotNull(command)
      const { events } = run.when(command)
      assert.deepStrictEqual(keys(events), [
        "checklist_evidence_file_not_found",
        "checklist_evidence_file_not_found",
        "checklist_evidence_file_not_found"
      ])
      const [directory, link, binary] = rejections(events).map(({ message }) => message)
      assert.match(directory ?? "", /directory/)
      assert.match(link ?? "", /outside/)
      assert.match(binary ?? "", /text/)
    })
  )

  it.effect.each([
    ["auth.py:9", 9],
    ["auth.py:3-9999", 9999],
    ["auth.py:8-9", 9]
  ] as const)("given 8 lines, when %j is cited, then checklist_evidence_line_out_of_range", ([text, line]) =>
    Effect.gen(function* () {
      const { events } = yield* whenReported({ "auth.py": auth }, ["Add login"], [done("Add login", text)])
      assert.deepStrictEqual(keys(events), ["checklist_evidence_line_out_of_range"])
      assert.strictEqual(
        rejections(events)[0]?.message,
        `Evidence line ${line} exceeds file length (8 lines). Use a valid line number within 1-8.`
      )
    })
  )

  it.effect.each([
    ["auth.py:6-8", /^$/],
    ["auth.py:6", /^$/],
    ["auth.py:8", /^$/],
    ["auth.py:7", /^The lines hold only comments\. $/],
    ["auth.py:1", /^The lines hold only imports\. Cite the code that uses what is imported\. $/],
    ["auth.py:2", /^The lines hold only blank lines\. $/],
    ["auth.py:2-2", /^The lines hold only blank lines\. $/]
  ] as const)(
    "given a stub, a comment, an import, a blank line, when %s is cited, then checklist_evidence_empty_impl",
    ([text, expected]) =>
      Effect.gen(function* () {
        const { events } = yield* whenReported({ "auth.py": auth }, ["Add logout"], [done("Add logout", text)])
        assert.deepStrictEqual(keys(events), ["checklist_evidence_empty_impl"])
        const message = rejections(events)[0]?.message ?? ""
        const sentence = `Empty implementation detected at '${text}'. Contains only pass/TODO/NotImplementedError. `
        assert.include(message, sentence)
        // what the sentence does not speak of comes before it
        assert.match(message.split(sentence)[0] ?? "", expected)
      })
  )

  it.effect("given an item, when it is skipped without a reason, then checklist_reason_required", () =>
    Effect.gen(function* () {
      const { events } = yield* whenReported({}, ["Add login"], [{ item: "Add login", status: "skipped" }])
      assert.deepStrictEqual(keys(events), ["checklist_reason_required"])
    })
  )

  it.effect("given an item, when its reason has fewer than 10 characters, then checklist_reason_required", () =>
    Effect.gen(function* () {
      const report: ReadonlyArray<ReportedItem> = [{ item: "Add login", status: "skipped", reason: "not now  " }]
      const { events } = yield* whenReported({}, ["Add login"], report)
      assert.deepStrictEqual(keys(events), ["checklist_reason_required"])
    })
  )

  it.effect("given a correct report, when it is judged, then the checklist is complete and every receipt is kept", () =>
    Effect.gen(function* () {
      const { events, state } = yield* whenReported(
        { "auth.py": auth },
        ["Add login", "Add sessions"],
        [
          { item: "Add sessions", status: "skipped", reason: "Reusing existing SessionManager" },
          done("Add login", "auth.py:3-4")
        ]
      )
      assert.deepStrictEqual(types(events), [
        "EVIDENCE_CHECKED",
        "CHECKLIST_ITEM_ACCEPTED",
        "CHECKLIST_ITEM_ACCEPTED",
        "CHECKLIST_COMPLETED"
      ])
      assert.deepInclude(events.find(({ type }) => type === "CHECKLIST_COMPLETED")?.content, { proven: 1, waived: 1 })
      assert.isDefined(state)
      const receipt = lineReceipt(taskOf(stateOf(state), "task_1")?.items[0]?.receipt)
      assert.match(receipt?.declaration?.hash ?? "", /^[0-9a-f]{64}$/)
      assert.deepStrictEqual(
        taskOf(stateOf(state), "task_1")?.items.map(({ receipt, verdict }) => [verdict, receipt]),
        [
          [
            "proven",
            {
              kind: "lines",
              path: "auth.py",
              start: 3,
              end: 4,
              sha256: createHash("sha256").update("def login(user):\n    return os.environ[user]\n").digest("hex"),
              git_blob: null,
              git_commit: null,
              covers: {
                start: 3,
                end: 4,
                sha256: createHash("sha256").update("def login(user):\n    return os.environ[user]\n").digest("hex")
              },
              declaration: { name: "login", kind: "function", start: 3, end: 4, hash: receipt?.declaration?.hash ?? "" }
            }
          ],
          ["waived", null]
        ]
      )
    })
  )
})

it.effect("given all items and one nobody registered, when they are reported, then nothing is completed", () =>
  Effect.gen(function* () {
    const report = [done("Add login", "auth.py:3-4"), done("Add more", "auth.py:3-4")]
    const { events } = yield* whenReported({ "auth.py": auth }, ["Add login"], report)
    assert.deepStrictEqual(types(events), ["EVIDENCE_CHECKED", "CHECKLIST_ITEM_ACCEPTED", "CHECKLIST_ITEM_REJECTED"])
  })
)

describe("a receipt", () => {
  it.effect("covers the exact bytes of the lines: line ends, byte order mark and all", () =>
    Effect.gen(function* () {
      const text = "\ufeffconst a = 1\r\nconst é = '😀'\r\nconst c = 3"
      const { facts } = yield* whenReported(
        { "a.js": text },
        ["A", "B", "C"],
        [done("A", "a.js:1"), done("B", "a.js:2"), done("C", "a.js:3")]
      )
      const expected = ["\ufeffconst a = 1\r\n", "const é = '😀'\r\n", "const c = 3"]
      assert.deepStrictEqual(
        facts.map(({ receipt, total }) => [receipt?.sha256, total]),
        expected.map((part) => [createHash("sha256").update(part).digest("hex"), 3])
      )
    })
  )

  it.effect("counts no line after the last line end, and none in an empty file", () =>
    Effect.gen(function* () {
      const { facts } = yield* whenReported(
        { "a.js": "f()\n\n", "b.js": "" },
        ["A", "B"],
        [done("A", "a.js:3"), done("B", "b.js:1")]
      )
      assert.deepStrictEqual(
        facts.map(({ outcome, total }) => [outcome, total]),
        [
          ["out_of_range", 2],
          ["out_of_range", 0]
        ]
      )
    })
  )

  it.effect("names the blob and the commit that git itself names", () =>
    Effect.gen(function* () {
      const root = yield* project({ "auth.py": auth })
      const commit = begin(root, {})
      const plugin = yield* pluginAt(root)
      const state = runWith(plugin, ["A"]).when(endWith([done("A", "auth.py:3")])).step?.after
      assert.isDefined(state)
      const command = yield* look(plugin, state)
      const [receipt] = command?.facts.filter(isLineFact).map((fact) => fact.receipt) ?? []
      assert.strictEqual(receipt?.git_commit, commit)
      assert.strictEqual(receipt?.git_blob, git(root, "hash-object", "auth.py").trim())
    })
  )
})

describe("weak evidence", () => {
  /** Given a project and a run of these tasks that began in it, when it was changed and tasks are reported in turn. */
  const whenChanged = Effect.fnUntraced(function* (
    change: string,
    reports: Readonly<Record<string, ReadonlyArray<ReportedItem>>>,
    strict = false,
    between: (root: string) => void = () => {}
  ) {
    const root = yield* project({ "auth.py": auth })
    const base = yield* Baseline.pipe(
      Effect.flatMap((baseline) => baseline.capture),
      Effect.provide(worldOf(root))
    )
    const plugin = yield* pluginAt(root)
    const tasks = Object.entries(reports).map(([id, checklist]) =>
      aTask(id, { checks: [], checklist: checklist.map(({ item }) => ({ item })) })
    )
    const config = { evidence: { strict, ablation: false } }
    let run = given([], [plugin]).after({ ...aRun(tasks, config), base })
    writeFileSync(Path.join(root, "auth.py"), change)
    between(root)
    const events: Array<AnyEvent> = []
    for (const [task_id, checklist] of Object.entries(reports)) {
      run = run.after({ ...startAttempt, task_id })
      const end = { ...endWith(checklist), task_id }
      const state = run.when(end).step?.after
      assert.isDefined(state)
      const command = yield* look(plugin, state, 1, task_id)
      assert.isNotNull(command)
      run = run.after(end)
      events.push(...run.when(command).events)
      run = run.after(command)
    }
    return events
  })
  const weak = (events: ReadonlyArray<AnyEvent>) =>
    events.flatMap(({ content, type }) =>
      type === "CHECKLIST_ITEM_ACCEPTED"
        ? [(content as { readonly weak: ReadonlyArray<Weakness> }).weak.map(({ reason }) => reason)]
        : []
    )
  const grown = auth.replace("    return os.environ[user]\n", "    name = user.strip()\n    return os.environ[name]\n")

  it.effect("given a function of before the run, when it is cited unchanged, then it is accepted as weak", () =>
    Effect.gen(function* () {
      const events = yield* whenChanged(`${auth}\nx = 1\n`, { t: [done("A", "auth.py:3-4"), done("B", "auth.py:10")] })
      assert.deepStrictEqual(weak(events), [["untouched"], []])
      assert.include(types(events), "CHECKLIST_COMPLETED")
    })
  )

  it.effect("given a base whose blob is gone, when it is asked what changed, then that is named, and what to do", () =>
    Effect.gen(function* () {
      const events = yield* whenChanged(
        grown,
        { t: [done("A", "auth.py:3-5"), done("B", "absent:old.py")] },
        false,
        (root) => rmSync(Path.join(root, ".proofline", "state", "blobs"), { recursive: true })
      )
      const told = events.flatMap(({ content, type }) =>
        type === "CHECKLIST_ITEM_ACCEPTED" ? (content as { readonly weak: ReadonlyArray<Weakness> }).weak : []
      )
      assert.strictEqual(told.length, 2)
      for (const { message } of told)
        assert.match(
          message,
          /^Nobody can tell whether .+ run began\. What the project was when the run began cannot be read\. `proofline doctor` names .+ backup, or start a new run/
        )
    })
  )

  it.effect("given a function whose body was changed, when its signature is cited, then it is not weak", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(weak(yield* whenChanged(grown, { t: [done("A", "auth.py:3")] })), [[]])
    })
  )

  it.effect("given lines without code, when they were not changed, then that is said first, and otherwise not", () =>
    Effect.gen(function* () {
      const asked =
        /^None of these lines was changed since the run began\. .+\. Cite lines that were written for this item\. Empty .* Add actual implementation code\.$/
      const [old, young] = [`${auth}\n# new\n`, "auth.py:10"]
      const events = yield* whenChanged(old, { t: [done("A", "auth.py:1"), done("B", young)] })
      assert.deepStrictEqual(keys(events), ["checklist_evidence_empty_impl", "checklist_evidence_empty_impl"])
      assert.deepStrictEqual(
        rejections(events).map(({ message }) => [
          asked.test(message),
          message.startsWith("The lines hold only comments. Empty")
        ]),
        [
          [true, false],
          [false, true]
        ]
      )
    })
  )

  it.effect("given strict evidence, when untouched lines are cited, then checklist_evidence_weak", () =>
    Effect.gen(function* () {
      const events = yield* whenChanged(auth, { t: [done("A", "auth.py:3-4")] }, true)
      assert.deepStrictEqual(keys(events), ["checklist_evidence_weak"])
      assert.strictEqual(
        rejections(events)[0]?.message,
        "Evidence 'auth.py:3-4' shows too little: None of these lines was changed since the run began. Cite lines that were written for this item. If the work was done before the run began, its user can say since when: `--base <commit>`. What was true before is `skipped`, with that as the reason. Lines that were only removed are shown by both the line before their place and the line behind it."
      )
      assert.notInclude(types(events), "CHECKLIST_COMPLETED")
    })
  )

  it.effect("given lines that a task was accepted with, when another task cites them too, then that one is weak", () =>
    Effect.gen(function* () {
      const reports = { one: [done("A", "auth.py:3-5")], two: [done("B", "auth.py:3"), done("C", "auth.py:4")] }
      const events = yield* whenChanged(grown, reports)
      assert.deepStrictEqual(weak(events), [[], ["not_its_own"], ["not_its_own"]])
      assert.include(JSON.stringify(events), "is cited for 'C' and 1 more too")
      assert.include(JSON.stringify(events), "cite less for the others, or the lines that show this item alone.")
    })
  )

  it.effect("given lines of another task alone, then nobody is asked to cite less for it", () =>
    Effect.gen(function* () {
      const events = yield* whenChanged(grown, { one: [done("A", "auth.py:3-5")], two: [done("B", "auth.py:3")] })
      assert.deepStrictEqual(weak(events), [[], ["not_its_own"]])
      assert.notInclude(JSON.stringify(events), "cite less")
      assert.include(JSON.stringify(events), "Where nothing was left to do for it, it is `skipped`")
    })
  )
})

describe("the plugin", () => {
  it.effect("refuses evidence of another attempt, another task, and evidence judged before", () =>
    Effect.gen(function* () {
      const checklist = [done("A", "auth.py:3")]
      const { command, run } = yield* whenReported({ "auth.py": auth }, ["A"], checklist)
      const ended = run.after(endWith(checklist))
      assert.strictEqual(ended.when({ ...command, attempt: 2 }).rejected?.code, "attempt_not_current")
      assert.strictEqual(ended.when({ ...command, task_id: "task_2" }).rejected?.code, "attempt_not_current")
      assert.strictEqual(run.when(command).rejected?.code, "attempt_not_current", "it still runs")
      assert.strictEqual(ended.after(command).when(command).rejected?.code, "attempt_not_current")
      assert.isNull(ended.when(command).rejected)
    })
  )

  it.effect("has nothing to look at when the attempt is another one, or was judged", () =>
    Effect.gen(function* () {
      const { command, plugin, run, state } = yield* whenReported({ "auth.py": auth }, ["A"], [done("A", "auth.py:3")])
      assert.isDefined(state)
      assert.isNull(yield* look(plugin, state))
      const ended = run.when(endWith([done("A", "auth.py:3")])).step?.after
      assert.isDefined(ended)
      assert.isNull(yield* look(plugin, ended, 2))
      assert.isNotNull(yield* look(plugin, ended, command.attempt))
    })
  )

  it.effect("decides the same from what was recorded when the files are gone", () =>
    Effect.gen(function* () {
      const checklist = [done("A", "auth.py:3-4"), done("B", "auth.py:6-8"), done("C", "nowhere.py:1")]
      const { command, events, plugin, root, run } = yield* whenReported(
        { "auth.py": auth },
        ["A", "B", "C"],
        checklist
      )
      rmSync(root, { recursive: true })
      const composition = composePlugins([plugin])
      const again = recall(composition, emptySnapshot(composition), events)
      assert.deepStrictEqual(again, command)
      assert.deepStrictEqual(run.after(endWith(checklist)).when(command).events, events)
      assert.deepStrictEqual(keys(events), ["checklist_evidence_empty_impl", "checklist_evidence_file_not_found"])
    })
  )

  it.effect("reports every problem at once, each with item, key, fields and message", () =>
    Effect.gen(function* () {
      const { events } = yield* whenReported(
        { "auth.py": auth },
        ["A", "B", "C", "D", "E"],
        [
          done("A", "auth.py:3-4"),
          done("B", "auth.py:6-8"),
          done("C", "auth.py:99"),
          { item: "D", status: "pending" },
          { item: "F", status: "skipped", reason: "no" }
        ]
      )
      assert.deepStrictEqual(types(events), [
        "EVIDENCE_CHECKED",
        "CHECKLIST_ITEM_ACCEPTED",
        ...Array.from({ length: 5 }, () => "CHECKLIST_ITEM_REJECTED")
      ])
      assert.deepStrictEqual(
        rejections(events).map(({ error, index, key }) => [index, error, key]),
        [
          [null, "payload_mismatch", "checklist_items_mismatch"],
          [1, "payload_mismatch", "checklist_evidence_empty_impl"],
          [2, "payload_mismatch", "checklist_evidence_line_out_of_range"],
          [3, "payload_mismatch", "checklist_item_pending"],
          [null, "payload_mismatch", "checklist_reason_required"]
        ]
      )
    })
  )
})
