import { assert, describe, it } from "@effect/vitest"
import { definePlugin, PluginFault, plugin } from "@proofline/kernel"
import {
  contractProblem,
  type PhaseContract,
  type PhaseSig,
  phases as phasesOf,
  SessionRun,
  withPluginPhases
} from "../../../../packages/plugins/src/policies/sessions/contract.ts"
import { judge } from "../../../kernel/support/judge.ts"
import { aContract, alice, aPhase, aPlay, explored, type Play, phases, to } from "./playing.ts"

/** A run that knows a plugin with this phase. */
const bringing = (offered: Partial<PhaseSig>, contract: PhaseContract = aContract()): Play => {
  const Review = plugin("review", { state: null, after: [SessionRun] })
  const { validate = () => [], ...told } = offered
  const offer = Review.offer(phasesOf, "phase", {
    name: "REVIEW",
    phase: { instruction: "Review." },
    enters: [],
    failures: {},
    ...told,
    validate: (_, payload) => validate(payload)
  })
  return aPlay({ contract }, [judge, definePlugin(Review, { version: "1", parts: [offer] })])
}

const contractWith = (offered: Partial<PhaseSig>, contract: PhaseContract = aContract()): PhaseContract =>
  withPluginPhases(contract, bringing(offered).state)

describe("a phase of a plugin", () => {
  it("is as an empty phase where it says nothing", () => {
    assert.deepStrictEqual(contractWith({}).phases["REVIEW"], aPhase({ instruction: "Review." }))
  })

  it("is entered before all else from the phases that it names, and from no other", () => {
    const enters = [
      { from: "EXPLORATION", when: { flags: ["review"] } },
      { from: "READY_PLAN", count: "reviews" },
      { from: "READY_PLAN" }
    ]
    const { phases: then } = contractWith({ enters })
    assert.deepStrictEqual(then["EXPLORATION"]?.transitions, [
      to("REVIEW", { when: { flags: ["review"] } }),
      to("READY_PLAN")
    ])
    assert.deepStrictEqual(then["READY_PLAN"]?.transitions, [
      to("REVIEW", { count: "reviews" }),
      to("REVIEW"),
      to("READY_IMPL")
    ])
    assert.deepStrictEqual(then["READY_IMPL"], phases.READY_IMPL)
  })

  it("brings its sentences, and leaves those of the contract where it has none", () => {
    const sentence = { error: "payload_mismatch", message: "Say more." }
    const contract = aContract({ failures: { REVIEW: { other: sentence }, common: { x: sentence } } })
    assert.deepStrictEqual(contractWith({}, contract).failures, contract.failures)
    assert.deepStrictEqual(contractWith({ failures: { too_vague: sentence } }, contract).failures, {
      REVIEW: { too_vague: sentence },
      common: { x: sentence }
    })
  })

  it("stays as the contract says where that has one of its name", () => {
    const contract = aContract({ phases: { ...phases, REVIEW: aPhase({ transitions: [to("DONE")] }) } })
    const enters = [{ from: "EXPLORATION" }]
    const failures = { too_vague: { error: "payload_mismatch", message: "Say more." } }
    assert.deepStrictEqual(contractWith({ enters, failures }, contract), contract)
  })

  it.each<[string, Partial<PhaseSig>, problem: RegExp]>([
    ["has no name", { name: "" }, /^A phase of plugin review \(\) cannot be used: it has no name\.$/],
    [
      "says something that nobody knows",
      { phase: { instruction: "Review.", explore: [] } as never },
      /^A phase of plugin review \(REVIEW\) cannot be used: .*explore/
    ],
    ["has no instruction", { phase: {} as never }, /instruction/],
    ["is entered from nowhere", { enters: [{ to: "DONE" }] as never }, /^[^\n]*\["enters"\]\[0\][^\n]*$/]
  ])("is named with its plugin when it %s", (_, offered, problem) => {
    const { state } = bringing(offered)
    try {
      withPluginPhases(aContract(), state)
    } catch (error) {
      assert.instanceOf(error, PluginFault)
      assert.deepStrictEqual([error.plugin, error.where], ["review", "phase"])
      assert.match(error.problem, problem)
      return
    }
    assert.fail("It was taken.")
  })

  it.each<[string, PhaseSig["validate"], why: string]>([
    [
      "breaks",
      () => {
        throw new Error("No list")
      },
      "No list"
    ],
    ["gives back nothing", () => undefined as never, "it gave back no list of failures"],
    [
      "gives back a failure without a message",
      () => [{ key: "bad" }] as never,
      'it gave back {"key":"bad"}, no failure: {key, message, fields?, item?}'
    ],
    ["gives back texts", () => ["bad"] as never, 'it gave back "bad", no failure: {key, message, fields?, item?}']
  ])("refuses every payload when its validator %s", (_, validate, why) => {
    assert.deepStrictEqual(
      bringing({ name: "EXPLORATION", validate })
        .when(alice.submits(explored))
        .failures.map(({ key, message }) => [key, message]),
      [
        [
          "validator_broken",
          `Plugin review could not judge the payload of EXPLORATION: ${why}. Ask the user to mend the plugin.`
        ]
      ]
    )
  })

  it("has nothing to say of the payloads of other phases", () => {
    const validate = () => [{ key: "too_vague", message: "Say more." }]
    assert.strictEqual(bringing({ validate }).after(alice.submits(explored)).phase, "READY_PLAN")
  })
})

describe("a contract that does not hold together", () => {
  const wrong: ReadonlyArray<[Partial<PhaseContract>, ...says: ReadonlyArray<string>]> = [
    [{ start: [] }, "It says nowhere where a run begins."],
    [{ start: [to("EXPLORATION"), to("HERE"), to("toString")] }, "It begins in HERE,", "It begins in toString,"],
    [
      { phases: { ...phases, EXPLORATION: aPhase({ transitions: [to("DONE"), to("THERE")] }) } },
      "EXPLORATION leads to THERE, which is no phase."
    ],
    [
      { phases: { ...phases, DONE: aPhase({ kind: "end", expected_payload: { a: "str", b: "lost" } }) } },
      "The field b of DONE cannot be read: "
    ],
    [
      { phases: { ...phases, ASK: aPhase({ kind: "person", transitions: [to("DONE")] }) } },
      "ASK waits for a person, and has no field `answer`."
    ],
    [
      { phases: { ...phases, READY_IMPL: { ...phases.READY_IMPL, also: ["READY_PLAN", "DONE", "GONE"] } } },
      "READY_IMPL takes payloads of DONE, which is left in another way than by a payload.",
      "READY_IMPL takes payloads of GONE, which is no phase."
    ],
    ...(["POST_IMPL_VERIFY", "VERIFY_INTERVENTION", "END", "STOP"] as const).map(
      (other): [Partial<PhaseContract>, string] => [
        {
          phases: {
            ...phases,
            END: aPhase({ kind: "end" }),
            STOP: aPhase({ kind: "stop" }),
            READY_IMPL: { ...phases.READY_IMPL, also: [other] }
          }
        },
        `READY_IMPL takes payloads of ${other}, which is left in another way than by a payload.`
      ]
    ),
    [{ phases: { ...phases, EXPLORATION: aPhase() } }, "No way leads out of EXPLORATION."],
    [
      {
        phases: {
          EXPLORATION: aPhase({ transitions: [to("OVER")] }),
          OVER: aPhase({ kind: "stop" })
        }
      },
      "No phase is an end."
    ]
  ]

  it.each(wrong)("is refused with what is wrong: %#", (over, ...says) => {
    const problem = contractProblem(aContract(over))
    const faults = problem?.message.replace("The phase contract does not hold together. ", "").split(/(?<=\.) /) ?? []
    assert.strictEqual(problem?.code, "contract_invalid")
    assert.deepStrictEqual(
      faults.map((fault, i) => fault.slice(0, says[i]?.length)),
      says
    )
  })

  it.each<[string, Partial<PhaseContract>]>([
    ["as it is built in", {}],
    [
      "with an optional answer of a person",
      {
        phases: {
          ...phases,
          ASK: aPhase({ kind: "person", expected_payload: { "answer?": "str" }, transitions: [to("DONE")] })
        }
      }
    ],
    ["with an end that is given up", { phases: { ...phases, STOPPED: aPhase({ kind: "stop" }) } }]
  ])("is none %s", (_, over) => {
    assert.isNull(contractProblem(aContract(over)))
  })

  it("begins no run", () => {
    assert.throws(() => aPlay({ contract: aContract({ start: [] }) }), /begins/)
  })
})
