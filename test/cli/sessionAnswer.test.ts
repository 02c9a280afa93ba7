import { describe, expect, it } from "vitest"
import { connect } from "./mcpClient.ts"
import { documentOf, project, proofline } from "./proofline.ts"
import { valid } from "./schemas.ts"
import { expectReplay, newestLog, refused, submit } from "./sessionStage.ts"

const contract = `extends: none
name: colours
start: LOOK
phases:
  LOOK:
    expected_payload: { summary: str }
    instruction: Look which colours there are.
    next: COLOUR
  COLOUR:
    kind: person
    expected_payload: { answer: red|green, comment?: str }
    min_chars: { comment: 5 }
    instruction: |
      Which colour shall it be?
      It cannot be changed later.
    transitions:
      - to: PAINT
        when: { payload: { answer: green } }
      - to: LOOK
  PAINT:
    expected_payload: { colour: str }
    instruction: Paint it.
    next: DONE
  DONE: { kind: end }
`

const asked = async () => {
  const dir = project({ ".proofline/phase_contract.yml": contract })
  const agent = await connect(dir)
  await submit(agent, { summary: "Red and green" }, "COLOUR")
  return { dir, agent }
}

const answer = async (dir: string, ...args: ReadonlyArray<string>) => {
  const finished = await proofline(["answer", ...args, "--json"], dir)
  expect(valid("answer.output", documentOf(finished)), finished.stdout).toEqual([])
  return { code: finished.code, data: documentOf(finished).data, stderr: finished.stderr }
}

describe("answer", () => {
  it("given a question, shows it, refuses what was not asked for, and leads the agent on while its server runs", {
    timeout: 120_000
  }, async () => {
    const { agent, dir } = await asked()
    expect((await agent.call("get_next_action")).body).toMatchObject({
      action: "ask_user",
      phase: "COLOUR",
      needs_person: true,
      expected_payload: {},
      instruction: expect.stringContaining("Which colour shall it be?")
    })
    for (const [tool, args] of [
      ["submit_phase", { data: { answer: "green" } }],
      ["complete_task", { task_id: "a", data: { answer: "green" } }]
    ] as const) {
      const own = refused(await agent.call(tool, args), "person_required")
      expect(own).toMatchObject({ needs_person: true, phase: "COLOUR" })
      expect(own.next_step).toContain("proofline answer")
    }

    const question = await proofline(["answer"], dir)
    expect(question).toMatchObject({
      code: 3,
      stderr: "",
      stdout: expect.stringContaining("Which colour shall it be?\nIt cannot be changed later.\n")
    })
    expect(question.stdout).toContain("  green: goes on with PAINT\nAnswer with `proofline answer red|green`;")
    // what the agent has said is what a person decides on
    expect(question.stdout).toContain("Red and green")
    expect(await answer(dir)).toMatchObject({
      code: 3,
      data: {
        phase: "COLOUR",
        question: "Which colour shall it be?\nIt cannot be changed later.",
        expected: { answer: "red|green", "comment?": "str" }
      }
    })

    const before = await newestLog(dir)
    for (const [args, named] of [
      [["blue"], "red|green"],
      [["Green"], "red|green"],
      [[""], "red|green"],
      [["green", "--comment", "no"], "at least 5"]
    ] as const) {
      const wrong = await answer(dir, ...args)
      expect(wrong.code).toBe(2)
      const [problem] = wrong.data.problems
      expect(problem.code).toBe("answer_invalid")
      expect(`${problem.message} ${problem.hint}`).toContain(named)
      expect(wrong.stderr).not.toMatch(/\n\s+at /)
    }
    expect(await newestLog(dir)).toEqual(before)
    expect((await agent.call("get_next_action")).body).toMatchObject({ phase: "COLOUR" })

    expect(await answer(dir, "green", "--comment", "Dark green")).toMatchObject({ code: 0, data: { phase: "PAINT" } })
    const next = (await agent.call("get_next_action")).body
    expect(next).toMatchObject({
      action: "submit_phase",
      phase: "PAINT",
      needs_person: false,
      last_submission: { phase: "COLOUR", payload: { answer: "green", comment: "Dark green" } }
    })
    // nobody is asked any more
    expect(await answer(dir)).toMatchObject({ code: 0, data: { phase: "PAINT", question: null, expected: null } })
    expect((await proofline(["answer"], dir)).stdout).toContain("Nobody is asked anything")
    expect(await answer(dir, "green")).toMatchObject({ code: 2, data: { problems: [{ code: "no_question" }] } })

    await submit(agent, { colour: "dark green" }, "DONE")
    expect((await agent.call("report_completed", { result: "success" })).body).toMatchObject({ action: "exit" })
    await agent.close()
    expect((await newestLog(dir)).find(({ content }) => content.by === "person").content).toMatchObject({
      phase: "COLOUR",
      session_id: null,
      payload: { answer: "green", comment: "Dark green" }
    })
    await expectReplay(dir)
  })
})
