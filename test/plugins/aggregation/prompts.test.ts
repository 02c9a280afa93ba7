import { assert, describe, it } from "@effect/vitest"
import type { AnyCommand, PlannedSubtask } from "@proofline/kernel"
import { workPrompt } from "@proofline/plugins/policies/execution"
import { end, judged, stateOf, task } from "../../kernel/support/words.ts"
import { begin, finish, part, plan, split } from "./support.ts"

const promptOf = (id: string, parts: ReadonlyArray<PlannedSubtask>, commands: ReadonlyArray<AnyCommand>): string => {
  const state = stateOf(
    split(plan(...parts))
      .after(...commands.slice(0, -1))
      .when(commands[commands.length - 1] as AnyCommand).step?.after
  )
  return workPrompt(state, task(state, id), 1, "/elsewhere")
}

const parts: ReadonlyArray<PlannedSubtask> = [
  part("Define the session type"),
  part("Implement login", {
    dependencies: [1],
    paths: ["src/login.ts"],
    acceptance_criteria: ["login returns a session"]
  }),
  part("Write the manual")
]

describe("the prompt of a subtask", () => {
  const prompt = promptOf("t-sub-2", parts, [
    begin("t-sub-1"),
    ...finish("t-sub-1", ["src/session.ts"], "The type is Session."),
    begin("t-sub-2")
  ])

  for (const [what, words] of [
    ["the whole task", "> Do all of it."],
    ["which part it is", "Part 2 of 3"],
    ["its own part", "## Your part: what to do\n\nImplement login"],
    [
      "what came of what it builds on",
      "t-sub-1: Define the session type. Reported: The type is Session. Files: src/session.ts"
    ],
    ["the files that are named for it", "- src/login.ts"],
    ["what is not its part", "t-sub-3: Write the manual"],
    ["its criteria", "- login returns a session"],
    ["where it works", "You work in /elsewhere"],
    ["that evidence is wanted for them", "every criterion exactly once"]
  ] as const) {
    it(`holds ${what}`, () => assert.include(prompt, words))
  }

  it("names no task of another parent and nothing that is completed as somebody else's part", () => {
    assert.notInclude(prompt.slice(prompt.indexOf("## Not your part")), "t-sub-1")
  })
})

describe("the prompt of a subtask that has offered evidence", () => {
  it("names every criterion once, as an item that is owed", () => {
    const item = "login returns a session"
    const reported = end("t-sub-1", 1, "COMPLETE", {
      report: { summary: "", checklist: [{ item, status: "done", evidence: "a.ts:1" }], problems: [] }
    })
    const rejected = { ...judged("t-sub-1", 1, "REJECT"), checks: [] }
    const prompt = promptOf(
      "t-sub-1",
      [part("Implement login", { acceptance_criteria: [item] }), part("Implement logout")],
      [begin("t-sub-1"), reported, rejected]
    )
    assert.lengthOf(prompt.split(`- ${item}\n`), 2)
    assert.include(prompt, `## Checklist\n\n- ${item}`)
    assert.include(prompt, "Report every item of the checklist exactly once")
  })
})
