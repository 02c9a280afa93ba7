import { it } from "@effect/vitest"
import {
  type Condition,
  emptyPhase,
  type Phase,
  type PhaseContract,
  type Scalar,
  type Transition
} from "@proofline/plugins/policies/sessions"
import { Schema } from "effect"
import { assert, describe } from "vitest"
import { stringify } from "yaml"
import { type Random, randomFrom } from "../../kernel/support/random.ts"
import { often } from "../../often.ts"
import { randomNotation } from "../operations/notations.ts"
import { contractOf, readContract, shipped, template } from "./contracts.ts"

const bases = shipped()
const Seed = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 31 - 1 }))

const phaseNames = ["A", "READY_B", "c-1", "Überprüfen", "d.e", "constructor"]
const counters = ["tries", "toString", "task_failures"]
const flags = ["quick", "no_doc"]
const intents = ["fix", "add"]
const texts = [
  "Do it.",
  "a: b # c",
  "- x\n- {y}\n\n  z",
  "'q' \"r\"",
  "expected_payload:\n  a: list[{b: c}]",
  "日本",
  "yes",
  "3"
]

const some = <A>(random: Random, values: ReadonlyArray<A>): Array<A> => values.filter(() => random.chance(0.5))

const maybe = <K extends string, A>(random: Random, key: K, value: () => A): { readonly [k in K]?: A } =>
  (random.chance(0.4) ? { [key]: value() } : {}) as { readonly [k in K]?: A }

const randomCondition = (
  random: Random,
  phase: Pick<Phase, "kind"> | null,
  fields: ReadonlyArray<string>
): Condition => ({
  ...maybe(random, "payload", () =>
    Object.fromEntries(
      some(random, fields).map((field) => [
        field,
        random.pick<Scalar | ReadonlyArray<Scalar>>([true, "no", 3, [1, "2"]])
      ])
    )
  ),
  ...maybe(random, "empty", () => some(random, fields)),
  ...maybe(random, "filled", () => some(random, fields)),
  ...maybe(random, "flags", () => some(random, flags)),
  ...maybe(random, "intent", () => some(random, intents)),
  ...maybe(random, "gate", () => some(random, ["auto", "full"] as const)),
  ...(phase?.kind === "verify" ? maybe(random, "outcome", () => random.pick(["passed", "failed"] as const)) : {}),
  ...maybe(random, "tasks", () => random.pick(["none", "open", "done"] as const)),
  ...maybe(random, "reached", () => some(random, counters))
})

const randomTransition = (
  random: Random,
  to: string,
  phase: Pick<Phase, "kind"> | null,
  fields: ReadonlyArray<string>
): Transition => ({
  to,
  when: { tasks: "open", ...randomCondition(random, phase, fields) },
  ...maybe(random, "unless", () => ({ flags: ["quick"], ...randomCondition(random, phase, fields) })),
  ...maybe(random, "count", () => random.pick(counters)),
  ...maybe(random, "reset", () => some(random, counters))
})

/** A contract without faults: each phase leads to the next, and wherever it likes besides. */
const randomContract = (seed: number): PhaseContract => {
  const random = randomFrom(seed)
  const names = random.shuffled(phaseNames).slice(0, 1 + random.below(phaseNames.length))
  const kinds = ["submit", "plan", "tasks", "complete", "verify", "person"] as const
  const kindOf = new Map(names.map((name) => [name, random.pick(kinds)]))
  // done by a payload, wherever it is handed in
  const mayBeAlso = (name: string) => !["verify", "person"].includes(kindOf.get(name) ?? "")
  const phaseOf = (name: string, next: string): Phase => {
    const kind = kindOf.get(name) ?? "submit"
    const fields = [
      "tasks",
      ...(kind === "person" ? ["answer"] : []),
      ...some(random, ["a", "task_id", "x-y", "認証", "$ref"])
    ]
    return {
      kind,
      expected_payload: Object.fromEntries(
        fields.map((field) => [
          random.chance(0.3) || (kind === "person" && field !== "answer") ? `${field}?` : field,
          randomNotation(random, 2).text.trim().replaceAll(/\s+/g, " ")
        ])
      ),
      instruction: random.pick(texts),
      not_empty: some(random, fields),
      min_chars: Object.fromEntries(some(random, fields).map((field) => [field, random.below(20)])),
      writes: random.chance(0.5),
      explores: some(random, fields),
      also: some(random, names).filter((other) => other !== name && mayBeAlso(other)),
      checks: kind === "verify" ? some(random, ["npm test", "a: b # c", "true"]) : [],
      transitions: [
        ...some(random, names).map((to) => randomTransition(random, to, { kind }, fields)),
        { to: next, count: random.pick(counters) }
      ]
    }
  }
  const end: Phase = { ...emptyPhase, kind: "end", instruction: random.pick(["", ...texts]) }
  const first = names[0] ?? "END"
  return {
    name: random.pick(texts),
    start: [randomTransition(random, first, null, []), { to: first }],
    phases: {
      ...Object.fromEntries(names.map((name, index) => [name, phaseOf(name, names[index + 1] ?? "END")])),
      END: end
    },
    limits: Object.fromEntries(counters.map((counter) => [counter, random.below(9)])),
    flags: Object.fromEntries(flags.map((flag) => [flag, random.pick(texts)])),
    intents,
    write_targets: {
      existing: random.pick(["any", "explored"] as const),
      fresh: random.pick(["any", "explored", "none"] as const),
      required: random.chance(0.5)
    },
    failures: {
      READY: { mine: { error: "x", message: random.pick(texts) } },
      common: { toString: { error: "y", message: "{z}" } }
    }
  }
}

/** As people write it: what is nothing is left out. */
const written = (contract: PhaseContract): object => ({
  extends: "none",
  ...contract,
  phases: Object.fromEntries(
    Object.entries(contract.phases).map(([name, phase]) => [
      name,
      Object.fromEntries(Object.entries(phase).filter(([, value]) => value !== ""))
    ])
  )
})

/** Every counter that is asked for is counted somewhere. */
const counting = (contract: PhaseContract): PhaseContract => ({
  ...contract,
  start: [
    ...contract.start.slice(0, 1).flatMap((first) => counters.map((count) => ({ ...first, count }))),
    ...contract.start.slice(1)
  ]
})

/** Without quotes around the notations of payloads. */
const bare = (text: string): string => {
  let isPayload = false
  return text
    .split("\n")
    .map((line) => {
      const indent = line.search(/\S/)
      if (indent === 4) isPayload = line === "    expected_payload:"
      const [, key = "", quote = "", notation = ""] = /^( {6}\S+: )(["'])(.*)\2$/.exec(line) ?? []
      if (!isPayload || key === "") return line
      const said = quote === '"' ? JSON.parse(`"${notation}"`) : notation.replaceAll("''", "'")
      // quotes around the whole are YAML's
      return /^"[^"]*"$|^'[^']*'$/.test(said) ? line : key + said
    })
    .join("\n")
}

describe("given any contract without faults", () => {
  it.prop(
    "when it is written as YAML and read, it is what it was, with quotes around its notations or without",
    [Seed],
    ([seed]) => {
      const contract = counting(randomContract(seed))
      const text = stringify(written(contract), { lineWidth: 0 })
      assert.deepStrictEqual(contractOf(text), contract)
      assert.deepStrictEqual(contractOf(bare(text)), contract)
      assert.deepStrictEqual(contractOf(JSON.stringify(written(contract))), contract)
    },
    { arbitrary: { runs: often(300) } }
  )
})

const pieces = [
  ..."[]{}:,-?#&*!|>'\"\\ \t\n\r\0\uFEFF\u2028ä👩\uD800",
  ...[
    "\r\n",
    ": ",
    " #",
    "- ",
    "<<: *a",
    "&a ",
    "*a",
    "null",
    "{{",
    "}}",
    "list[{",
    "list[str]",
    "}]",
    "a|b",
    "str?",
    "x".repeat(5_000)
  ],
  ...[
    "expected_payload:",
    "expected_payload: {",
    "\n    expected_payload:\n      a: list[{b: ",
    "phases:\n",
    "extends: none\n"
  ],
  ...["start: ", "READY_PLAN:", "  A:\n", "kind: end", "transitions: [", "when: {", "failures:", "message: '{"]
]
const Piece = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: pieces.length - 1 }))
const Place = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30_000 }))
const Edit = Schema.Tuple([Place, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 })), Piece])

/** What holds of the answer to any text whatsoever. */
const assertSound = (text: string): void => {
  const lines = text.split(/\r\n|\r|\n/)
  const { contract, merged, problems, warnings } = readContract(text, bases)
  assert.strictEqual(contract === null, problems.length > 0)
  assert.strictEqual(merged === null, problems.length > 0)
  for (const { code, column, hint, line, message } of [...problems, ...warnings]) {
    assert.match(code, /^[a-z][a-z0-9_]*$/)
    assert.match(message, /^[^\n]*\.$/)
    assert.match(hint, /^[^\n]*[.?]$/)
    assert.isTrue(line >= 1 && line <= lines.length, `line ${line}`)
    assert.isTrue(column >= 1 && column <= Array.from(lines[line - 1] ?? "").length + 1, `column ${column}`)
  }
}

describe("given any text", () => {
  const text = bare(stringify(written(counting(randomContract(7))), { lineWidth: 0 }))
  const edited = (before: string, edits: ReadonlyArray<typeof Edit.Type>): string =>
    edits.reduce((soFar, [place, removed, piece]) => {
      const at = place % (soFar.length + 1)
      return soFar.slice(0, at) + (pieces[piece] ?? "") + soFar.slice(at + removed)
    }, before)

  it("when a key has a line break, what is told of it stands on one line", () => {
    assertSound('failures:\n  "a\\nb": ""\nmessages:\n  "a\\nb": ""\n')
  })

  it.prop(
    "when a contract was edited at random, it is answered",
    [Schema.Array(Edit)],
    ([edits]) => {
      assertSound(edited(text, edits))
      assertSound(edited(template("phase_contract"), edits.slice(0, 2)))
    },
    { arbitrary: { runs: often(200) } }
  )

  it.prop(
    "when it is made of pieces, it is answered",
    [Schema.Array(Piece)],
    ([chosen]) => assertSound(chosen.map((at) => pieces[at]).join("")),
    { arbitrary: { runs: often(1_000) } }
  )

  it("when a contract is cut off anywhere, it is answered", () => {
    const short = text.slice(0, 1_200)
    for (let end = 0; end <= short.length; end += short.length / often(short.length)) assertSound(short.slice(0, end))
  })

  it.each(pieces.map((piece) => [piece.slice(0, 40), piece]))(
    "when it repeats %j thousands of times, it is answered",
    (_, piece) => assertSound(piece.repeat(often(piece.length > 100 ? 100 : 20_000)))
  )

  it("when aliases make it endless, it is answered", () => {
    const levels = Array.from(
      { length: 40 },
      (_, n) => `      f${n}: &l${n} {a: ${n === 0 ? "str" : `*l${n - 1}`}, b: ${n === 0 ? "str" : `*l${n - 1}`}}`
    )
    assertSound(`phases:\n  READY_PLAN:\n    expected_payload:\n${levels.join("\n")}\n`)
    assertSound(
      `phases:\n  READY_PLAN: &p {writes: true}\n${Array.from({ length: 5_000 }, (_, n) => `  P${n}: *p`).join("\n")}`
    )
  })
})
