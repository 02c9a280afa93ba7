import { assert, describe, it } from "@effect/vitest"
import { type AnyCommand, defaultChunkingConfig, type PlannedSubtask } from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import { workPrompt } from "@proofline/plugins/policies/execution"
import { end, judged, stateOf, task } from "../../kernel/support/words.ts"
import { analysed, begin, finish, part, plan, split } from "./support.ts"

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
  const prompt = () =>
    promptOf("t-sub-2", parts, [
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
    it(`holds ${what}`, () => assert.include(prompt(), words))
  }

  it("names no task of another parent, and what it builds on only with what came of it", () => {
    const text = prompt()
    assert.notInclude(text.slice(text.indexOf("## Not your part")), "t-sub-1")
  })

  it("names the scope of siblings that are completed, behind those that are not", () => {
    const text = promptOf("t-sub-3", parts, [
      begin("t-sub-1"),
      ...finish("t-sub-1", ["src/session.ts"], "The type is Session."),
      begin("t-sub-3")
    ])
    assert.include(
      text,
      "Other subtasks take care of:\n\n- t-sub-2: Implement login\n- t-sub-1, completed: Define the session type\n\n"
    )
  })

  it("given no files that are named for it, then it names none", () => {
    assert.notInclude(promptOf("t-sub-1", parts, [begin("t-sub-1")]), "## Files named")
  })

  it("given tasks of other parents, then they are no part of its own", () => {
    const run = aRun(
      [aTask("t", { title: "All", checks: [], chunk: "asked" }), aTask("other"), aTask("another", { chunk: "asked" })],
      { chunking: defaultChunkingConfig }
    )
    const state = stateOf(given().after(run, analysed(plan(...parts)), analysed(plan(...parts), "another")).snapshot)
    const others = (id: string) =>
      [
        ...(workPrompt(state, task(state, id), 1, "/elsewhere")
          .split(" take care of:\n\n")[1]
          ?.split("\n\n")[0]
          ?.matchAll(/^- ([\w-]+)/gm) ?? [])
      ].map(([, name]) => name)
    assert.deepStrictEqual(others("t-sub-1"), ["t-sub-2", "t-sub-3"])
    assert.deepStrictEqual(others("other"), ["t", "another"])
  })

  it("given the whole of it, then it says what its parts have come to", () => {
    const prompt = promptOf("t", parts, [
      begin("t-sub-1"),
      ...finish("t-sub-1", ["src/session.ts"], "The type is Session.")
    ])
    assert.include(prompt, "## What to do\n\nDo all of it.\n\n## What has been done\n\n")
    assert.include(
      prompt,
      "all of them together:\n\n- t-sub-1: Define the session type. Reported: The type is Session. Files: src/session.ts\n- t-sub-2: Implement login\n- t-sub-3: Write the manual\n\n"
    )
    assert.notInclude(prompt, "Part 1 of 3")
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
