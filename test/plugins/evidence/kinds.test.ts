import { assert, describe, it } from "@effect/vitest"
import {
  type AnyEvent,
  type CommandOf,
  composePlugins,
  definePlugin,
  emptySnapshot,
  itemId,
  type Json,
  type Plugin,
  PluginFault,
  type ProofConfig,
  plugin,
  type RecordEvidence,
  type ReportedItem,
  recall,
  type WeakReason
} from "@proofline/kernel"
import { acceptsWeak, aRun, aTask, given } from "@proofline/kernel/testing"
import { Evidence, evidence, evidenceKind, evidenceKinds, evidenceRegex } from "@proofline/plugins/policies/evidence"
import { Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { letOthersGoOn } from "../../kernel/support/letOthersGoOn.ts"
import { digest, recordedOf, replayOf } from "../../kernel/support/recorded.ts"
import { endReporting, start, stateOf, task as taskIn } from "../../kernel/support/words.ts"
import { carryOut } from "../carryOut.ts"
import { nowhere } from "../nowhere.ts"

const Answer = Schema.Struct({ status: Schema.Int, body: Schema.String })

/** `url:<address>` of a plugin from outside, with a world that answers like this. */
const urlEvidence = (answers: Readonly<Record<string, typeof Answer.Type>>, looked: Array<string> = []): Plugin => {
  const header = plugin("url-evidence", { state: null, after: [Evidence] })
  const kind = evidenceKind({
    scheme: "url",
    schema: Answer,
    look: (url) =>
      Effect.sync(() => {
        looked.push(url)
        return answers[url] ?? { status: 404, body: "" }
      }),
    judge: ({ body, status }, item) => {
      if (status !== 200) return { holds: false, message: `It answered ${status}.` }
      return body.includes(item) ? { holds: true } : { holds: false, message: `It does not speak of "${item}".` }
    }
  })
  return definePlugin(header, { version: "1", parts: [header.offer(evidenceKinds, "kind", kind)] })
}

const endWith = (checklist: ReadonlyArray<ReportedItem>) => endReporting("t", 1, checklist)

const done = (item: string, text: string): ReportedItem => ({ item, status: "done", evidence: text })

/** A run of one task with these items, whose attempt reports them done with this evidence, and what comes of it. */
const whenReported = Effect.fnUntraced(function* (
  claims: { readonly [item: string]: string },
  kinds: ReadonlyArray<Plugin>,
  policy: typeof evidence = evidence,
  proof: ProofConfig = acceptsWeak
) {
  const plugins = [yield* Effect.provide(policy, nowhere), ...kinds]
  const checklist = Object.entries(claims).map(([item, text]) => done(item, text))
  const items = Object.keys(claims).map((item) => ({ item }))
  const run = given([], plugins).after(
    aRun([aTask("t", { checks: [], checklist: items })], { proof }),
    start("t"),
    endWith(checklist)
  )
  const command = (yield* carryOut(plugins, "evidence", run.snapshot, { task_id: "t", attempt: 1 })) as CommandOf<
    typeof RecordEvidence
  >
  return { plugins, run, command, ...run.when(command) }
})

const rejections = (events: ReadonlyArray<AnyEvent>) =>
  events.flatMap(({ content, type }) =>
    type === "CHECKLIST_ITEM_REJECTED" ? [content as { readonly key: string; readonly message: string }] : []
  )

const health = "https://example.org/health"
const healthy = { [health]: { status: 200, body: "Add health" } }

describe("evidence of a kind that a plugin declares", () => {
  it.effect("when it holds, then the item is proven and its receipt keeps scheme, reference and fact", () =>
    Effect.gen(function* () {
      const looked: Array<string> = []
      const { command, step } = yield* whenReported({ "Add health": `url:${health}` }, [urlEvidence(healthy, looked)])
      assert.deepStrictEqual(looked, [health])
      const fact = { status: 200, body: "Add health" }
      assert.deepStrictEqual(command.facts, [{ index: 0, evidence: `url:${health}`, scheme: "url", fact }])
      const task = taskIn(stateOf(step?.after), "t")
      assert.strictEqual(task.status, "completed")
      assert.strictEqual(task.items[0]?.verdict, "proven")
      assert.deepStrictEqual(task.items[0]?.receipt, { kind: "kind", scheme: "url", reference: health, fact })
    })
  )

  it.effect("when it does not hold, then checklist_evidence_refuted says what the kind says", () =>
    Effect.gen(function* () {
      const claims = { "Add health": "url:https://example.org/nowhere", "Add more": `url:${health}` }
      const { events, step } = yield* whenReported(claims, [urlEvidence(healthy)])
      assert.deepStrictEqual(
        rejections(events).map(({ key, message }) => [key, message]),
        [
          ["checklist_evidence_refuted", "Evidence 'url:https://example.org/nowhere' does not hold. It answered 404."],
          ["checklist_evidence_refuted", `Evidence 'url:${health}' does not hold. It does not speak of "Add more".`]
        ]
      )
      assert.deepStrictEqual(
        taskIn(stateOf(step?.after), "t").items.map(({ verdict }) => verdict),
        ["refuted", "refuted"]
      )
    })
  )

  it.effect.each([
    ["no struct", "200"],
    ["a field of another type", { status: "200", body: "Add health" }],
    ["a field left out", { status: 200 }],
    ["a field that nobody knows", { status: 200, body: "Add health", more: 1 }]
  ] as ReadonlyArray<readonly [string, Json]>)("when the fact is %s, then it does not hold", ([, fact]) =>
    Effect.gen(function* () {
      const { command, run } = yield* whenReported({ "Add health": `url:${health}` }, [urlEvidence(healthy)])
      const { events } = run.when({ ...command, facts: command.facts.map((one) => ({ ...one, fact })) })
      assert.deepStrictEqual(
        rejections(events).map(({ key }) => key),
        ["checklist_evidence_refuted"]
      )
      assert.include(rejections(events)[0]?.message, "does not fit the schema of url")
    })
  )

  it.effect("when the fact is missing, or is about something else, then it does not hold", () =>
    Effect.gen(function* () {
      const { command, run } = yield* whenReported({ "Add health": `url:${health}` }, [urlEvidence(healthy)])
      const [fact] = command.facts
      assert.isDefined(fact)
      for (const facts of [[], [{ ...fact, evidence: "url:https://example.org" }], [{ ...fact, scheme: "ticket" }]]) {
        const { events } = run.when({ ...command, facts })
        assert.deepStrictEqual(
          rejections(events).map(({ message }) => message),
          [`Evidence 'url:${health}' does not hold. Nobody looked at it.`]
        )
      }
    })
  )

  it.effect("is looked at beside lines, and facts come in the order of the report", () =>
    Effect.gen(function* () {
      const { command, events } = yield* whenReported({ A: "a.py:1", "Add health": `url:${health}`, B: "b.py:2" }, [
        urlEvidence(healthy)
      ])
      assert.deepStrictEqual(
        command.facts.map((fact) => [fact.index, "scheme" in fact ? fact.scheme : fact.outcome]),
        [
          [0, "file_not_found"],
          [1, "url"],
          [2, "file_not_found"]
        ]
      )
      assert.deepStrictEqual(
        rejections(events).map(({ key }) => key),
        ["checklist_evidence_file_not_found", "checklist_evidence_file_not_found"]
      )
    })
  )

  it.effect("when looking at it breaks, then the fault names the plugin, the hook and the scheme", () =>
    Effect.gen(function* () {
      const header = plugin("url-evidence", { state: null, after: [Evidence] })
      const look = () => Effect.die(new Error("boom"))
      const kind = evidenceKind({ scheme: "url", schema: Answer, look, judge: () => ({ holds: true }) })
      const broken = definePlugin(header, { version: "1", parts: [header.offer(evidenceKinds, "kind", kind)] })
      const fault = yield* whenReported({ "Add health": `url:${health}` }, [broken]).pipe(
        Effect.as(null),
        Effect.catchDefect((defect) => Effect.succeed(defect))
      )
      assert.instanceOf(fault, PluginFault)
      assert.strictEqual(fault.message, "Plugin url-evidence, look of url: boom")
    })
  )

  const note = { status: 200, body: "" }
  const holding = () => ({ holds: true }) as const
  const broken: ReadonlyArray<readonly [string, object, string]> = [
    ["look", { look: () => Effect.fail(new Error("no ink")) }, "no ink"],
    ["look", { look: () => Effect.interrupt }, "It interrupted itself."],
    ["look", { look: async () => note }, "It answered a Promise, no Effect."],
    [
      "look",
      {
        look: () => {
          throw new Error("no ink")
        }
      },
      "no ink"
    ],
    [
      "path",
      {
        path: () => {
          throw new Error("no ink")
        }
      },
      "no ink"
    ],
    ["path", { path: () => 5 }, "It answered 5, no text, and not null."],
    [
      "judge",
      { judge: () => undefined },
      "It answered undefined, neither { holds: true } nor { holds: false, message }."
    ],
    ["judge", { judge: () => true }, "It answered true, neither"],
    ["judge", { judge: () => ({ holds: "no" }) }, 'It answered {"holds":"no"}, neither'],
    ["judge", { judge: () => ({ holds: false }) }, "which says in no `message` why it does not hold."],
    [
      "judge",
      { judge: () => ({ holds: false, message: "", key: "no" }) },
      "whose `key` is none of checklist_evidence_"
    ],
    ["judge", { judge: () => ({ holds: true, shows: 1 }) }, "whose `weak` or `shows` is no list of them."]
  ]
  it.effect.each(broken)("when its %s is wrong, then the fault names the plugin, the hook and the scheme", (given) =>
    Effect.gen(function* () {
      const [hook, hooks, problem] = given
      const header = plugin("notes", { state: null, after: [Evidence] })
      const kind = evidenceKind({
        scheme: "note",
        schema: Answer,
        look: () => Effect.succeed(note),
        judge: holding,
        ...(hooks as object)
      })
      const notes = definePlugin(header, { version: "1", parts: [header.offer(evidenceKinds, "kind", kind)] })
      const fault = yield* whenReported({ A: "note:1" }, [notes]).pipe(
        Effect.as(null),
        Effect.catchDefect((defect) => Effect.succeed(defect))
      )
      assert.instanceOf(fault, PluginFault)
      assert.deepStrictEqual([fault.plugin, fault.where], ["notes", `${hook} of note`])
      assert.include(fault.problem, problem)
    })
  )

  it.effect("when it looks for too long, then the fault says how long", () =>
    Effect.gen(function* () {
      const header = plugin("notes", { state: null, after: [Evidence] })
      const kind = evidenceKind({ scheme: "note", schema: Answer, look: () => Effect.never, judge: holding })
      const notes = definePlugin(header, { version: "1", parts: [header.offer(evidenceKinds, "kind", kind)] })
      const looking = yield* whenReported({ A: "note:1" }, [notes]).pipe(
        Effect.as(null),
        Effect.catchDefect((defect) => Effect.succeed(defect)),
        Effect.forkChild
      )
      yield* letOthersGoOn
      yield* TestClock.adjust(60_000)
      const fault = yield* Fiber.join(looking)
      assert.instanceOf(fault, PluginFault)
      assert.strictEqual(fault.message, "Plugin notes, look of note: It did not look at 1 within 60 s.")
    })
  )

  it.effect.each([
    ["a scheme that nobody has declared", `ticket:${health}`],
    ["a scheme in capitals", `URL:${health}`],
    ["a scheme without a reference", "url: "],
    ["a reference with a line end", `url:${health}\n`],
    ["a reference that is too long", `url:${"a".repeat(2_000)}`]
  ] as const)("when it is %s, then checklist_evidence_format_invalid", ([, text]) =>
    Effect.gen(function* () {
      const looked: Array<string> = []
      const { events } = yield* whenReported({ "Add health": text }, [urlEvidence(healthy, looked)])
      assert.deepStrictEqual(
        rejections(events).map(({ key }) => key),
        ["checklist_evidence_format_invalid"]
      )
      assert.deepStrictEqual(looked, [])
    })
  )

  it.effect("is judged again by a replay, from the record alone", () =>
    Effect.gen(function* () {
      const looked: Array<string> = []
      const { command, events, plugins, run } = yield* whenReported({ "Add health": `url:${health}`, B: "url:b" }, [
        urlEvidence(healthy, looked)
      ])
      const composition = composePlugins(plugins)
      assert.deepStrictEqual(recall(composition, emptySnapshot(composition), events), command)
      assert.deepStrictEqual(run.when(command).events, events)
      assert.deepStrictEqual(looked, [health, "b"])
    })
  )

  it.effect("is found to be judged otherwise by a replay whose kind judges otherwise", () =>
    Effect.gen(function* () {
      const url = urlEvidence(healthy)
      const plugins = [yield* Effect.provide(evidence, nowhere), url]
      const first = aRun([aTask("t", { checks: [], checklist: [{ item: "Add health" }] })])
      const item_id = itemId(digest.uuid5, "run_1", "attempt/t/1")
      const commands = [first, start("t", 1, { item_id }), endWith([done("Add health", `url:${health}`)])]
      let run = given([], plugins)
      const batches: Array<ReadonlyArray<AnyEvent>> = []
      for (const command of commands) {
        batches.push(run.when(command).events)
        run = run.after(command)
      }
      const looked = yield* carryOut(plugins, "evidence", run.snapshot, { task_id: "t", attempt: 1 })
      assert.isNotNull(looked)
      batches.push(run.when(looked).events)
      const log = recordedOf(composePlugins(plugins), batches)
      const replayed = (composition: ReturnType<typeof composePlugins>) => {
        return replayOf(composition, log)
      }
      assert.isNull(replayed(composePlugins(plugins)).divergence)
      const stricter = plugin("url-evidence", { state: null, after: [Evidence] })
      const never = evidenceKind({
        scheme: "url",
        schema: Answer,
        look: () => Effect.die("A replay looks at nothing."),
        judge: () => ({ holds: false, message: "Never." })
      })
      const other = definePlugin(stricter, { version: "2", parts: [stricter.offer(evidenceKinds, "kind", never)] })
      assert.isNotNull(replayed(composePlugins([plugins[0] as Plugin, other])).divergence)
    })
  )
})

describe("what a kind may say beside whether it holds", () => {
  const Size = Schema.Struct({ bytes: Schema.Int, directory: Schema.String })

  /** `size:<path>`: as large as said, weak where it is empty. */
  const sized = (bytes: number): Plugin => {
    const header = plugin("size-evidence", { state: null, after: [Evidence] })
    const kind = evidenceKind({
      scheme: "size",
      schema: Size,
      look: (_, { directory }) => Effect.succeed({ bytes, directory }),
      judge: ({ bytes }) =>
        bytes < 0
          ? { holds: false, key: "checklist_evidence_file_not_found", message: "It has no size." }
          : { holds: true, weak: bytes > 0 ? [] : [{ reason: "cosmetic", message: "It is empty." }] },
      same: (accepted, now) => accepted.bytes <= now.bytes,
      path: (reference) => reference
    })
    return definePlugin(header, { version: "1", parts: [header.offer(evidenceKinds, "kind", kind)] })
  }
  const judged = Effect.fnUntraced(function* (
    bytes: number,
    claims: { readonly [item: string]: string },
    accept: ReadonlyArray<WeakReason> = []
  ) {
    const { events, step } = yield* whenReported(claims, [sized(bytes)], evidence, { accept, max_waived: 1 })
    return {
      refusals: rejections(events).map(({ key, message }) => [key, message]),
      items: taskIn(stateOf(step?.after), "t").items.map(({ receipt, verdict, weak }) => ({ receipt, verdict, weak }))
    }
  })

  it.effect("given it looks, then it is told in which directory", () =>
    Effect.gen(function* () {
      const { items } = yield* judged(3, { A: "size:a.bin" })
      assert.deepInclude(items[0]?.receipt, { fact: { bytes: 3, directory: "/nowhere" } })
    })
  )

  it.effect("given a reason, when nobody accepts it, then it is refused, and otherwise it is weak", () =>
    Effect.gen(function* () {
      const message = "Evidence 'size:a.bin' shows too little: It is empty."
      assert.deepStrictEqual((yield* judged(0, { A: "size:a.bin" })).refusals, [["checklist_evidence_weak", message]])
      const { items, refusals } = yield* judged(0, { A: "size:a.bin" }, ["cosmetic"])
      assert.deepStrictEqual(refusals, [])
      assert.deepInclude(items[0], { verdict: "weak", weak: [{ reason: "cosmetic", message: "It is empty." }] })
    })
  )

  it.effect("given a path, when two items cite it, then neither has anything of its own", () =>
    Effect.gen(function* () {
      const { refusals } = yield* judged(3, { A: "size:a.bin", B: "size:a.bin", C: "size:c.bin" })
      assert.deepStrictEqual(
        refusals.map(([key]) => key),
        ["checklist_evidence_weak", "checklist_evidence_weak"]
      )
      assert.include(refusals[0]?.[1], "It is cited for 'B' too.")
    })
  )

  it.effect("given a key, when it does not hold, then it is refused with that key and the path", () =>
    Effect.gen(function* () {
      const { refusals } = yield* judged(-1, { A: "size:a.bin" })
      assert.strictEqual(refusals[0]?.[0], "checklist_evidence_file_not_found")
      assert.match(refusals[0]?.[1] ?? "", /^Evidence file not found: a\.bin\. .* It has no size\.$/)
    })
  )
})

describe("a log of before a kind was there", () => {
  it.effect.each(["file:a.png", "absent:a.py"])("given it looked at %s as lines, then it is judged as lines", (text) =>
    Effect.gen(function* () {
      const { command, run } = yield* whenReported({ A: text }, [])
      const fact = {
        index: 0,
        evidence: text,
        outcome: "format_invalid",
        detail: "It is not lines.",
        path: null,
        start: null,
        end: null,
        total: null,
        declaration: null,
        untouched: null,
        receipt: null
      } as const
      assert.deepStrictEqual(
        rejections(run.when({ ...command, facts: [fact] }).events).map(({ key }) => key),
        ["checklist_evidence_format_invalid"]
      )
    })
  )
})

describe("evidence-regex", () => {
  it.effect("knows lines only", () =>
    Effect.gen(function* () {
      const { events } = yield* whenReported({ "Add health": `url:${health}` }, [], evidenceRegex)
      assert.deepStrictEqual(
        rejections(events).map(({ key }) => key),
        ["checklist_evidence_format_invalid"]
      )
    })
  )
})

describe("a scheme", () => {
  it.each(["", "Url", "my url", "url:", "1st"])("%j is none", (scheme) => {
    const kind = { scheme, schema: Answer, look: () => Effect.die(""), judge: () => ({ holds: true }) as const }
    assert.throws(() => evidenceKind(kind), PluginFault)
  })
})
