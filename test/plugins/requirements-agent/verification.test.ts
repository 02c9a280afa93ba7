import { assert, describe, it } from "@effect/vitest"
import {
  buildRequirementVerificationPrompt,
  parseVerificationResult
} from "@proofline/plugins/policies/requirements-agent"
import { Result, Schema } from "effect"
import { often } from "../../often.ts"
import { aDefinition, aRequirement } from "../requirements/stage.ts"

const status = (requirement_id: string, met: unknown, evidence?: unknown) => ({
  requirement_id,
  met,
  ...(evidence === undefined ? {} : { evidence })
})
const answer = (all_requirements_met: unknown, ...requirement_status: ReadonlyArray<unknown>) => ({
  all_requirements_met,
  requirement_status
})
const met = answer(true, status("r1", true, "src/a.ts:3"))
const unmet = answer(false, status("r1", false, "Nothing is there."))
const text = (json: unknown) => JSON.stringify(json, null, 2)
const block = (json: unknown, info = "json") => `\`\`\`${info}\n${text(json)}\n\`\`\``

const read = (output: string, ids: ReadonlyArray<string> = ["r1"]) => {
  const parsed = parseVerificationResult(output, ids)
  return Result.isSuccess(parsed) ? parsed.success : parsed.failure.join("\n")
}

describe("an answer that holds", () => {
  it("given JSON alone or with prose around it, then it is read", () => {
    for (const output of [
      text(met),
      JSON.stringify(met),
      `Here it is:\n\n${block(met)}\n\nThat is all {of it}.`,
      `I ran it, {so} it goes: ${JSON.stringify(met)} Done.`,
      `\uFEFF${block(met, "")}\r\n`
    ]) {
      assert.deepStrictEqual(
        read(output),
        {
          all_requirements_met: true,
          requirement_status: [{ requirement_id: "r1", met: true, evidence: "src/a.ts:3" }]
        },
        output
      )
    }
  })

  it("given braces, quotes and fences in its texts, then it is read to its end", () => {
    const evidence = '$ cat "a"\n{ "x": } ```\n}}} \\" {'
    for (const output of [
      block(answer(true, status("r1", true, evidence))),
      `x ${text(answer(true, status("r1", true, evidence)))} y`
    ]) {
      const parsed = read(output)
      assert.strictEqual(typeof parsed === "string" ? parsed : parsed.requirement_status[0]?.evidence, evidence)
    }
  })

  it("given two of them, then the last one counts, in a fence or not", () => {
    for (const output of [
      `${block(met)}\n${block(unmet)}`,
      `An example: ${block(met)}\n\n${text(unmet)}`,
      `${text(met)} and then ${block(unmet)}`
    ]) {
      const parsed = read(output)
      assert.deepInclude(typeof parsed === "string" ? {} : parsed, { all_requirements_met: false }, output)
    }
  })

  it("given characters that a terminal obeys, then they are gone", () => {
    const parsed = read(text(answer(true, status("r1", true, "a\u001b[2Jb\u202ec\n\td"))))
    assert.strictEqual(typeof parsed === "string" ? "" : parsed.requirement_status[0]?.evidence, "a[2Jbc\n\td")
  })
})

describe("an answer that does not hold", () => {
  const refused = (output: string, told: string, ids?: ReadonlyArray<string>) => {
    const parsed = read(output, ids)
    assert.include(typeof parsed === "string" ? parsed : "it was taken", told, output)
  }

  it("given words of approval, then they are none", () => {
    for (const words of [
      "All requirements are met. Approved: true.",
      "not all requirements are met",
      "all_requirements_met: true",
      '"all_requirements_met": true, "requirement_status": []',
      "true",
      '"met"',
      "[]",
      "null",
      "```json\ntrue\n```"
    ]) {
      refused(words, "JSON object")
    }
    refused("", "There was no answer")
    refused(" \n", "There was no answer")
  })

  it("given other types than were asked for, then nothing is guessed", () => {
    refused(text(answer(true, status("r1", "true", "src/a.ts:3"))), '["requirement_status"][0]["met"]')
    refused(text(answer("true", status("r1", true, "src/a.ts:3"))), '["all_requirements_met"]')
    refused(text(answer(1, status("r1", true, "src/a.ts:3"))), '["all_requirements_met"]')
    refused(text(answer(true, status("r1", true, ["src/a.ts:3"]))), '["evidence"]')
    refused(text({ requirement_status: met.requirement_status }), '["all_requirements_met"]')
    refused(text({ all_requirements_met: true }), '["requirement_status"]')
  })

  it("given requirements that were not asked for, or not all that were, or one twice, then that is said", () => {
    refused(text(answer(true)), "requirement_status is empty")
    refused(text(answer(true)), "no requirement is named that is met")
    refused(text(met), 'does not name "r2"', ["r1", "r2"])
    refused(text(met), 'names "r1", which was not asked for', ["r2"])
    refused(text(answer(false, status("r1", true, "a.ts:1"), status("r1", false))), 'names "r1" more than once')
  })

  it("given that the whole is not what its parts say, then that is said", () => {
    refused(text({ ...unmet, all_requirements_met: true }), "all_requirements_met is true, and these are not met: r1.")
    refused(text({ ...met, all_requirements_met: false }), "all_requirements_met is false, and no requirement")
  })

  it("given no evidence for what is met, or more than anybody reads, then that is said", () => {
    for (const evidence of [undefined, null, "", " \n "]) {
      refused(text(answer(true, status("r1", true, evidence))), "Requirement r1 is met by word alone")
    }
    refused(text(answer(true, status("r1", true, "x".repeat(20_001)))), "at most 20000 are allowed")
  })

  it("given the prompt that is printed back, with its example, then that is no answer", () => {
    const definition = aDefinition([aRequirement("r1", ["a"])])
    const prompt = buildRequirementVerificationPrompt(definition, [])
    assert.include(prompt, '"met": true,')
    assert.include(prompt, '"all_requirements_met": true,')
    refused(prompt, "is that of the example")
    refused(prompt.replaceAll("\n", "\r\n"), "is that of the example", ["r1"])
  })

  it("given that the last of it is cut off or another JSON, then no earlier one is taken", () => {
    refused(`${block(met)}\n\`\`\`json\n${text(unmet).slice(0, -3)}`, "is not whole")
    refused(`${block(met)}\n\n{"met": false}`, '["all_requirements_met"]')
    refused(`${block(met)}\n\n{"all_requirements_met": false,}`, "is not JSON")
  })

  it("given several faults, then all of them are told", () => {
    const parsed = read(text(answer(true, status("r3", true), status("r1", false))), ["r1", "r2"])
    for (const told of ['names "r3"', 'does not name "r2"', "r3 is met by word alone", "not met: r1"])
      assert.include(parsed, told)
  })
})

/** Mostly as it should be. */
const Status = (id: string) =>
  Schema.Struct({
    requirement_id: Schema.Union([Schema.Literal(id), Schema.Literal(id), Schema.Literal(id), Schema.Literal("r1")]),
    met: Schema.Union([Schema.Boolean, Schema.Boolean, Schema.Boolean, Schema.Literal("true")]),
    evidence: Schema.optionalKey(Schema.NullOr(Schema.Literals(["src/a.ts:3", "$ npm test\nok {}", "x", "y", " "])))
  })
const Given = Schema.Struct({
  told: Schema.NullOr(Schema.Union([Schema.Boolean, Schema.Literal("true")])),
  requirement_status: Schema.Tuple([Status("r1"), Status("r2")])
})
/** Null: as its statuses are. */
const answerOf = ({ requirement_status, told }: typeof Given.Type) => ({
  all_requirements_met: told ?? requirement_status.every((one) => one.met === true),
  requirement_status
})

describe("whatever an agent says", () => {
  const runs = { arbitrary: { runs: Math.max(500, often(1_000)) } }
  let taken = 0

  it.prop(
    "given any text, then nothing is thrown and nothing approved",
    [Schema.String],
    ([output]) => assert.isTrue(Result.isFailure(parseVerificationResult(output, ["r1"]))),
    runs
  )

  it.prop(
    "given any answer in any prose, then one that is taken speaks of all that was asked, and what is met has evidence",
    [Given, Schema.String],
    ([drawn, prose]) => {
      const given = answerOf(drawn)
      const parsed = parseVerificationResult(`${prose.replaceAll("{", "")}\n${text(given)}`, ["r1", "r2"])
      if (Result.isFailure(parsed)) return assert.isNotEmpty(parsed.failure)
      taken++
      const { all_requirements_met, requirement_status } = parsed.success
      assert.deepStrictEqual(requirement_status.map(({ requirement_id }) => requirement_id).sort(), ["r1", "r2"])
      assert.strictEqual(
        all_requirements_met,
        requirement_status.every((one) => one.met)
      )
      for (const one of requirement_status) assert.isTrue(!one.met || one.evidence.trim() !== "")
      assert.strictEqual(given.all_requirements_met, all_requirements_met)
    },
    runs
  )

  it("was taken often enough to say so", () => assert.isAtLeast(taken, 5))
})
