import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { effect } from "../../effects.ts"
import { aContract, explored, phases } from "./rules/playing.ts"
import { alone } from "./servers.ts"

interface Told {
  readonly key: string
  readonly item: string | null
  readonly message: string
  readonly fields: Readonly<Record<string, string>>
}

const failuresIn = (body: unknown) => (body as { readonly failures?: ReadonlyArray<Told> }).failures ?? []
const keysIn = (body: unknown) => failuresIn(body).map(({ key }) => key)

const item = (name: string, evidence: unknown = "src/ledger.ts:1-3") => ({ item: name, status: "done", evidence })
const report = (...checklist: ReadonlyArray<unknown>) => ({ summary: "Done.", checklist })

describe("an exploration of files that are not there", () => {
  const looked = Effect.fnUntraced(function* (explored_files: unknown, setup: Parameters<typeof alone>[0] = {}) {
    const { call } = yield* alone(setup)
    const { body } = yield* call("submit_phase", { data: { ...explored, explored_files } })
    const [failure] = failuresIn(body)
    return failure === undefined ? body["phase"] : [failure.key, failure.fields["files"]]
  })

  effect("is refused with them, however they are written, and each once", function* () {
    const files = ["src/a.ts", "src/b.ts:3", "./src/b.ts", "lib/c.ts", "src/ledger.ts"]
    assert.deepStrictEqual(yield* looked(files), ["explored_file_not_found", "src/b.ts, lib/c.ts"])
    assert.deepStrictEqual(yield* looked(JSON.stringify(files)), ["explored_file_not_found", "src/b.ts, lib/c.ts"])
  })

  effect("is taken where all are there", function* () {
    assert.strictEqual(yield* looked(["src/a.ts", "src/ledger.ts:1-2"]), "READY_PLAN")
    assert.strictEqual(yield* looked(' ["src/a.ts"]'), "READY_PLAN")
  })

  effect("is looked at only for fields that name files", function* () {
    const EXPLORATION = { ...phases.EXPLORATION, explores: [] }
    const contract = aContract({ phases: { ...phases, EXPLORATION } })
    assert.strictEqual(yield* looked(["src/b.ts"], { contract }), "READY_PLAN")
  })

  effect("is looked at for those of every phase whose payloads are taken", function* () {
    const READY_PLAN = { ...phases.READY_PLAN, also: ["EXPLORATION"] }
    const { call } = yield* alone({ contract: aContract({ phases: { ...phases, READY_PLAN } }) })
    yield* call("submit_phase", { data: explored })
    const { body } = yield* call("submit_phase", { data: { ...explored, explored_files: ["src/b.ts"] } })
    assert.deepStrictEqual(keysIn(body), ["explored_file_not_found"])
  })

  effect("is looked at for the first five hundred files", function* () {
    const there = (count: number) => Array.from({ length: count }, (_, i) => `src/a.${i}.ts`)
    assert.deepStrictEqual(yield* looked([...there(499), "src/b.ts"]), ["explored_file_not_found", "src/b.ts"])
    assert.strictEqual(yield* looked([...there(500), "src/b.ts"]), "READY_PLAN")
  })
})

describe("a task that is done, when it is reported again", () => {
  const done = Effect.gen(function* () {
    const { call, load, works } = yield* Effect.map(alone(), ({ alice, server }) => ({
      ...alice,
      load: server.load(alice.opened.run)
    }))
    yield* works({ id: "a", checklist: ["one", "two"] }, "b")
    const first = yield* call("complete_task", { task_id: "a", data: report(item("one"), item("two")) })
    assert.isTrue(first.ok, JSON.stringify(first.body))
    const attempts = Effect.map(load, ({ tasks }) => [...tasks.byId].find(([id]) => id === "a")?.[1].attempts)
    return { call, attempts }
  })

  effect("is shown anew where the report holds", function* () {
    const { attempts, call } = yield* done
    const data = report(item("one", "src/ledger.ts:1-2"), item("two"))
    // both items cite the same lines
    assert.deepInclude((yield* call("complete_task", { task_id: "a", data })).body, { success: true, verdict: "weak" })
    assert.strictEqual(yield* attempts, 2)
  })

  effect("stays as it is where it does not, with every reason", function* () {
    const { attempts, call } = yield* done
    const data = report(item("one", "src/nowhere.ts:1"), item("two", "src/ledger.ts:99"))
    const { body, ok } = yield* call("complete_task", { task_id: "a", data })
    assert.isFalse(ok)
    assert.deepStrictEqual(
      failuresIn(body).map(({ item, key }) => [item, key]),
      [
        ["one", "checklist_evidence_file_not_found"],
        ["two", "checklist_evidence_line_out_of_range"]
      ]
    )
    assert.strictEqual(yield* attempts, 1)
  })

  effect("is answered as before where it is the same report", function* () {
    const { attempts, call } = yield* done
    const { ok } = yield* call("complete_task", { task_id: "a", data: report(item("one"), item("two")) })
    assert.deepStrictEqual([ok, yield* attempts], [true, 1])
  })

  effect("is refused for what can be seen without a look", function* () {
    const { attempts, call } = yield* done
    const { body } = yield* call("complete_task", { task_id: "a", data: report(item("one")) })
    assert.deepStrictEqual([keysIn(body).length > 0, yield* attempts], [true, 1])
  })
})

describe("a report that is refused for a field of another type", () => {
  const refused = Effect.fnUntraced(function* (...checklist: ReadonlyArray<unknown>) {
    const { call, works } = yield* alone()
    yield* works({ id: "a", checklist: ["one", "two"] })
    const { body, ok } = yield* call("complete_task", { task_id: "a", data: report(...checklist) })
    assert.isFalse(ok)
    return failuresIn(body).map(({ item, key }) => [item, key] as const)
  })
  const unread = { item: "two", status: "done", evidence: 7 }

  effect("is told beside it what is wrong with the evidence that can be read, and of nothing else", function* () {
    const both = yield* refused(item("one", "src/nowhere.ts:1"), unread)
    assert.deepInclude(both, ["one", "checklist_evidence_file_not_found"])
    assert.lengthOf(both, 2)
    const one = yield* refused(item("one"), unread)
    assert.deepStrictEqual(
      one,
      both.filter(([name]) => name !== "one")
    )
  })

  effect("is told evidence once where every field can be read", function* () {
    const told = yield* refused(item("one", "src/nowhere.ts:1"), item("two"))
    assert.deepStrictEqual(told, [["one", "checklist_evidence_file_not_found"]])
  })

  effect("is told nothing of evidence where it has no list, or is of a task without a checklist", function* () {
    const { call, works } = yield* alone()
    yield* works("a", { id: "b", checklist: null })
    for (const [task_id, checklist] of [
      ["a", 7],
      ["b", [item("one", "src/nowhere.ts:1")]]
    ] as const) {
      const { body } = yield* call("complete_task", { task_id, data: { summary: 3, checklist } })
      assert.isFalse(
        keysIn(body).some((key) => key.startsWith("checklist_evidence")),
        task_id
      )
    }
  })
})
